"""Arrays that are read and written at one of few places are taken apart, and mean what they meant."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.unfolding.simplify import evaluate as simplified
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value
from cleave.logic.walk import postorder
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


BOOLS = st.sampled_from([A, B, t.neg(A), t.eq(X, bits(1))])
PLACES = st.recursive(
    st.one_of(st.integers(0, 3).map(bits), st.just(X)),
    lambda inner: st.builds(lambda c, y, z: t.make(Op.ITE, (c, y, z), BITS), BOOLS, inner, inner),
    max_leaves=4,
)
MAPS = st.recursive(
    st.just(M),
    lambda inner: st.one_of(
        st.builds(lambda m, i, v: t.make(Op.STORE, (m, i, v), M.sort), inner, PLACES, PLACES),
        st.builds(lambda c, m, n: t.make(Op.ITE, (c, m, n), M.sort), BOOLS, inner, inner),
    ),
    max_leaves=4,
)


@settings(max_examples=200)
@given(MAPS, PLACES)
def test_a_read_gives_the_same(m: Term, place: Term) -> None:
    read = t.make(Op.SELECT, (m, place), BITS)
    assert values(simplified(read, {})) == values(read)


def test_a_write_at_one_of_two_places_leaves_the_others_alone() -> None:
    place = t.ite(A, bits(1), bits(2))
    write = t.store(M, place, X)
    assert simplified(t.select(write, bits(3)), {}) is t.select(M, bits(3))
    assert simplified(t.select(write, bits(1)), {}) is t.ite(A, X, t.select(M, bits(1)))


def test_an_operator_goes_into_a_choice_with_many_leaves_of_few_constants() -> None:
    chosen = bits(0)
    for number in range(40):
        chosen = t.ite(t.var(f"c{number}", BOOL), bits(number % 3), chosen)
    less = simplified(t.bv_compare(Op.BV_ULT, chosen, bits(3)), {})
    assert all(node.sort is BOOL for node in postorder((less,)))
