"""Floating-point numbers as Boogie writes them.

0x1.8e0f24e8         1.5: hexadecimal digits, times sixteen to a power; then the format, here float24e8
0NaN24e8  0+oo24e8   what is no number
"""

from __future__ import annotations

import re
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.types import float_sort, wrapped
from cleave.logic import terms as t
from cleave.logic.floats import exact
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.terms import Term

_NUMBER = re.compile(r"0x([0-9a-fA-F]+)\.([0-9a-fA-F]+)e(-?\d+)f(\d+)e(\d+)")
_SPECIAL = re.compile(r"0(NaN|nan|\+oo|-oo)(\d+)e(\d+)")
_MOST_POWER = 10_000  # of sixteen: beyond what any format has


def is_float_literal(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None or _SPECIAL.fullmatch(text) is not None


def float_literal(text: str) -> Term:
    """Raises `ValueError` for a number that the format does not have."""
    match = _SPECIAL.fullmatch(text)
    if match is not None:
        form = known_format(match[3], match[2])
        special = {"+oo": form.infinity, "-oo": form.sign | form.infinity}
        return wrapped(float_sort(form), t.bv(special.get(match[1], form.invalid), form.width))
    match = _NUMBER.fullmatch(text)
    assert match is not None
    form = known_format(match[5], match[4])
    power = int(match[3])
    value = Fraction(int(match[1] + match[2], 16), 16 ** len(match[2]))
    if value and abs(power) > _MOST_POWER:
        raise ValueError("the number is outside of its format")
    value *= Fraction(16) ** power if value else 1
    bits = nearest(form, Rounding.NEAREST_EVEN, value)
    is_subnormal = bits < 1 << (form.significand - 1)
    if bits >= form.infinity or (value and not bits) or (not is_subnormal and value_of(form, bits) != value):
        raise ValueError("the number is outside of its format")
    return wrapped(float_sort(form), t.bv(bits, form.width))


def known_format(exponent: str | int, significand: str | int) -> Format:
    form = Format(int(exponent), int(significand))
    if not form.is_known:
        message = "floating-point types have 3 to 256 bits of significand and 3 to 15 bits of exponent here"
        raise UnsupportedError(message)
    return form


def nearest(form: Format, mode: Rounding, value: Fraction) -> int:
    """The bits of a real number, rounded."""
    more = max(2 * form.significand + 8 + value.denominator.bit_length() - value.numerator.bit_length(), 0)
    quotient, rest = divmod(abs(value.numerator) << more, value.denominator)
    return exact.rounded(form, mode, exact.Number(value < 0, quotient << 1 | (rest != 0), -more - 1))


def value_of(form: Format, bits: int) -> Fraction:
    """Of bits that are finite."""
    number = exact.number(form, bits)
    return Fraction(number.signed) * Fraction(2) ** number.exponent
