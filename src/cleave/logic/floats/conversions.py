"""Conversions, rounding to integers and comparisons of floating-point numbers as bit-vector terms; see `circuits`."""

from __future__ import annotations

from cleave.logic import terms as t
from cleave.logic.floats import words as w
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.floats.rounding import (
    exponent_width,
    goes_up,
    normal_parts,
    parts_of,
    raw_exponent,
    rounded,
    signed_infinity,
    signed_zero,
    with_nans,
)
from cleave.logic.floats.words import Flag, Word
from cleave.logic.terms import Op


def to_integral(form: Format, mode: Rounding, a: Word) -> Word:
    """Where the highest bit is that of 2^exponent, ``significand - 1 - exponent`` bits are behind the point."""
    x, width, hidden = parts_of(form, a), exponent_width(form), form.significand - 1
    exponent = raw_exponent(form, x, width)
    size_width = form.width - 1
    size, behind = w.low(a, size_width), w.sub(t.bv(hidden, width), exponent)
    is_small = w.signed_below(exponent, t.bv(0, width))  # below one
    shift = t.ite(is_small, t.bv(0, width), behind)
    kept = w.shifted_right(size, shift)
    back = w.shifted_left(kept, shift)
    lost = w.shifted_left(w.sub(size, back), w.sub(t.bv(size_width, width), shift))
    half, more = w.bit(lost, size_width - 1), t.neg(w.is_zero(w.low(lost, size_width - 1)))
    odd = t.ite(t.eq(behind, t.bv(hidden, width)), t.TRUE, w.bit(kept, 0))
    up = goes_up(mode, x.sign, odd, half, more)
    one = t.bv(form.bias << hidden, size_width)
    step = w.shifted_left(t.bv(1, size_width), shift)
    large = t.ite(up, w.add(back, step), back)
    half_one = t.bv((form.bias - 1) << hidden, size_width)
    is_half = t.neg(w.below(size, half_one))
    beyond = t.ite(is_half, t.neg(t.eq(size, half_one)), t.neg(x.is_zero))
    small = t.ite(goes_up(mode, x.sign, t.FALSE, is_half, beyond), one, t.bv(0, size_width))
    is_whole = t.neg(w.signed_below(exponent, t.bv(hidden, width)))
    result = t.ite(is_whole, size, t.ite(is_small, small, large))
    return with_nans(form, [(a, x)], t.FALSE, t.concat(x.sign, result))


# --- conversion -----------------------------------------------------------------------------------------------------


def convert(form: Format, to: Format, mode: Rounding, a: Word) -> Word:
    x = parts_of(form, a)
    exponent, significand = normal_parts(form, x, exponent_width(form))
    result = rounded(to, mode, x.sign, exponent, significand)
    result = t.ite(x.is_infinite, signed_infinity(to, x.sign), t.ite(x.is_zero, signed_zero(to, x.sign), result))
    says, more = w.low(a, form.significand - 1), to.significand - form.significand
    says = w.padded(says, to.significand - 1) if more > 0 else w.top(says, to.significand - 1)
    nan = t.concat(t.concat(x.sign, t.bv(-1, to.exponent)), says)
    return t.ite(x.is_nan, t.bv_binary(Op.BV_OR, nan, t.bv(to.quiet, to.width)), result)


def from_integer(form: Format, mode: Rounding, is_signed: bool, a: Word) -> Word:
    width = a.sort.width
    sign = w.top(a, 1) if is_signed else t.bv(0, 1)
    size = t.ite(t.eq(sign, t.bv(1, 1)), t.bv_unary(Op.BV_NEG, a), a)
    places = max(exponent_width(form), width.bit_length() + 2)
    significand, count = w.normal(size, places)
    exponent = w.sub(t.bv(width - 1, places), count)
    return t.ite(w.is_zero(a), t.bv(0, form.width), rounded(form, mode, sign, exponent, significand))


def of_fixed_point(form: Format, mode: Rounding, sign: Word, size: Word, behind: int) -> Word:
    """Of a number with ``behind`` bits behind the point; the lowest bit may stand for what was cut off."""
    width = size.sort.width
    places = max(exponent_width(form), width.bit_length() + 2)
    significand, count = w.normal(size, places)
    exponent = w.sub(t.bv(width - 1 - behind, places), count)
    return t.ite(w.is_zero(size), signed_zero(form, sign), rounded(form, mode, sign, exponent, significand))


def to_integer(form: Format, mode: Rounding, is_signed: bool, width: int, a: Word) -> Word:
    """In a word with all bits before the point, and as many behind it as a number from one half on has."""
    x = parts_of(form, a)
    bits = max(exponent_width(form), width.bit_length() + 2)
    exponent, point = raw_exponent(form, x, bits), form.significand
    far = w.signed_below(t.bv(width, bits), exponent)
    near = w.signed_below(exponent, t.bv(-1, bits))  # below one half
    shift = t.ite(t.disj(far, near), t.bv(0, bits), w.add(exponent, t.bv(1, bits)))
    whole = w.shifted_left(w.wider(x.raw, width + 2 + point), shift)
    integer = t.ite(near, t.bv(0, width + 2), w.top(whole, width + 2))
    half = t.conj(t.neg(near), w.bit(whole, point - 1))
    more = t.ite(near, t.neg(x.is_zero), t.neg(w.is_zero(w.low(whole, point - 1))))
    up = goes_up(mode, x.sign, w.bit(integer, 0), half, more)
    size = w.add(integer, w.wider(w.as_bit(up), width + 2))
    is_negative = t.eq(x.sign, t.bv(1, 1))
    if is_signed:
        most = t.ite(is_negative, t.bv(1 << (width - 1), width + 2), t.bv((1 << (width - 1)) - 1, width + 2))
    else:
        most = t.ite(is_negative, t.bv(0, width + 2), t.bv((1 << width) - 1, width + 2))
    outside = t.disj(far, x.is_nan, x.is_infinite, w.below(most, size))
    value = w.low(size, width)
    value = t.ite(is_negative, t.bv_unary(Op.BV_NEG, value), value)
    return t.ite(outside, t.bv(1 << (width - 1), width), value)


# --- comparison -----------------------------------------------------------------------------------------------------


def equal(form: Format, a: Word, b: Word) -> Flag:
    x, y = parts_of(form, a), parts_of(form, b)
    return t.conj(t.neg(x.is_nan), t.neg(y.is_nan), t.disj(t.eq(a, b), t.conj(x.is_zero, y.is_zero)))


def less(form: Format, a: Word, b: Word) -> Flag:
    x, y = parts_of(form, a), parts_of(form, b)
    a_negative, b_negative = t.eq(x.sign, t.bv(1, 1)), t.eq(y.sign, t.bv(1, 1))
    alike = t.ite(a_negative, w.below(b, a), w.below(a, b))
    ordered = t.ite(t.eq(x.sign, y.sign), alike, t.conj(a_negative, t.neg(b_negative)))
    return t.conj(t.neg(x.is_nan), t.neg(y.is_nan), t.neg(t.conj(x.is_zero, y.is_zero)), ordered)
