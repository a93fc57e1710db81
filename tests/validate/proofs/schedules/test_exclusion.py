"""Successors of a block whose conditions exclude each other need no choice. To take two for exclusive that are not
would leave executions out of what is checked."""

from __future__ import annotations

import pytest

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Term
from cleave.validate.proofs.schedules.unfold import _exclude_each_other

A, B, C = (t.var(name, BOOL) for name in "abc")
X, Y = t.var("x", INT), t.var("y", INT)
ONE, TWO = t.integer(1), t.integer(2)


@pytest.mark.parametrize(
    "conditions",
    [
        (),
        (A,),
        (A, t.neg(A)),
        (t.conj(A, B), t.neg(A)),
        (t.conj(A, B), t.conj(C, t.neg(B))),
        (t.eq(X, ONE), t.eq(X, TWO)),
        (t.conj(A, t.eq(X, ONE)), t.conj(B, t.eq(TWO, X))),
        (t.conj(A, B), t.conj(A, t.neg(B)), t.neg(A)),
    ],
    ids=repr,
)
def test_these_exclude_each_other(conditions: tuple[Term, ...]) -> None:
    assert _exclude_each_other(conditions)
    assert _exclude_each_other(conditions[::-1])


@pytest.mark.parametrize(
    "conditions",
    [
        (A, A),
        (A, B),
        (t.neg(A), t.neg(A)),
        (t.neg(A), t.neg(B)),
        (t.disj(A, B), t.neg(A)),
        (t.disj(A, B), t.disj(t.neg(A), C)),
        (t.conj(A, B), t.conj(A, C)),
        (t.eq(X, ONE), t.eq(X, ONE)),
        (t.eq(X, ONE), t.eq(Y, TWO)),
        (t.eq(X, Y), t.eq(X, ONE)),
        (t.lt(X, ONE), t.eq(X, TWO)),
        (A, t.neg(A), B),
        (t.neg(t.conj(A, B)), t.conj(A, C)),
    ],
    ids=repr,
)
def test_these_may_hold_together(conditions: tuple[Term, ...]) -> None:
    assert not _exclude_each_other(conditions)
    assert not _exclude_each_other(conditions[::-1])
