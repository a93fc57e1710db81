"""What is known of a procedure before its body is looked at: its implementation, its parameters and its contract.

procedure p(x: int) returns (y: int);  ensures y == x;
implementation p(a: int) returns (b: int) { ... }          parameters (a), returns (b), ensures (= b a)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.polymorphism import Bindings
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

    @property
    def is_polymorphic(self) -> bool:
        """Whether there are instances of it only."""
        return bool(self.declaration.signature.type_parameters) and self.name == self.declaration.signature.name


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
            if len(header.signature.type_parameters) != len(header.declaration.signature.type_parameters):
                at, name = header.signature.at, header.name
                raise self._source.error(at, f"'{name}' is declared with other type parameters than it is implemented")
            if not header.is_polymorphic:
                self.complete(header, {}, {})
        return found

    def _implement(self, headers: dict[str, Header], implementation: s.Implementation) -> None:
        signature = implementation.signature
        header = headers.get(signature.name)
        if header is None:
            raise self._source.error(signature.at, f"procedure '{signature.name}' is implemented but not declared")
        header.signature = signature
        header.body = implementation.body

    def complete(self, header: Header, in_declared: Bindings, in_implemented: Bindings) -> None:
        """Finds the variables; the bindings are what type parameters are in the two signatures."""
        declared, implemented = header.declaration.signature, header.signature
        with self._types.inside(in_implemented):
            header.parameters = self.variables(implemented.parameters, header.implemented)
            header.returns = self.variables(implemented.returns, header.implemented)
        if declared is implemented:
            header.declared = header.implemented
            return
        with self._types.inside(in_declared):
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
