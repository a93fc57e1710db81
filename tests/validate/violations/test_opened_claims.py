"""Variables that stand for what existential quantifiers claim, wherever a claim is made."""

from __future__ import annotations

import pytest

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Term
from cleave.validate.violations.witnesses import with_witnesses

A = t.var("a", BOOL)
X, W = t.var("x", INT), t.var("w", INT)
SOME, ALL = t.exists((X,), t.lt(X, t.integer(3))), t.forall((X,), t.lt(X, t.integer(3)))
OPENED = t.lt(W, t.integer(3))


@pytest.mark.parametrize(
    ("term", "opened"),
    [
        (SOME, OPENED),
        (ALL, ALL),
        (t.neg(ALL), t.neg(OPENED)),
        (t.neg(SOME), t.neg(SOME)),
        (t.conj(A, SOME), t.conj(A, OPENED)),
        (t.disj(A, SOME), t.disj(A, OPENED)),
        (t.implies(A, SOME), t.implies(A, OPENED)),
        (t.implies(ALL, A), t.implies(OPENED, A)),
        (t.implies(SOME, A), t.implies(SOME, A)),
        (t.eq(A, SOME), t.eq(A, SOME)),  # a claim, and its opposite
    ],
    ids=repr,
)
def test_a_claim_is_opened_where_it_is_made(term: Term, opened: Term) -> None:
    assert with_witnesses(term, lambda _: W) is opened


def test_each_variable_gets_its_own() -> None:
    y = t.var("y", INT)
    names = {X: t.var("x1", INT), y: t.var("y1", INT)}
    assert with_witnesses(t.exists((X,), t.exists((y,), t.lt(X, y))), names.__getitem__) is t.lt(names[X], names[y])
