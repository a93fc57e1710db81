"""Folding decides what constants decide and changes no meaning: checked against the evaluator for all values."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value
from cleave.logic.walk import postorder
from cleave.validate.proofs.schedules.fold import choice, constants, element, folded, same
from cleave.validate.semantics.evaluate import World, evaluate

BITS = bitvec(2)
A, B = t.var("a", BOOL), t.var("b", BOOL)
X = t.var("x", BITS)
M = t.var("m", array(BITS, BITS))
EVERY: list[dict[Term, Value]] = [
    {A: a, B: b, X: x, M: MapValue(0, {n: v for n, v in enumerate(row) if v})}
    for a, b, x, row in product((False, True), (False, True), range(4), ((0, 1, 2, 3), (3, 3, 0, 1)))
]


def bits(value: int) -> Term:
    return t.bv(value, 2)


def values(term: Term) -> list[object]:
    def at(state: dict[Term, Value]) -> object:
        return evaluate(term, state.__getitem__, World())

    return [at(state) for state in EVERY]


BOOLS = st.sampled_from([A, B, t.neg(A), t.TRUE, t.FALSE, t.eq(X, bits(1))])
CHOICES = st.recursive(
    st.one_of(st.integers(0, 3).map(bits), st.just(X)),
    lambda inner: st.builds(lambda c, y, z: t.make(Op.ITE, (c, y, z), BITS), BOOLS, inner, inner),
    max_leaves=4,
)
MAPS = st.recursive(
    st.just(M),
    lambda inner: st.one_of(
        st.builds(lambda m, i, v: t.make(Op.STORE, (m, i, v), M.sort), inner, CHOICES, CHOICES),
        st.builds(lambda c, m, n: t.make(Op.ITE, (c, m, n), M.sort), BOOLS, inner, inner),
    ),
    max_leaves=4,
)
TERMS = st.one_of(
    st.builds(lambda op, x, y: t.make(op, (x, y), BITS), st.sampled_from((Op.BV_ADD, Op.BV_MUL)), CHOICES, CHOICES),
    st.builds(
        lambda op, x, y: t.make(op, (x, y), BOOL), st.sampled_from((Op.BV_ULT, Op.BV_SLE, Op.EQ)), CHOICES, CHOICES
    ),
    st.builds(lambda m, i: t.make(Op.SELECT, (m, i), BITS), MAPS, CHOICES),
)


@settings(max_examples=300)
@given(TERMS)
def test_folding_keeps_the_meaning(term: Term) -> None:
    assert values(folded(term, {})) == values(term)


@settings(max_examples=100)
@given(MAPS, CHOICES)
def test_an_element_is_what_a_read_gives(m: Term, index: Term) -> None:
    assert values(element(m, index)) == values(t.make(Op.SELECT, (m, index), BITS))


@settings(max_examples=100)
@given(CHOICES, CHOICES)
def test_same_is_equality(one: Term, other: Term) -> None:
    assert values(same(one, other)) == values(t.make(Op.EQ, (one, other), BOOL))


@settings(max_examples=100)
@given(BOOLS, BOOLS, BOOLS)
def test_a_choice_of_truth_values(condition: Term, then: Term, other: Term) -> None:
    assert values(choice(condition, then, other)) == values(t.make(Op.ITE, (condition, then, other), BOOL))


@pytest.mark.parametrize(
    ("term", "made"),
    [
        (t.make(Op.BV_ADD, (bits(1), bits(2)), BITS), bits(3)),
        (t.make(Op.EQ, (t.ite(A, bits(1), bits(2)), bits(1)), BOOL), A),
        (t.make(Op.BV_ADD, (t.ite(A, bits(1), bits(2)), bits(1)), BITS), t.ite(A, bits(2), bits(3))),
        (t.select(t.make(Op.STORE, (M, bits(1), X), M.sort), bits(2)), t.select(M, bits(2))),
        (t.make(Op.EQ, (X, bits(1)), BOOL), t.eq(X, bits(1))),
    ],
    ids=repr,
)
def test_what_constants_decide_is_decided(term: Term, made: Term) -> None:
    assert folded(term, {}) is made


def test_variables_are_replaced() -> None:
    assert folded(t.make(Op.BV_ADD, (X, bits(1)), BITS), {X: bits(2)}) is bits(3)
    assert same(bits(1), bits(2)) is t.FALSE
    assert same(t.ite(A, bits(1), bits(2)), bits(2)) is t.neg(A)


@settings(max_examples=100)
@given(CHOICES)
def test_the_constants_of_a_choice(term: Term) -> None:
    found = constants(term)
    if found is None:
        assert any(node is X for node in postorder((term,)))
        return
    for state in EVERY:
        taken = [one.value for when, one in found if evaluate(when, state.__getitem__, World()) is True]
        assert taken == [evaluate(term, state.__getitem__, World())]
