"""Literals as rows and back."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cleave.engines.cegar.refinement.linear import Linearizer, Relation, Row, is_linear
from cleave.engines.cegar.refinement.writing import as_formula
from cleave.logic.sorts import BOOL, INT, REAL, array
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Term,
    add,
    disj,
    eq,
    integer,
    ite,
    le,
    lt,
    minus,
    mod,
    mul,
    neg,
    real,
    select,
    sub,
    to_int,
    to_real,
    var,
)

X, Y, U, B, C = var("x", INT), var("y", INT), var("u", REAL), var("b", BOOL), var("c", BOOL)
ORDER = {variable: place for place, variable in enumerate((X, Y, U, B, C))}
TWO, THREE = integer(2), integer(3)


def back(literal: Term) -> list[Term]:
    rows = Linearizer("").rows(literal)
    assert rows is not None
    return [as_formula(row, ORDER) for row in rows]


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        (lt(X, THREE), le(X, TWO)),
        (neg(le(X, THREE)), le(integer(4), X)),
        (le(mul(TWO, X), add(mul(integer(4), Y), THREE)), le(X, add(mul(TWO, Y), integer(1)))),
        (eq(sub(X, Y), minus(X)), eq(mul(TWO, X), Y)),
        (eq(mul(TWO, X), THREE), FALSE),
        (lt(to_real(X), U), lt(to_real(X), U)),
        (lt(mul(real(Fraction(1, 2)), U), real(1)), lt(U, real(2))),
        (B, B),
        (neg(B), neg(B)),
    ],
)
def test_rows(literal: Term, expected: Term) -> None:
    assert back(literal) == [expected]


def test_what_always_holds_is_no_row() -> None:
    assert back(le(X, add(X, integer(1)))) == []


def test_what_is_not_linear() -> None:
    for literal in (
        lt(mul(X, Y), THREE),
        neg(eq(X, Y)),
        le(ite(B, X, Y), THREE),
        eq(B, lt(X, Y)),
        lt(select(var("a", array(INT, INT)), X), Y),
        le(mod(X, Y), TWO),
    ):
        assert not is_linear(literal)


def test_remainders_have_rows_of_their_own() -> None:
    rows = Linearizer("").rows(eq(mod(X, THREE), TWO))
    assert rows is not None
    (quotient,) = {v for row in rows for v in row.coefficients} - {X}
    order = {X: 0, quotient: 1}
    assert [as_formula(row, order) for row in rows] == [
        eq(X, add(mul(THREE, quotient), TWO)),
        le(mul(THREE, quotient), X),
        le(X, add(mul(THREE, quotient), TWO)),
    ]
    assert Linearizer("").rows(le(to_int(U), THREE)) is not None


def test_booleans_are_numbers() -> None:
    rows = Linearizer("").rows(eq(B, neg(C)))
    assert rows is not None
    (row,) = rows
    assert row == Row({B: Fraction(1), C: Fraction(1)}, Fraction(-1), Relation.EQUAL)
    assert as_formula(row, ORDER) == eq(B, neg(C))
    assert as_formula(Row({B: Fraction(1), C: Fraction(-1)}, Fraction(0), Relation.EQUAL), ORDER) == eq(B, C)
    assert as_formula(Row({B: Fraction(1), C: Fraction(-1)}, Fraction(0), Relation.AT_MOST), ORDER) == disj(neg(B), C)
    assert as_formula(Row({B: Fraction(2)}, Fraction(1), Relation.AT_MOST), ORDER) is FALSE
    assert as_formula(Row({B: Fraction(2)}, Fraction(-2), Relation.AT_MOST), ORDER) is TRUE
