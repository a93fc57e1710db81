"""What is known of a procedure before its body is looked at: who implements it, its parameters and its contract.

procedure p(x: int) returns (y: int);  ensures y == x;
implementation p(a: int) returns (b: int) { ... }          parameters (a), returns (b), ensures (= b a)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.types import TypeTable, type_name
from cleave.ir.program import Location
from cleave.logic.terms import Term, var
from cleave.records import dataclass


@dataclass(slots=True, eq=False)
class Header:
    """``declared`` and ``implemented`` give the variables for the names in the two signatures."""

    name: str
    declaration: s.Procedure
    signature: s.Signature  # the implementation's, if there is one
    body: s.Body | None
    parameters: tuple[Term, ...] = ()
    returns: tuple[Term, ...] = ()
    declared: dict[str, Term] = field(default_factory=dict)
    implemented: dict[str, Term] = field(default_factory=dict)
    location: Location | None = None

    def require_supported(self, source: Source, at: int) -> None:
        if self.declaration.signature.type_parameters:
            raise source.unsupported(at, f"polymorphic procedures are not supported: '{self.name}'")


class HeaderTable:
    """Makes the headers of a file."""

    def __init__(self, source: Source, types: TypeTable, names: Names, shared: Mapping[str, Term]) -> None:
        self._source = source
        self._types = types
        self._names = names
        self._shared = shared

    def headers(self, file: s.File) -> dict[str, Header]:
        found: dict[str, Header] = {}
        for declaration in file.procedures:
            signature = declaration.signature
            if signature.name in found:
                raise self._source.error(signature.at, f"procedure '{signature.name}' is declared twice")
            found[signature.name] = Header(signature.name, declaration, signature, declaration.body)
        for implementation in file.implementations:
            self._implement(found, implementation)
        for header in found.values():
            header.location = self._source.location(header.signature.at)
            self._complete(header)
        return found

    def _implement(self, headers: dict[str, Header], implementation: s.Implementation) -> None:
        signature = implementation.signature
        header = headers.get(signature.name)
        if header is None:
            raise self._source.error(signature.at, f"procedure '{signature.name}' is implemented but not declared")
        if header.body is not None:
            message = f"several implementations of one procedure are not supported: '{signature.name}'"
            raise self._source.unsupported(signature.at, message)
        header.signature = signature
        header.body = implementation.body

    def _complete(self, header: Header) -> None:
        declared, implemented = header.declaration.signature, header.signature
        if declared.type_parameters:
            if header.body is not None:
                header.require_supported(self._source, implemented.at)
            return
        header.parameters = self.variables(implemented.parameters, header.implemented)
        header.returns = self.variables(implemented.returns, header.implemented)
        if declared is implemented:
            header.declared = header.implemented
            return
        self._match(header, "parameters", declared.parameters, header.parameters)
        self._match(header, "returns", declared.returns, header.returns)

    def variables(self, declarations: Iterable[s.Variable], scope: dict[str, Term]) -> tuple[Term, ...]:
        """Adds variables to ``scope``. One that has the name of a global or constant gets another."""
        found: list[Term] = []
        for declaration in declarations:
            name = declaration.name
            if name in scope:
                raise self._source.error(declaration.at, f"'{name}' is declared twice")
            unique = self._names.fresh(name) if name in self._shared else name
            scope[name] = var(unique, self._types.sort(declaration.type))
            found.append(scope[name])
        return tuple(found)

    def _match(self, header: Header, what: str, declared: list[s.Variable], implemented: tuple[Term, ...]) -> None:
        """Gives the declaration's names the implementation's variables."""
        if len(declared) != len(implemented):
            message = f"'{header.name}' is declared with {len(declared)} {what}, not {len(implemented)}"
            raise self._source.error(header.signature.at, message)
        for declaration, variable in zip(declared, implemented, strict=True):
            sort = self._types.sort(declaration.type)
            if sort is not variable.sort:
                wanted = type_name(sort)
                message = f"'{variable.name}' is declared with type '{wanted}', not '{type_name(variable.sort)}'"
                raise self._source.error(header.signature.at, message)
            if declaration.name in header.declared:
                raise self._source.error(declaration.at, f"'{declaration.name}' is declared twice")
            header.declared[declaration.name] = variable
