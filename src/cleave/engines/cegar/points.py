"""Points: values of a location's variables, as a solver's model has them, and whether predicates hold there.

    x = 3, r = 5/2                     the numbers 6 and 5, over 2
    x + 2 * r <= 7                     6 + 2 * 5 - 7 * 2 <= 0
    x := x - 1                         the number 4, over 2

A linear predicate is turned into rows once for its location, and a linear update into a sum once for its transition; to
look one up is then a sum of products of integers. Other predicates are evaluated term by term, and the values of other
updates are written down with those of the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import TypeAlias

from cleave.engines.cegar.refinement.linear import (
    ONE,
    ZERO,
    Linearizer,
    NonlinearError,
    Relation,
    Row,
    Sum,
    has_quotient,
)
from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Op, Term, value_of
from cleave.logic.walk import substitute
from cleave.smt.z3.model import Z3Model

Numbers: TypeAlias = tuple[Sequence[int], int]
"""Whole numbers, and what they are to be divided by."""


def written(model: Z3Model, terms: Sequence[Term]) -> tuple[str, ...] | None:
    """The values of ``terms``, if all of them are numbers or truths."""
    if any(term.sort not in (BOOL, INT, REAL) for term in terms):
        return None
    try:
        return tuple(map(model.digits, terms))
    except UnsupportedError:  # an irrational number
        return None


class Point:
    """Its numbers are worked out when they are first needed, which is often never."""

    def __init__(self, work_out: Callable[[], Numbers]) -> None:
        self._work_out = work_out
        self._numbers: Numbers | None = None

    def numbers(self) -> Numbers:
        if self._numbers is None:
            self._numbers = self._work_out()
        return self._numbers


def read_numbers(values: Sequence[str]) -> Numbers:
    """Of values that were written down."""
    parts = [value.partition("/") for value in values]
    below = [int(low) if low else 1 for _, _, low in parts]
    scale = lcm(*below)
    return [int(high) * (scale // low) for (high, _, _), low in zip(parts, below, strict=True)], scale


class Step:
    """What a transition makes of the values before it. ``terms`` are those whose values have to be known: variables,
    inputs, and the updates that are not linear."""

    def __init__(self, variables: Sequence[Term], inputs: Sequence[Term], updates: Sequence[Term]) -> None:
        sums = [_linear(update) for update in updates]
        odd = [update for update, found in zip(updates, sums, strict=True) if found is None]
        self.terms = tuple(dict.fromkeys((*variables, *inputs, *odd)))
        places = {term: place for place, term in enumerate(self.terms)}
        known = [found or Sum({update: ONE}, ZERO) for update, found in zip(updates, sums, strict=True)]
        numbers = [number for one in known for number in (one.constant, *one.coefficients.values())]
        self._scale = lcm(*(number.denominator for number in numbers))
        self._sums = [
            (_whole(one.constant, self._scale), _factors(one.coefficients, places, self._scale)) for one in known
        ]

    def taken(self, numbers: Sequence[int], scale: int) -> Numbers:
        """Those after it, of those of the ``terms``."""
        made = [
            constant * scale + sum(factor * numbers[place] for place, factor in factors)
            for constant, factors in self._sums
        ]
        return made, scale * self._scale


@lru_cache(maxsize=10_000)
def _linear(update: Term) -> Sum | None:
    """Transitions have many of their updates in common."""
    if update.sort is BOOL:
        return Sum({}, Fraction(update.value)) if update.is_value else None
    if update.sort not in (INT, REAL) or has_quotient(update):
        return None
    try:
        return Linearizer("").sum(update)
    except NonlinearError:
        return None


def _factors(
    coefficients: Mapping[Term, Fraction], places: Mapping[Term, int], common: int
) -> tuple[tuple[int, int], ...]:
    """As places and whole numbers."""
    return tuple((places[variable], _whole(one, common)) for variable, one in coefficients.items())


def _whole(number: Fraction, common: int) -> int:
    """Times a multiple of its denominator."""
    return number.numerator * (common // number.denominator)


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
        factors = _factors(row.coefficients, self._places, common)
        constant, bound = _whole(row.constant, common), 0 if row.relation is Relation.AT_MOST else -1

        def compares(numbers: Sequence[int], scale: int) -> bool:
            total = constant * scale
            for place, factor in factors:
                total += factor * numbers[place]
            return total <= bound

        def equals(numbers: Sequence[int], scale: int) -> bool:
            return not constant * scale + sum(factor * numbers[place] for place, factor in factors)

        return equals if row.relation is Relation.EQUAL else compares

    def _evaluated(self, predicate: Term, point: Point) -> bool | None:
        numbers, scale = point.numbers()
        values = {v: _value(v, Fraction(numbers[place], scale)) for v, place in self._places.items()}
        found = substitute(predicate, values)
        return bool(found.value) if found.is_value else None


def _value(variable: Term, value: Fraction) -> Term:
    return value_of(value if variable.sort is REAL else int(value), variable.sort)
