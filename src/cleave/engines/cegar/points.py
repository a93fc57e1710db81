"""Points: values of a location's variables, as a solver's model has them, and whether predicates hold there.

    x = 3, r = 5/2                     the numbers 6 and 5, over 2
    x + 2 * r <= 7                     6 + 2 * 5 - 7 * 2 <= 0

A linear predicate is turned into rows once for its location; to look it up is then a sum of products of integers. Other
predicates are evaluated term by term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from cleave.engines.cegar.refinement.linear import Linearizer, Relation, Row, has_quotient
from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Op, Term, value_of
from cleave.logic.walk import substitute
from cleave.smt.solver import Model


def written(model: Model, terms: Sequence[Term]) -> tuple[str, ...] | None:
    """The values of ``terms``, if all of them are numbers or truths."""
    if any(term.sort not in (BOOL, INT, REAL) for term in terms):
        return None
    known: dict[Term, str] = {}
    try:
        for term in terms:
            if term not in known:
                value = term.value if term.is_value else model.value(term)
                known[term] = str(int(value) if term.sort is BOOL else value)
    except UnsupportedError:  # an irrational number
        return None
    return tuple(known[term] for term in terms)


class Point:
    """Values that were written down. They are read when first needed, which is often never."""

    def __init__(self, values: Sequence[str]) -> None:
        self.values = values
        self._numbers: list[int] | None = None
        self._scale = 1

    def numbers(self) -> tuple[list[int], int]:
        """Whole numbers, and what they are to be divided by."""
        if self._numbers is None:
            parts = [value.partition("/") for value in self.values]
            below = [int(low) if low else 1 for _, _, low in parts]
            self._scale = lcm(*below)
            self._numbers = [int(high) * (self._scale // low) for (high, _, _), low in zip(parts, below, strict=True)]
        return self._numbers, self._scale


_Test: TypeAlias = Callable[[Sequence[int], int], bool]
"""Of whole numbers, and what they are to be divided by."""


class LocationPredicates:
    """The predicates of a location, in the order in which they were learned."""

    def __init__(self, variables: Sequence[Term]) -> None:
        self._places = {variable: place for place, variable in enumerate(variables)}
        self.terms: list[Term] = []
        self._tests: dict[int, _Test | None] = {}

    def __len__(self) -> int:
        return len(self.terms)

    def learn(self, predicate: Term) -> None:
        self.terms.append(predicate)

    def holds(self, one: int, point: Point) -> bool | None:
        """None: it can't be told by values alone, as for a division by zero."""
        if one not in self._tests:
            self._tests[one] = self._test(self.terms[one])
        test = self._tests[one]
        return self._evaluated(self.terms[one], point) if test is None else test(*point.numbers())

    def _test(self, predicate: Term) -> _Test | None:
        """None if it is not linear."""
        if has_quotient(predicate):
            return None
        rows, is_positive = Linearizer("").rows(predicate), True
        if rows is None and predicate.op is Op.NOT:  # of an equation
            rows, is_positive = Linearizer("").rows(predicate.args[0]), False
        if rows is None:
            return None
        tests = [self._row_test(row) for row in rows]
        if is_positive and len(tests) == 1:
            return tests[0]
        return lambda numbers, scale: all(test(numbers, scale) for test in tests) is is_positive

    def _row_test(self, row: Row) -> _Test:
        common = lcm(row.constant.denominator, *(one.denominator for one in row.coefficients.values()))
        factors = tuple((self._places[variable], int(one * common)) for variable, one in row.coefficients.items())
        constant, bound = int(row.constant * common), 0 if row.relation is Relation.AT_MOST else -1

        def compares(numbers: Sequence[int], scale: int) -> bool:
            total = constant * scale
            for place, factor in factors:
                total += factor * numbers[place]
            return total <= bound

        def equals(numbers: Sequence[int], scale: int) -> bool:
            return not constant * scale + sum(factor * numbers[place] for place, factor in factors)

        return equals if row.relation is Relation.EQUAL else compares

    def _evaluated(self, predicate: Term, point: Point) -> bool | None:
        values = {variable: _value(variable, point.values[place]) for variable, place in self._places.items()}
        found = substitute(predicate, values)
        return bool(found.value) if found.is_value else None


def _value(variable: Term, value: str) -> Term:
    return value_of(Fraction(value) if variable.sort is REAL else int(value), variable.sort)
