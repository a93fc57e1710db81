"""The meaning of each operator on floating-point numbers, on their bits, computed with integers.

    >>> from cleave.logic.floats.formats import DOUBLE, Rounding
    >>> one, three = 0x3FF0000000000000, 0x4008000000000000
    >>> f"{divide(DOUBLE, Rounding.NEAREST_EVEN, one, three):x}"
    '3fd5555555555555'

Results are computed exactly, or with a lowest bit that stands for all that was cut off, and rounded once (`rounded`).
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from cleave.logic.floats.formats import Format, Rounding


class Number(NamedTuple):
    """A finite number: mantissa * 2^exponent, with a sign that zero has as well."""

    is_negative: bool
    mantissa: int
    exponent: int

    @property
    def signed(self) -> int:
        return -self.mantissa if self.is_negative else self.mantissa


# --- taking apart, and rounding ---------------------------------------------------------------------------------------


def is_nan(form: Format, bits: int) -> bool:
    return bits & ~form.sign > form.infinity


def is_infinite(form: Format, bits: int) -> bool:
    return bits & ~form.sign == form.infinity


def is_negative(form: Format, bits: int) -> bool:
    return bool(bits & form.sign)


def nan_of(form: Format, *operands: int) -> int | None:
    """The first operand that is a NaN, made quiet: the result of any operation on it. None if there is none."""
    return next((bits | form.quiet for bits in operands if is_nan(form, bits)), None)


def number(form: Format, bits: int) -> Number:
    """Of bits that are finite."""
    field, low = (bits & ~form.sign) >> (form.significand - 1), bits & ((1 << (form.significand - 1)) - 1)
    if field == 0:
        return Number(is_negative(form, bits), low, form.least)
    return Number(is_negative(form, bits), low | 1 << (form.significand - 1), field - 1 + form.least)


def rounded(form: Format, mode: Rounding, exact: Number) -> int:
    """The lowest bit of the mantissa may stand for what was cut off, if the mantissa has two bits more than needed."""
    sign = form.sign if exact.is_negative else 0
    if exact.mantissa == 0:
        return sign
    unit = max(exact.exponent + exact.mantissa.bit_length() - form.significand, form.least)
    kept = _cut(exact.mantissa, unit - exact.exponent, mode, exact.is_negative)
    if kept.bit_length() > form.significand:
        kept, unit = kept >> 1, unit + 1
    bits = ((unit - form.least) << (form.significand - 1)) + kept
    if bits < form.infinity:
        return sign | bits
    away = mode in (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY)
    away = away or mode is (Rounding.DOWNWARD if exact.is_negative else Rounding.UPWARD)
    return sign | (form.infinity if away else form.infinity - 1)


def _cut(mantissa: int, shift: int, mode: Rounding, negative: bool) -> int:
    """The mantissa without its lowest bits, rounded."""
    if shift <= 0:
        return mantissa << -shift
    kept, rest, half = mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1)
    match mode:
        case Rounding.NEAREST_EVEN:
            up = rest > half or (rest == half and kept & 1 == 1)
        case Rounding.NEAREST_AWAY:
            up = rest >= half
        case Rounding.UPWARD:
            up = rest > 0 and not negative
        case Rounding.DOWNWARD:
            up = rest > 0 and negative
        case _:
            up = False
    return kept + up


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _sum(form: Format, mode: Rounding, x: Number, y: Number) -> int:
    unit = min(x.exponent, y.exponent)
    total = (x.signed << (x.exponent - unit)) + (y.signed << (y.exponent - unit))
    if total == 0:
        both = x.is_negative if x.is_negative == y.is_negative else mode is Rounding.DOWNWARD
        return form.sign if both else 0
    return rounded(form, mode, Number(total < 0, abs(total), unit))


def add(form: Format, mode: Rounding, a: int, b: int) -> int:
    nan = nan_of(form, a, b)
    if nan is not None:
        return nan
    if is_infinite(form, a):
        return form.invalid if b == a ^ form.sign else a
    return b if is_infinite(form, b) else _sum(form, mode, number(form, a), number(form, b))


def subtract(form: Format, mode: Rounding, a: int, b: int) -> int:
    nan = nan_of(form, a, b)
    return add(form, mode, a, b ^ form.sign) if nan is None else nan


def multiply(form: Format, mode: Rounding, a: int, b: int) -> int:
    return fused(form, mode, a, b, (a ^ b) & form.sign)  # a zero of the product's sign changes nothing


def fused(form: Format, mode: Rounding, a: int, b: int, c: int) -> int:
    """a * b + c, rounded once."""
    nan = nan_of(form, a, b, c)
    if nan is not None:
        return nan
    sign = (a ^ b) & form.sign
    if is_infinite(form, a) or is_infinite(form, b):
        if not a & ~form.sign or not b & ~form.sign or (is_infinite(form, c) and c & form.sign != sign):
            return form.invalid
        return sign | form.infinity
    if is_infinite(form, c):
        return c
    x, y = number(form, a), number(form, b)
    product = Number(bool(sign), x.mantissa * y.mantissa, x.exponent + y.exponent)
    return _sum(form, mode, product, number(form, c))


def divide(form: Format, mode: Rounding, a: int, b: int) -> int:
    nan = nan_of(form, a, b)
    if nan is not None:
        return nan
    sign, x, y = (a ^ b) & form.sign, a & ~form.sign, b & ~form.sign
    if x == y and x in (0, form.infinity):
        return form.invalid
    if x == form.infinity or y == 0:
        return sign | form.infinity
    if y == form.infinity:
        return sign
    above, below = number(form, x), number(form, y)
    more = 2 * form.significand + 3
    quotient, rest = divmod(above.mantissa << more, below.mantissa)
    exponent = above.exponent - below.exponent - more - 1
    return rounded(form, mode, Number(bool(sign), quotient << 1 | (rest != 0), exponent))


def square_root(form: Format, mode: Rounding, a: int) -> int:
    nan = nan_of(form, a)
    if nan is not None:
        return nan
    if not a & ~form.sign or a == form.infinity:
        return a
    if a & form.sign:
        return form.invalid
    whole = number(form, a)
    more = 2 * form.significand + 4 + (whole.exponent & 1)
    radicand = whole.mantissa << more
    root = isqrt(radicand)
    exact = Number(False, root << 1 | (root * root != radicand), (whole.exponent - more) // 2 - 1)
    return rounded(form, mode, exact)


def to_integral(form: Format, mode: Rounding, a: int) -> int:
    """Rounded to an integer, in the format; zeros keep the sign."""
    nan = nan_of(form, a)
    if nan is not None:
        return nan
    if is_infinite(form, a):
        return a
    whole = number(form, a)
    kept = _cut(whole.mantissa, max(-whole.exponent, 0), mode, whole.is_negative)
    return rounded(form, mode, Number(whole.is_negative, kept, max(whole.exponent, 0)))


# --- conversion -------------------------------------------------------------------------------------------------------


def convert(form: Format, to: Format, mode: Rounding, a: int) -> int:
    """A NaN keeps its sign and, from its highest bit on, what fits."""
    sign = to.sign if a & form.sign else 0
    if is_nan(form, a):
        low, more = a & (form.quiet - 1), to.significand - form.significand
        return sign | to.infinity | to.quiet | (low << more if more >= 0 else low >> -more)
    if is_infinite(form, a):
        return sign | to.infinity
    return rounded(to, mode, number(form, a))


def from_integer(form: Format, mode: Rounding, value: int) -> int:
    return rounded(form, mode, Number(value < 0, abs(value), 0))


def to_integer(form: Format, mode: Rounding, is_signed: bool, width: int, a: int) -> int:
    """The bits of the integer. Where it does not fit, and of a NaN, the highest bit alone, as x86-64 has it."""
    out = 1 << (width - 1)
    if is_nan(form, a) or is_infinite(form, a):
        return out
    whole = number(form, a)
    size = whole.mantissa << whole.exponent if whole.exponent > 0 else whole.mantissa
    value = _cut(size, max(-whole.exponent, 0), mode, whole.is_negative)
    value = -value if whole.is_negative else value
    lowest, highest = (-out, out - 1) if is_signed else (0, 2 * out - 1)
    return value % (1 << width) if lowest <= value <= highest else out


# --- comparison -------------------------------------------------------------------------------------------------------


def _place(form: Format, a: int) -> int:
    size = a & ~form.sign
    return -size if a & form.sign else size


def equal(form: Format, a: int, b: int) -> bool:
    """Zeros are equal; a NaN equals nothing."""
    return nan_of(form, a, b) is None and _place(form, a) == _place(form, b)


def less(form: Format, a: int, b: int) -> bool:
    return nan_of(form, a, b) is None and _place(form, a) < _place(form, b)


def less_or_equal(form: Format, a: int, b: int) -> bool:
    return nan_of(form, a, b) is None and _place(form, a) <= _place(form, b)
