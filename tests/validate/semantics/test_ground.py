"""Formulas over constants are computed without a solver, and what can't be is left as it is."""

from __future__ import annotations

import pytest

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, bitvec
from cleave.logic.terms import Function, Op, Term
from cleave.validate.semantics.ground import constant, determined, holds

A, B = t.var("a", BOOL), t.var("b", BOOL)
X, Y, Z = (t.var(name, INT) for name in "xyz")
V = t.var("v", bitvec(8))


def bits(value: int) -> Term:
    return t.bv(value, 8)


def test_operators_on_constants_are_computed() -> None:
    assert constant(t.bv_binary(Op.BV_ADD, bits(250), bits(10))) is bits(4)
    partly = t.bv_binary(Op.BV_ADD, V, t.bv_binary(Op.BV_MUL, bits(3), bits(5)))
    assert constant(partly) is t.bv_binary(Op.BV_ADD, V, bits(15))


@pytest.mark.parametrize("op", [Op.DIV, Op.MOD])
def test_integers_are_not_divided(op: Op) -> None:
    """By zero, that depends on the whole model."""
    divided = t.make(op, (t.integer(7), t.integer(0)), INT)
    assert constant(divided) is divided


@pytest.mark.parametrize(
    ("formula", "left"),
    [
        (t.conj(t.eq(X, t.integer(3)), t.lt(Y, X)), t.lt(Y, t.integer(3))),
        (t.conj(t.eq(t.integer(3), X), t.lt(Y, X)), t.lt(Y, t.integer(3))),
        (t.conj(t.eq(X, t.integer(3)), t.eq(Y, t.add(X, t.integer(1))), t.lt(Z, Y)), t.lt(Z, t.integer(4))),
        (t.conj(A, t.disj(t.neg(A), t.lt(Y, X))), t.lt(Y, X)),
        (t.conj(t.neg(A), t.disj(A, t.lt(Y, X))), t.lt(Y, X)),
        (A, t.TRUE),
        (t.eq(X, t.integer(3)), t.TRUE),
        (t.conj(t.eq(X, t.integer(3)), t.eq(X, t.integer(4))), t.FALSE),
        (t.conj(A, t.neg(A)), t.FALSE),
        (t.conj(t.eq(X, Y), t.lt(Y, X)), t.conj(t.eq(X, Y), t.lt(Y, X))),
        (t.disj(t.eq(X, t.integer(3)), t.lt(X, Y)), t.disj(t.eq(X, t.integer(3)), t.lt(X, Y))),
    ],
    ids=repr,
)
def test_variables_that_equations_determine_are_replaced(formula: Term, left: Term) -> None:
    assert determined(formula) is left


@pytest.mark.parametrize(
    ("formula", "truth"),
    [
        (t.TRUE, True),
        (t.FALSE, False),
        (t.make(Op.BV_ULT, (bits(1), bits(2)), BOOL), True),
        (t.make(Op.BV_ULT, (bits(2), bits(2)), BOOL), False),
        (t.make(Op.BV_ULT, (V, bits(2)), BOOL), None),
        (t.eq(t.apply(Function("f", (INT,), INT), t.integer(1)), t.integer(1)), None),
        (t.forall((X,), t.lt(X, t.add(X, t.integer(1)))), None),
    ],
    ids=repr,
)
def test_the_truth_of_ground_formulas(formula: Term, truth: bool | None) -> None:
    assert holds(formula) is truth
