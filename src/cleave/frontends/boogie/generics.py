"""Polymorphic procedures: one procedure for each list of types that calls give the parameters.

    procedure pair<T>(x: T) returns (p: [int]T);
    call p := pair(3);                               calls "pair<int>"

By itself a polymorphic procedure is verified for a type of its own, which is like no other. Where the file has
polymorphic maps, whose elements of two types that are the same may be the same, also for each type that the file has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.evaluator import Evaluator
from cleave.frontends.boogie.headers import Header, HeaderTable
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.polymorphism import MOST_INSTANCES, OTHER, Bindings, in_type
from cleave.frontends.boogie.types import WHOLE, TypeTable, type_name
from cleave.logic.sorts import Sort, uninterpreted
from cleave.records import dataclass

OWN = " of "


def own_types(signature: s.Signature) -> Bindings:
    """What type parameters are where a polymorphic procedure is verified by itself."""
    return {one: uninterpreted(f"{one}{OWN}{signature.name}") for one in signature.type_parameters}


@dataclass(slots=True, eq=False)
class Generics:
    """``headers`` grows by an instance whenever a call needs a new one."""

    source: Source
    types: TypeTable
    evaluator: Evaluator
    table: HeaderTable
    headers: dict[str, Header]
    has_polymorphic_maps: bool
    bindings: dict[str, tuple[Bindings, Bindings]] = field(default_factory=dict)  # of the two signatures
    made_of: dict[str, str] = field(default_factory=dict)  # of an instance: the polymorphic procedure
    _counts: dict[str, int] = field(default_factory=dict)

    def called(self, header: Header, found: Iterable[tuple[s.Type, Sort]], at: int) -> Header:
        """The instance for a call: ``found`` are types in the declaration with what the call has there."""
        parameters = header.declaration.signature.type_parameters
        bound: Bindings = {}
        free = set(parameters)
        # A polymorphic map tells nothing of the parameters: the other types have to come first.
        for written, sort in sorted(found, key=lambda one: isinstance(one[0], s.MapType) and bool(one[0].parameters)):
            if not self.types.instances.unify(written, sort, free, bound):
                raise self.source.error(at, f"procedure '{header.name}' does not take these arguments and results")
        if missing := [one for one in parameters if one not in bound]:
            told = f"nothing tells what '{missing[0]}' is in this call of '{header.name}'"
            raise self.source.unsupported(at, told)
        for sort in bound.values():
            self.types.instances.require(sort, header.name)
        return self._instance(header, [bound[one] for one in parameters])

    def by_itself(self, header: Header) -> list[Header]:
        """The instances as which a procedure is verified that nothing calls."""
        signature = header.declaration.signature
        own = own_types(signature)
        rows = [own]
        if self.has_polymorphic_maps:
            patterns = [one.type for one in (*signature.parameters, *signature.returns)]
            found = self.types.instances.of(signature.type_parameters, patterns, {})
            if found is None:
                told = f"the polymorphic procedure '{header.name}' has more than {MOST_INSTANCES} instances"
                raise self.source.unsupported(signature.at, told)
            rows += [row for row in found if row != own and self._is_of_file(row, patterns)]
        return [self._instance(header, [row[one] for one in signature.type_parameters]) for row in rows]

    def _is_of_file(self, row: Bindings, patterns: Sequence[s.Type]) -> bool:
        """Whether the file has the types that the procedure has then. If not, they are like the procedure's own."""
        if any(sort.name.startswith(OTHER) or OWN in sort.name for sort in row.values()):
            return False
        with self.types.inside(row):
            return all(self.types.instances.knows(self.types.sort(one)) for one in patterns)

    def _instance(self, header: Header, sorts: Sequence[Sort]) -> Header:
        name = f"{header.name}<{', '.join(type_name(one, WHOLE) for one in sorts)}>"
        if name in self.headers:
            return self.headers[name]
        count = self._counts[header.name] = self._counts.get(header.name, 0) + 1
        if count > MOST_INSTANCES:
            at = header.declaration.signature.at
            told = f"the polymorphic procedure '{header.name}' has more than {MOST_INSTANCES} instances"
            raise self.source.unsupported(at, told)
        declared, implemented = header.declaration.signature, header.signature
        both = tuple(dict(zip(one.type_parameters, sorts, strict=True)) for one in (declared, implemented))
        made = Header(name, header.declaration, implemented, header.body, location=header.location)
        self.headers[name] = made
        self.made_of[name] = header.name
        self.bindings[name] = (both[0], both[1])
        self.table.complete(made, *self.bindings[name])
        return made

    def declared(self, header: Header) -> AbstractContextManager[None]:
        """While the declaration is looked at."""
        return self._inside(self.bindings.get(header.name, ({}, {}))[0])

    def implemented(self, header: Header) -> AbstractContextManager[None]:
        """While the implementation is looked at."""
        return self._inside(self.bindings.get(header.name, ({}, {}))[1])

    @contextmanager
    def _inside(self, bound: Bindings) -> Iterator[None]:
        """Values of different types are unequal, but not where a type stands for all that it could be."""
        before = self.evaluator.operators
        is_exact = not any(OWN in sort.name for sort in bound.values())
        if bound and is_exact:
            self.evaluator.operators = in_type(before, self.evaluator.unknown.alike)
        try:
            with self.types.inside(bound):
                yield
        except InputError as error:
            if is_exact:
                raise
            message = f"in a polymorphic procedure: {error.message}"
            raise UnsupportedError(message, file=error.file, line=error.line, column=error.column) from None
        finally:
            self.evaluator.operators = before
