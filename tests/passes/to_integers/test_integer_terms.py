"""A term over integers means what the term over bit vectors means, wherever its condition holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import UnsupportedError
from cleave.ir.program import Location, old
from cleave.logic.sorts import INT
from cleave.logic.terms import Function, Term, apply, bv, eq, var
from cleave.logic.values import MapValue, Value, map_value
from cleave.passes.to_integers import bitwise
from cleave.passes.to_integers.numbers import Reading
from cleave.passes.to_integers.terms import Terms, over_integers
from cleave.validate.semantics.evaluate import World, evaluate
from support.bit_terms import TABLE, TERMS, VARIABLES, WIDTH

READINGS = st.fixed_dictionaries({v: st.sampled_from(Reading) for v in (*VARIABLES, TABLE)})
ELEMENTS = st.lists(st.integers(0, 7), min_size=8, max_size=8)


@settings(max_examples=200, deadline=None)
@given(
    TERMS,
    READINGS,
    st.sampled_from(Reading),
    st.booleans(),
    st.sampled_from((0, 1, 4)),
    st.tuples(*[st.integers(0, 7)] * 3),
    ELEMENTS,
)
def test_integers_mean_what_bits_mean(
    term: Term,
    readings: dict[Term, Reading],
    wanted: Reading,
    wraps: bool,
    longest_mask: int,
    numbers: tuple[int, int, int],
    table: list[int],
) -> None:
    """What has no counterpart is any value of which the facts hold: the right one must be among them."""
    bits: dict[Term, Value] = {**dict(zip(VARIABLES, numbers, strict=True)), TABLE: _map(dict(enumerate(table)))}
    expected = evaluate(term, bits.__getitem__, World())
    assert isinstance(expected, int)
    terms = _terms(readings.__getitem__, wraps=wraps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bitwise, "LONGEST_MASK", longest_mask)
        found = terms.value(term, wanted)
    assert terms.condition.is_true or not wraps
    pairs = zip(VARIABLES, numbers, strict=True)
    values: dict[Term, Value] = {over_integers(v): readings[v].of(n, WIDTH) for v, n in pairs}
    elements = {Reading.SIGNED.of(at, WIDTH): readings[TABLE].of(n, WIDTH) for at, n in enumerate(table)}
    values[over_integers(TABLE)] = _map(elements)
    for chosen in product(range(64), repeat=min(len(terms.chosen), 2)):
        values |= {**dict.fromkeys(terms.chosen, 0), **dict(zip(terms.chosen, chosen, strict=False))}
        if all(evaluate(fact, values.__getitem__, World()) for fact in terms.facts):
            if not evaluate(terms.condition, values.__getitem__, World()):
                return
            if evaluate(found, values.__getitem__, World()) == wanted.of(expected, WIDTH):
                return
    assert len(terms.chosen) > 2


@pytest.mark.parametrize(
    ("term", "what"),
    [
        (eq(TABLE, TABLE), ""),
        (eq(TABLE, var("other", TABLE.sort)), "comparisons of whole arrays"),
        (old(VARIABLES[0]), "former values"),
        (apply(Function("f", (INT,), VARIABLES[0].sort), var("n", INT)), "uninterpreted functions"),
    ],
)
def test_what_integers_cannot_say_is_refused_with_its_place(term: Term, what: str) -> None:
    terms = Terms(lambda _: Reading.SIGNED, lambda: var("any", INT), Location("x.c", 3, 7), wraps=False)
    if not what:
        assert terms.value(term, Reading.SIGNED).is_true
        return
    with pytest.raises(UnsupportedError, match=what) as refused:
        terms.value(term, Reading.SIGNED)
    assert (refused.value.file, refused.value.line) == ("x.c", 3)


def test_a_constant_is_read_as_its_target() -> None:
    terms = _terms(lambda _: Reading.SIGNED, wraps=False)
    assert terms.value(bv(7, WIDTH), Reading.SIGNED).value == -1
    assert terms.value(bv(7, WIDTH), Reading.UNSIGNED).value == 7


def _terms(reading: Callable[[Term], Reading], *, wraps: bool) -> Terms:
    numbers = iter(range(100))
    return Terms(reading, lambda: var(f"chosen{next(numbers)}", INT), None, wraps=wraps)


def _map(entries: Mapping[int, int]) -> MapValue:
    values: dict[Value, Value] = dict(entries.items())
    return map_value(INT, 0, values)
