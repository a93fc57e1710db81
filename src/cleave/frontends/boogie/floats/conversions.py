"""From and to floating-point numbers: other formats, integers, reals, bits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.literals import nearest, value_of
from cleave.frontends.boogie.floats.types import (
    RMODE,
    bits_of,
    canonical_bits,
    float_sort,
    format_of,
    is_float,
    is_nan,
    wrapped,
)
from cleave.logic import terms as t
from cleave.logic.floats import operations as f
from cleave.logic.floats import words as w
from cleave.logic.floats.conversions import of_fixed_point
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.sorts import INT, MAX_WIDTH, REAL, Sort, bitvec
from cleave.logic.terms import Op, SortError, Term

OPEN = "@"
"""In the names of functions about which nothing is known; no name of Boogie has it."""


def number(form: Format, bits: Term) -> Term:
    return wrapped(float_sort(form), bits)


def by_mode(mode: Term, make: Callable[[Rounding], Term]) -> Term:
    if mode.sort is not RMODE:
        raise SortError("no rounding mode")
    bits = bits_of(mode)
    if bits.is_value:
        return make(Rounding(bits.value))
    *others, last = Rounding
    found = make(last)
    for one in reversed(others):
        found = t.ite(t.eq(bits, t.bv(one, bits.sort.width)), make(one), found)
    return found


def unknown(name: str, sort: Sort, *arguments: Term) -> Term:
    sizes = "x".join(str(a.sort.width) for a in arguments)
    return t.apply(t.Function(f"{name}{OPEN}{sizes}to{sort.width}", tuple(a.sort for a in arguments), sort), *arguments)


# --- to floating-point numbers --------------------------------------------------------------------------------------


def to_float(form: Format, is_signed: bool, mode: Term, *rest: Term) -> Term:
    """The nearest number of the format; ``mode`` may be left out where only bits are looked at otherwise."""
    if not rest:
        if not mode.sort.is_bitvec or mode.sort.width != form.width:
            raise SortError("as many bits as the format has")
        return number(form, mode)
    (a,) = rest
    return number(form, by_mode(mode, lambda one: _rounded(form, one, is_signed, a)))


def _rounded(form: Format, mode: Rounding, is_signed: bool, a: Term) -> Term:
    if a.sort.is_bitvec:
        return f.from_integer(a, form, is_signed=is_signed, mode=mode)
    if not is_signed:
        raise SortError("a bit vector is needed")
    if is_float(a.sort):
        return f.convert(bits_of(a), format_of(a.sort), form, mode=mode)
    if a.sort is INT:
        a = t.to_real(a)
    if a.sort is not REAL:
        raise SortError("a number is needed")
    if a.is_value:
        return t.bv(nearest(form, mode, Fraction(a.value)), form.width)
    return _of_real(form, mode, a)


def _of_real(form: Format, mode: Rounding, a: Term) -> Term:
    """As a fixed-point number, with two bits behind those that the format has, the second for all that is cut off."""
    whole = a.args[0] if a.op is Op.TO_REAL else None
    before, behind = form.bias + 2, 2 - form.least if whole is None else 0
    if before + behind + 1 > MAX_WIDTH:
        raise UnsupportedError("a real number that is not written out does not become one of so large a format")
    is_negative = t.lt(a, t.real(0))
    if whole is not None:
        size = t.ite(is_negative, t.minus(whole), whole)
        cut = t.FALSE
    else:
        scaled = t.mul(t.ite(is_negative, t.minus(a), a), t.real(1 << behind))
        size = t.to_int(scaled)
        cut = t.neg(t.eq(t.to_real(size), scaled))
    most = t.integer(1 << (before - 1 + behind))
    fits = t.lt(size, most)
    bits = t.int_to_bv(t.ite(fits, size, most), before + behind)
    fixed = w.with_lowest(bits, t.conj(fits, cut))
    return of_fixed_point(form, mode, w.as_bit(is_negative), fixed, behind + 1)


# --- from floating-point numbers ------------------------------------------------------------------------------------


def to_integer(width: int, is_signed: bool, mode: Term, a: Term) -> Term:
    form, bits = format_of(a.sort), bits_of(a)
    found = by_mode(mode, lambda one: f.to_integer(bits, form, width, is_signed=is_signed, mode=one))
    outside = t.neg(by_mode(mode, lambda one: _fits(form, one, bits, width, is_signed)))
    if outside.is_false:
        return found
    name = "fp.to_sbv" if is_signed else "fp.to_ubv"
    other = unknown(name, bitvec(width), bits_of(mode), canonical_bits(a))
    return t.ite(outside, other, found)


def _fits(form: Format, mode: Rounding, bits: Term, width: int, is_signed: bool) -> Term:
    """Whether the number, rounded to an integer, is one of ``width`` bits."""
    whole = f.arithmetic(Op.FP_ROUND, form, bits, mode=mode)
    high = (1 << (width - is_signed)) - 1
    low = -high - 1 if is_signed else 0
    most = t.bv(nearest(form, Rounding.TOWARD_ZERO, Fraction(high)), form.width)
    least = t.bv(nearest(form, Rounding.TOWARD_ZERO, Fraction(low)), form.width)
    above = f.compare(Op.FP_LE, form, least, whole)
    return t.conj(above, f.compare(Op.FP_LE, form, whole, most))


def to_real(a: Term) -> Term:
    form, bits = format_of(a.sort), bits_of(a)
    infinity = t.bv(form.infinity, form.width)
    is_finite = t.bv_compare(Op.BV_ULT, t.bv_binary(Op.BV_AND, bits, infinity), infinity)
    if is_finite.is_true:
        return t.real(value_of(form, bits.value))
    hidden = form.significand - 1
    field, rest = t.extract(bits, form.width - 2, hidden), t.extract(bits, hidden - 1, 0)
    none = w.is_zero(field)
    significand = t.concat(w.as_bit(t.neg(none)), rest)
    place = t.ite(none, field, w.sub(field, w.constant(1, field)))
    found = t.mul(t.to_real(t.bv_to_int(significand)), t.real(Fraction(2) ** form.least))
    for bit in range(form.exponent):
        larger = t.mul(found, t.real(1 << (1 << bit)))
        found = t.ite(w.bit(place, bit), larger, found)
    negative = t.eq(t.extract(bits, form.width - 1, form.width - 1), t.bv(1, 1))
    found = t.ite(negative, t.minus(found), found)
    return t.ite(is_finite, found, unknown("fp.to_real", REAL, canonical_bits(a)))


def to_bits(a: Term) -> Term:
    """Those of a NaN may be any that are one."""
    form, bits = format_of(a.sort), bits_of(a)
    if bits.is_value and is_nan(form, bits).is_false:
        return bits
    some = unknown("fp.to_ieee_bv", bitvec(form.width))
    some = t.ite(is_nan(form, some), some, t.bv(form.invalid, form.width))
    return t.ite(is_nan(form, bits), some, bits)
