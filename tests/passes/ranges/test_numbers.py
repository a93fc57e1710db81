"""Sets of numbers: what operations say of them holds for each of their elements."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cleave.passes.ranges.numbers import Number

SEEN = range(-40, 41)


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    bounds = st.one_of(st.none(), st.integers(-9, 9))
    step, rest = draw(st.sampled_from([0, 1, 1, 2, 3, 4, 6])), draw(st.integers(-9, 9))
    made = Number.made(draw(bounds), draw(bounds), step, rest)
    assume(made is not None)
    assert made is not None
    return made


def elements(number: Number | None) -> set[int]:
    return set() if number is None else {value for value in SEEN if value in number}


@settings(max_examples=300, deadline=None)
@given(numbers(), numbers(), st.data())
def test_operations_say_what_holds_of_all_elements(a: Number, b: Number, data: st.DataObject) -> None:
    assert elements(a | b) >= elements(a) | elements(b)
    assert elements(a & b) == elements(a) & elements(b)
    assert (a | b).includes(a)
    wide = a.widened(b, [-5, 0, 5])
    assert elements(wide) >= elements(a) | elements(b)
    assume(elements(a) and elements(b))
    x, y = (data.draw(st.sampled_from(sorted(elements(one)))) for one in (a, b))
    assert x + y in a + b
    assert x - y in a - b
    assert x * y in a * b
    assert -x in -a
    assert x // 3 in a.floored(3)


def test_widening_goes_to_the_next_constant_and_then_to_infinity() -> None:
    assert Number(0, 3).widened(Number(0, 4), [0, 10, 20]) == Number(0, 10)
    assert Number(0, 20).widened(Number(0, 21), [0, 10, 20]) == Number(0, None)
    assert Number(0, 4, 2).widened(Number(0, 6, 2), [0, 9]) == Number(0, 8, 2), "the bound is one of the numbers"


def test_equal_sets_are_equal() -> None:
    assert Number.made(1, 9, 4, 3) == Number.made(2, 8, 4, 7)
    assert Number.made(1, 6, 5, 4) == Number.of(4)
    assert Number.made(1, 2, 5, 4) is None
