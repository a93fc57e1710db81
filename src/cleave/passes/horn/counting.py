"""Variables that grow by a constant in each round of a loop: what they are later, in numbers and in bit vectors.

    x grows by 2        after j rounds      x + 2 * j

Bit vectors wrap around, and a guard such as ``x < n`` says nothing of earlier rounds then. So their loops are taken
only as far as nothing wraps around, as numbers without sign or as numbers with one:

    x grows by 2, without sign      j <= 127  and  x <= x + 2 * j            (eight bits)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cleave.logic.sorts import INT, Sort
from cleave.logic.terms import Op, Term, add, bv, bv_binary, bv_compare, conj, extract, ge, integer, mul, signed
from cleave.records import dataclass


def can_count(sort: Sort) -> bool:
    return sort is INT or sort.is_bitvec


def sort_of_rounds(variables: Iterable[Term]) -> Sort | None:
    """Of what counts the rounds of a loop in which these grow; None if numbers and bit vectors do."""
    sorts = {variable.sort for variable in variables}
    if INT in sorts:
        return INT if len(sorts) == 1 else None
    return max(sorts, key=lambda sort: sort.width)


def constant(value: int, sort: Sort) -> Term:
    return integer(value) if sort is INT else bv(value, sort.width)


def difference(after: int, before: int, sort: Sort) -> int:
    """What is added, the nearest to zero if there are several."""
    return after - before if sort is INT else signed((after - before) % 2**sort.width, sort.width)


def grown(variable: Term, by: int, rounds: Term) -> Term:
    sort = variable.sort
    if sort is INT:
        return add(variable, mul(integer(by), rounds))
    if rounds.is_value:
        return bv_binary(Op.BV_ADD, variable, bv(by * int(rounds.value), sort.width))
    return bv_binary(Op.BV_ADD, variable, bv_binary(Op.BV_MUL, bv(by, sort.width), _as_wide(rounds, sort)))


def later(growth: Mapping[Term, int], rounds: Term) -> dict[Term, Term]:
    return {variable: grown(variable, by, rounds) for variable, by in growth.items()}


@dataclass(frozen=True, slots=True)
class Straight:
    """That ``variable``, a bit vector that grows by ``by``, does not wrap around in so many rounds."""

    variable: Term
    by: int
    with_sign: bool

    def condition(self, rounds: Term) -> Term:
        width = self.variable.sort.width
        most = bv((2**width - 1) // abs(self.by), rounds.sort.width)
        end = grown(self.variable, self.by, rounds)
        low, high = (self.variable, end) if self.by > 0 else (end, self.variable)
        compared = bv_compare(Op.BV_SLE if self.with_sign else Op.BV_ULE, low, high)
        return conj(bv_compare(Op.BV_ULE, rounds, most), compared)


def _as_wide(rounds: Term, sort: Sort) -> Term:
    return rounds if rounds.sort is sort else extract(rounds, sort.width - 1, 0)


def at_least_one(rounds: Term) -> Term:
    one = constant(1, rounds.sort)
    return bv_compare(Op.BV_ULE, one, rounds) if rounds.sort.is_bitvec else ge(rounds, one)
