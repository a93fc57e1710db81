"""What operators on floating-point numbers mean, against the processor: Python's floats are doubles, ``struct`` rounds
to single and half precision, and ``math`` has roots."""

from __future__ import annotations

import math
import random
import struct

import pytest

from cleave.logic.floats import exact
from cleave.logic.floats.formats import DOUBLE, HALF, SINGLE, Format, Rounding

NEAREST = Rounding.NEAREST_EVEN
CODES = {HALF: ("<H", "<e"), SINGLE: ("<I", "<f"), DOUBLE: ("<Q", "<d")}


def number(form: Format, bits: int) -> float:
    word, code = CODES[form]
    return float(struct.unpack(code, struct.pack(word, bits))[0])


def bits_of(form: Format, value: float) -> int:
    """Rounded to the format, by the library's own conversion."""
    word, code = CODES[form]
    try:
        return int(struct.unpack(word, struct.pack(code, value))[0])
    except OverflowError:  # of a finite number: what IEEE 754 makes infinite
        return form.infinity | (form.sign if value < 0 else 0)


def operand(form: Format, dice: random.Random) -> int:
    match dice.randrange(4):
        case 0:
            special = (0, 1, (1 << (form.significand - 1)) - 1, 1 << (form.significand - 1), form.infinity)
            near = dice.choice(special) + dice.choice((0, 0, 1, -1))
            return near % form.sign | dice.choice((0, form.sign))
        case 1:
            return dice.getrandbits(form.width)
        case _:
            return bits_of(form, dice.choice((-1, 1)) * dice.random() * 2.0 ** dice.randint(-12, 12))


def same(form: Format, found: int, expected: float) -> bool:
    return exact.is_nan(form, found) if math.isnan(expected) else found == bits_of(form, expected)


@pytest.mark.parametrize("form", [SINGLE, DOUBLE], ids=["single", "double"])
def test_arithmetic_is_that_of_the_processor(form: Format) -> None:
    """A double has more than twice the bits of a single: rounding to it first changes no single result."""
    dice = random.Random(form.width)
    for _ in range(4000):
        a, b = operand(form, dice), operand(form, dice)
        x, y = number(form, a), number(form, b)
        assert same(form, exact.add(form, NEAREST, a, b), x + y)
        assert same(form, exact.subtract(form, NEAREST, a, b), x - y)
        assert same(form, exact.multiply(form, NEAREST, a, b), x * y)
        if y:
            assert same(form, exact.divide(form, NEAREST, a, b), x / y)
        if x >= 0:
            assert same(form, exact.square_root(form, NEAREST, a), math.sqrt(x))
        assert exact.equal(form, a, b) is (x == y)
        assert exact.less(form, a, b) is (x < y)
        assert exact.less_or_equal(form, a, b) is (x <= y)


def test_conversions_are_those_of_the_processor() -> None:
    dice = random.Random(5)
    for _ in range(3000):
        a = operand(DOUBLE, dice)
        value = number(DOUBLE, a)
        for to in (SINGLE, HALF):
            narrow = exact.convert(DOUBLE, to, NEAREST, a)
            assert same(to, narrow, value)
            assert same(DOUBLE, exact.convert(to, DOUBLE, NEAREST, narrow), number(to, narrow))
        integer = dice.randint(-(1 << 63), (1 << 64) - 1) >> dice.randrange(64)
        assert same(DOUBLE, exact.from_integer(DOUBLE, NEAREST, integer), float(integer))
        assert same(SINGLE, exact.from_integer(SINGLE, NEAREST, integer >> 12), float(integer >> 12))
        if math.isfinite(value):
            rounded = math.copysign(float(round(value)), value)
            assert exact.to_integral(DOUBLE, NEAREST, a) == bits_of(DOUBLE, rounded)
            fits = -(1 << 31) <= int(value) < 1 << 31
            expected = int(value) % (1 << 32) if fits else 1 << 31
            assert exact.to_integer(DOUBLE, Rounding.TOWARD_ZERO, True, 32, a) == expected


def test_directions_of_rounding() -> None:
    """Up and down are the neighbours between which the exact sum is; away and zero choose by the sign."""
    up, down, zero = Rounding.UPWARD, Rounding.DOWNWARD, Rounding.TOWARD_ZERO
    one, tiny = bits_of(DOUBLE, 1.0), bits_of(DOUBLE, 1e-300)
    assert exact.add(DOUBLE, up, one, tiny) == one + 1
    assert exact.add(DOUBLE, down, one, tiny) == one == exact.add(DOUBLE, zero, one, tiny)
    assert exact.subtract(DOUBLE, down, one, tiny) == one - 1
    minus_one = one | DOUBLE.sign
    assert exact.subtract(DOUBLE, down, minus_one, tiny) == minus_one + 1
    assert exact.subtract(DOUBLE, zero, minus_one, tiny) == minus_one
    largest = DOUBLE.infinity - 1
    assert exact.add(DOUBLE, down, largest, largest) == largest == exact.add(DOUBLE, zero, largest, largest)
    assert exact.add(DOUBLE, up, largest, largest) == DOUBLE.infinity
    assert exact.subtract(DOUBLE, down, one, one) == DOUBLE.sign
    assert exact.subtract(DOUBLE, up, one, one) == 0
    half = bits_of(DOUBLE, 2.5)
    modes = {mode: number(DOUBLE, exact.to_integral(DOUBLE, mode, half)) for mode in Rounding}
    assert list(modes.values()) == [2.0, 3.0, 3.0, 2.0, 2.0]


def test_a_product_and_a_sum_are_rounded_once() -> None:
    a, b = bits_of(DOUBLE, 1 + 2.0**-30), bits_of(DOUBLE, 1 - 2.0**-30)
    minus_one = bits_of(DOUBLE, -1.0)
    assert exact.add(DOUBLE, NEAREST, exact.multiply(DOUBLE, NEAREST, a, b), minus_one) == 0
    assert number(DOUBLE, exact.fused(DOUBLE, NEAREST, a, b, minus_one)) == -(2.0**-60)


def test_which_nan_a_result_is() -> None:
    """The first operand's, made quiet; a new one has the sign bit set, as on x86-64."""
    signaling, other = SINGLE.infinity | 5, SINGLE.sign | SINGLE.infinity | 9
    one = bits_of(SINGLE, 1.0)
    assert exact.add(SINGLE, NEAREST, signaling, other) == signaling | SINGLE.quiet
    assert exact.subtract(SINGLE, NEAREST, one, other) == other | SINGLE.quiet
    assert (
        exact.divide(SINGLE, NEAREST, 0, 0) == SINGLE.invalid == exact.square_root(SINGLE, NEAREST, one | SINGLE.sign)
    )
