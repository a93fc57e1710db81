"""Floating-point numbers taken apart, and put together again with rounding, as bit-vector terms; see `circuits`."""

from __future__ import annotations

from typing import NamedTuple

from cleave.logic import terms as t
from cleave.logic.floats import words as w
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.floats.words import Flag, Word
from cleave.logic.terms import Op


class Parts(NamedTuple):
    """Of a number: ``field`` is its exponent as the format has it, but at least 1; ``raw`` its significand with the bit
    that the format hides, which subnormal numbers don't have."""

    sign: Word
    field: Word
    raw: Word
    is_nan: Flag
    is_infinite: Flag
    is_zero: Flag


def parts_of(form: Format, a: Word) -> Parts:
    width, hidden = form.width, form.significand - 1
    field, rest = t.extract(a, width - 2, hidden), w.low(a, hidden)
    full, none = t.eq(field, w.constant(-1, field)), w.is_zero(field)
    empty = w.is_zero(rest)
    raw = t.concat(w.as_bit(t.neg(none)), rest)
    field = t.ite(none, w.constant(1, field), field)
    return Parts(w.top(a, 1), field, raw, t.conj(full, t.neg(empty)), t.conj(full, empty), t.conj(none, empty))


def exponent_width(form: Format) -> int:
    """Enough for the exponent of any product, quotient and normal number below the format's least."""
    return max(form.exponent, form.significand.bit_length()) + 3


def raw_exponent(form: Format, parts: Parts, width: int) -> Word:
    """Of the highest place of the raw significand."""
    return w.sub(w.wider(parts.field, width), t.bv(form.bias, width))


def normal_parts(form: Format, parts: Parts, width: int) -> tuple[Word, Word]:
    """Exponent and significand, whose highest bit is set unless it is zero."""
    significand, count = w.normal(parts.raw, width)
    return w.sub(raw_exponent(form, parts, width), count), significand


# --- rounding -------------------------------------------------------------------------------------------------------


def goes_up(mode: Rounding, sign: Word, odd: Flag, half: Flag, more: Flag) -> Flag:
    """Whether a size is rounded up: ``half`` is the first bit that is cut off, ``more`` whether there are others."""
    inexact = t.disj(half, more)
    match mode:
        case Rounding.NEAREST_EVEN:
            return t.conj(half, t.disj(more, odd))
        case Rounding.NEAREST_AWAY:
            return half
        case Rounding.UPWARD:
            return t.conj(inexact, t.eq(sign, t.bv(0, 1)))
        case Rounding.DOWNWARD:
            return t.conj(inexact, t.eq(sign, t.bv(1, 1)))
        case _:
            return t.FALSE


def rounded(form: Format, mode: Rounding, sign: Word, exponent: Word, significand: Word) -> Word:
    """The bits of a number with a significand whose highest bit is set, its lowest standing for all that is below."""
    have, want = significand.sort.width, form.significand
    if have < want + 2:
        significand, have = w.padded(significand, want + 2), want + 2
    width = max(exponent.sort.width, exponent_width(form)) + 1
    exponent = w.signed_wider(exponent, width)
    least = t.bv(1 - form.bias, width)
    distance = w.sub(least, exponent)
    small = w.signed_below(exponent, least)
    most = t.bv(want + 1, width)
    distance = t.ite(small, t.ite(w.signed_below(most, distance), most, distance), t.bv(0, width))
    significand = w.cut(significand, distance)
    kept, rest = w.top(significand, want), w.low(significand, have - want)
    half, more = w.bit(rest, have - want - 1), t.neg(w.is_zero(w.low(rest, have - want - 1)))
    up = goes_up(mode, sign, w.bit(kept, 0), half, more)
    # The hidden bit counts as one more of the exponent's field, and so does a carry.
    field = t.ite(small, t.bv(0, width), w.sub(exponent, least))
    size_width = form.width - 1
    size = w.padded(w.low(field, form.exponent), size_width)
    size = w.add(w.add(size, w.wider(kept, size_width)), w.wider(w.as_bit(up), size_width))
    too_large = w.signed_below(t.bv(form.bias, width), exponent)
    full = t.neg(w.below(size, t.bv(form.infinity, size_width)))
    size = t.ite(t.disj(too_large, full), _beyond(form, mode, sign), size)
    return t.concat(sign, size)


def _beyond(form: Format, mode: Rounding, sign: Word) -> Word:
    """What a number that is too large becomes, without its sign."""
    infinity, largest = t.bv(form.infinity, form.width - 1), t.bv(form.infinity - 1, form.width - 1)
    match mode:
        case Rounding.NEAREST_EVEN | Rounding.NEAREST_AWAY:
            return infinity
        case Rounding.TOWARD_ZERO:
            return largest
        case _:
            is_negative = t.eq(sign, t.bv(1, 1))
            return t.ite(is_negative if mode is Rounding.DOWNWARD else t.neg(is_negative), infinity, largest)


def signed_zero(form: Format, sign: Word) -> Word:
    return t.concat(sign, t.bv(0, form.width - 1))


def signed_infinity(form: Format, sign: Word) -> Word:
    return t.concat(sign, t.bv(form.infinity, form.width - 1))


def with_nans(form: Format, operands: list[tuple[Word, Parts]], invalid: Flag, result: Word) -> Word:
    result = t.ite(invalid, t.bv(form.invalid, form.width), result)
    for bits, parts in reversed(operands):
        result = t.ite(parts.is_nan, t.bv_binary(Op.BV_OR, bits, t.bv(form.quiet, form.width)), result)
    return result
