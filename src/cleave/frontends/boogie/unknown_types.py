"""Expressions whose types follow from their surroundings.

    o := None();             o: Option int, so that is None of this type
    In(1, Empty())           function In<a>(x: a, s: Set a): bool, so Empty() is a Set int

Until then a variable stands for the expression, with a sort of its own that nothing else has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import NamedTuple

from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.names import Names
from cleave.logic import terms as t
from cleave.logic.sorts import Sort, uninterpreted
from cleave.logic.terms import Term
from cleave.records import dataclass


class _Waiting(NamedTuple):
    make: Callable[[Sort], Term]
    function: str
    parameter: str
    at: int


@dataclass(slots=True, eq=False)
class Unknown:
    source: Source
    names: Names
    _waiting: dict[Sort, _Waiting] = field(default_factory=dict)
    _indexed: dict[Sort, Callable[[list[Sort]], Sort | None]] = field(default_factory=dict)

    def until(self, make: Callable[[Sort], Term], function: str, parameter: str, at: int) -> Term:
        """Stands for what ``make`` makes, when the sort is known."""
        sort = uninterpreted(self.names.fresh("type", "?"))
        self._waiting[sort] = _Waiting(make, function, parameter, at)
        return t.var(sort.name, sort)

    def told_by_indices(self, term: Term, tell: Callable[[list[Sort]], Sort | None]) -> Term:
        """The term, whose sort ``tell`` knows from the sorts of indices if the term is used as a map."""
        self._indexed[term.sort] = tell
        return term

    def as_map(self, term: Term, indices: list[Term]) -> Term:
        """The term, which has these indices."""
        tell = self._indexed.get(term.sort)
        sort = tell([one.sort for one in indices]) if tell is not None and not any(map(self.holds, indices)) else None
        return term if sort is None else self.fit(term, sort)

    def holds(self, term: Term) -> bool:
        return term.sort in self._waiting

    def fit(self, term: Term, sort: Sort) -> Term:
        """The term, which has to have that sort."""
        found = self._waiting.get(term.sort)
        if found is None:
            return term
        if sort in self._waiting:
            self.refuse(term)
        return found.make(sort)

    def alike(self, a: Term, b: Term) -> tuple[Term, Term]:
        """Two terms that have to have the same sort."""
        return self.fit(a, b.sort), self.fit(b, a.sort) if not self.holds(a) else b

    def indices(self, sort: Sort, indices: list[Term]) -> tuple[list[Term], Sort]:
        """Indices of a map of that sort, and the sort of what is there."""
        found: list[Term] = []
        for index in indices:
            found.append(self.fit(index, sort.index))
            sort = sort.element
        return found, sort

    def refuse(self, *terms: Term) -> None:
        """Raises an error if one of them is still unknown."""
        for term in terms:
            if (found := self._waiting.get(term.sort)) is not None:
                where = f"say the type of the result of '{found.function}': nothing says what '{found.parameter}' is"
                raise self.source.unsupported(found.at, where)
