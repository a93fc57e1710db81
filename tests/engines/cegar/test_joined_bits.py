"""Single bits become parts of bit vectors."""

from __future__ import annotations

from cleave.engines.cegar.refinement.bits import joined
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term, bv, bv_compare, eq, extract, neg, var

X, Y = var("x", bitvec(8)), var("y", bitvec(8))


def bit(vector: Term, place: int, value: int) -> Term:
    return eq(extract(vector, place, place), bv(value, 1))


def test_runs_are_joined() -> None:
    other = bv_compare(Op.BV_ULT, X, Y)
    found = joined([bit(X, 2, 0), other, bit(X, 0, 1), bit(Y, 5, 1), bit(X, 1, 1), bit(X, 7, 1)])
    assert found == (eq(extract(X, 2, 0), bv(3, 3)), eq(extract(X, 7, 7), bv(1, 1)), bit(Y, 5, 1), other)


def test_all_bits_are_the_vector() -> None:
    bits = [eq(bv(0x5A >> place & 1, 1), extract(X, place, place)) for place in range(8)]
    assert joined(bits) == (eq(X, bv(0x5A, 8)),)


def test_the_rest_stays() -> None:
    apart = (eq(X, Y), neg(bit(X, 0, 1)))
    assert joined(apart) == apart
    assert joined([bit(X, 0, 1), bit(X, 0, 0)]) == (bit(X, 0, 1), bit(X, 0, 0))
