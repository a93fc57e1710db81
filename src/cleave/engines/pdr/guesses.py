"""Candidates for invariants, from facts: equations, order, bounds and remainders that hold of all of them.

    (0, 0, 9), (1, 2, 9), (2, 4, 9)        2 * a0 = a1,  a0 <= a1,  a0 < a2,  a0 >= 0,  a2 = 9, ...

Bit vectors are compared as numbers with a sign, and without; equations hold modulo their size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from cleave.logic.sorts import BOOL, INT, Sort
from cleave.logic.terms import (
    Op,
    Term,
    add,
    bv,
    bv_binary,
    bv_compare,
    eq,
    extract,
    integer,
    le,
    lt,
    mod,
    mul,
    neg,
    signed,
)

_MOST_VARIABLES = 12  # in equations, and in pairs
_LARGEST_FACTOR = 64
_LEAST_FACTS = 3

Row = Sequence[int]


def guesses(parameters: Sequence[Term], facts: Sequence[Sequence[Term]]) -> Iterator[Term]:
    """Formulas over the parameters; none if there are too few facts to tell anything."""
    if len(facts) < _LEAST_FACTS:
        return
    for number, parameter in enumerate(parameters):
        if parameter.sort is BOOL and len({fact[number] for fact in facts}) == 1:
            yield parameter if facts[0][number].is_true else neg(parameter)
    sorts = dict.fromkeys(one.sort for one in parameters if one.sort is INT or one.sort.is_bitvec)
    for sort in sorts:
        places = [number for number, one in enumerate(parameters) if one.sort is sort][:_MOST_VARIABLES]
        rows = [[_number(fact[place]) for place in places] for fact in facts]
        variables = [parameters[place] for place in places]
        yield from _equations(sort, variables, rows)
        yield from _single(sort, variables, rows)
        yield from _pairs(sort, variables, rows)


def _number(value: Term) -> int:
    return signed(value.value, value.sort.width) if value.sort.is_bitvec else int(value.value)


def _constant(value: int, sort: Sort) -> Term:
    return integer(value) if sort is INT else bv(value, sort.width)


# --- equations ------------------------------------------------------------------------------------------------------


def _equations(sort: Sort, variables: Sequence[Term], rows: Sequence[Row]) -> Iterator[Term]:
    """A basis of all linear equations that hold of the rows."""
    for vector in _null_space([[*row, 1] for row in rows]):
        if max(map(abs, vector[:-1])) <= _LARGEST_FACTOR:
            yield eq(_sum(sort, variables, vector), _constant(-vector[-1], sort))


def _sum(sort: Sort, variables: Sequence[Term], factors: Sequence[int]) -> Term:
    total: Term | None = None
    for variable, factor in zip(variables, factors, strict=False):
        if factor:
            part = _times(sort, factor, variable)
            total = part if total is None else _plus(sort, total, part)
    assert total is not None
    return total


def _times(sort: Sort, factor: int, variable: Term) -> Term:
    if factor == 1:
        return variable
    constant = _constant(factor, sort)
    return mul(constant, variable) if sort is INT else bv_binary(Op.BV_MUL, constant, variable)


def _plus(sort: Sort, a: Term, b: Term) -> Term:
    return add(a, b) if sort is INT else bv_binary(Op.BV_ADD, a, b)


def _null_space(rows: Sequence[Row]) -> Iterator[list[int]]:
    """Whole vectors that are orthogonal to all rows, and have no common factor; by Gauss."""
    width = len(rows[0])
    reduced: list[tuple[int, list[Fraction]]] = []  # the place of the first entry, which is 1, and the row
    for row in rows:
        left = [Fraction(one) for one in row]
        for place, other in reduced:
            factor = left[place]
            if factor:
                left = [a - factor * b for a, b in zip(left, other, strict=True)]
        first = next((place for place, one in enumerate(left) if one), None)
        if first is None:
            continue
        left = [one / left[first] for one in left]
        reduced = [
            (place, [a - other[first] * b for a, b in zip(other, left, strict=True)]) for place, other in reduced
        ]
        reduced.append((first, left))
    taken = {place for place, _ in reduced}
    for free in range(width):
        if free not in taken:
            vector = [Fraction(0)] * width
            vector[free] = Fraction(1)
            for place, row_of in reduced:
                vector[place] = -row_of[free]
            if any(vector[:-1]):
                yield _whole(vector)


def _whole(vector: Sequence[Fraction]) -> list[int]:
    scale = lcm(*(one.denominator for one in vector))
    numbers = [int(one * scale) for one in vector]
    shared = gcd(*numbers) or 1
    return [one // shared for one in numbers]


# --- one variable, and two ------------------------------------------------------------------------------------------


def _single(sort: Sort, variables: Sequence[Term], rows: Sequence[Row]) -> Iterator[Term]:
    """Bounds, and remainders modulo 2."""
    for place, variable in enumerate(variables):
        values = [row[place] for row in rows]
        least, most = _constant(min(values), sort), _constant(max(values), sort)
        if sort is INT:
            yield from (le(least, variable), le(variable, most))
        else:
            yield from (bv_compare(Op.BV_SLE, least, variable), bv_compare(Op.BV_SLE, variable, most))
        if len({value % 2 for value in values}) == 1:
            odd = values[0] % 2
            is_int = sort is INT
            yield eq(mod(variable, integer(2)), integer(odd)) if is_int else eq(extract(variable, 0, 0), bv(odd, 1))


def _pairs(sort: Sort, variables: Sequence[Term], rows: Sequence[Row]) -> Iterator[Term]:
    """Which variable, or twice which variable, is never larger than which other."""
    for first, second in combinations(range(len(variables)), 2):
        for small, large in ((first, second), (second, first)):
            for factor in (1, 2):
                yield from _ordered(sort, variables[small], variables[large], factor, small, large, rows)


def _ordered(
    sort: Sort, small: Term, large: Term, factor: int, place: int, other: int, rows: Sequence[Row]
) -> Iterator[Term]:
    scaled = _times(sort, factor, small)
    if all(factor * row[place] <= row[other] for row in rows):
        strict = all(factor * row[place] < row[other] for row in rows)
        if sort is INT:
            yield lt(scaled, large) if strict else le(scaled, large)
        else:
            yield bv_compare(Op.BV_SLT if strict else Op.BV_SLE, scaled, large)
    if factor == 2 and all(row[other] <= factor * row[place] for row in rows):
        yield le(large, scaled) if sort is INT else bv_compare(Op.BV_SLE, large, scaled)
    if sort is not INT and factor == 1:
        size = 1 << sort.width
        if all(row[place] % size <= row[other] % size for row in rows):
            yield bv_compare(Op.BV_ULE, small, large)
