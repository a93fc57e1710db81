"""Operators on floating-point numbers written with bit-vector operators, for solvers that have no such theory.

    (fp.lt a b)      (and (not (nan a)) (not (nan b)) ... (bvult a b) ...)

The ways are the usual ones of hardware: a sum is aligned with three bits more, a product has twice the bits, a quotient
and a root are made bit by bit; `rounding` then rounds a normal significand once, as in `exact`, whose meaning this is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cleave.logic import terms as t
from cleave.logic.floats import conversions as c
from cleave.logic.floats import words as w
from cleave.logic.floats.formats import Format, Rounding
from cleave.logic.floats.rounding import (
    Parts,
    exponent_width,
    normal_parts,
    parts_of,
    raw_exponent,
    rounded,
    signed_infinity,
    signed_zero,
    with_nans,
)
from cleave.logic.floats.words import Word
from cleave.logic.terms import Op, Term

# --- arithmetic -----------------------------------------------------------------------------------------------------


class _Addend(NamedTuple):
    """One whose highest bit is set, or whose exponent is the lowest there is."""

    sign: Word
    exponent: Word
    significand: Word


def _sum(form: Format, mode: Rounding, x: _Addend, y: _Addend) -> Word:
    """Rounded. With three bits more nothing is lost by aligning that one more subtraction could show."""
    larger = t.disj(
        w.signed_below(y.exponent, x.exponent),
        t.conj(t.eq(x.exponent, y.exponent), t.neg(w.below(x.significand, y.significand))),
    )
    a = _Addend(*(t.ite(larger, mine, its) for mine, its in zip(x, y, strict=True)))
    b = _Addend(*(t.ite(larger, its, mine) for mine, its in zip(x, y, strict=True)))
    have = a.significand.sort.width + 4
    one = w.wider(w.padded(a.significand, have - 1), have)
    other = w.cut(w.wider(w.padded(b.significand, have - 1), have), w.sub(a.exponent, b.exponent))
    differ = t.neg(t.eq(a.sign, b.sign))
    total = t.ite(differ, w.sub(one, other), w.add(one, other))
    width = a.exponent.sort.width + 1
    significand, count = w.normal(total, width)
    exponent = w.sub(w.add(w.signed_wider(a.exponent, width), t.bv(1, width)), count)
    sign_of_zero = t.ite(differ, t.bv(int(mode is Rounding.DOWNWARD), 1), a.sign)
    made = rounded(form, mode, a.sign, exponent, significand)
    return t.ite(w.is_zero(total), signed_zero(form, sign_of_zero), made)


def _add(form: Format, mode: Rounding, a: Word, b: Word) -> Word:
    x, y, width = parts_of(form, a), parts_of(form, b), exponent_width(form)
    addends = [_Addend(one.sign, raw_exponent(form, one, width), one.raw) for one in (x, y)]
    result = _sum(form, mode, *addends)
    result = t.ite(x.is_infinite, a, t.ite(y.is_infinite, b, result))
    invalid = t.conj(x.is_infinite, y.is_infinite, t.neg(t.eq(x.sign, y.sign)))
    return with_nans(form, [(a, x), (b, y)], invalid, result)


def _subtract(form: Format, mode: Rounding, a: Word, b: Word) -> Word:
    """As a sum with the other sign; but a NaN keeps its own."""
    negated = t.bv_binary(Op.BV_XOR, b, t.bv(form.sign, form.width))
    quiet = t.bv_binary(Op.BV_OR, b, t.bv(form.quiet, form.width))
    x, y = parts_of(form, a), parts_of(form, b)
    return t.ite(t.conj(y.is_nan, t.neg(x.is_nan)), quiet, _add(form, mode, a, negated))


def _product(form: Format, x: Parts, y: Parts) -> tuple[Word, Word, Word]:
    """Sign, exponent and significand, whose highest bit is set unless it is zero."""
    width = exponent_width(form)
    (e, m), (f, n) = normal_parts(form, x, width), normal_parts(form, y, width)
    both = 2 * form.significand
    product = t.bv_binary(Op.BV_MUL, w.wider(m, both), w.wider(n, both))
    high = w.bit(product, both - 1)
    product = t.ite(high, product, t.concat(w.low(product, both - 1), t.bv(0, 1)))
    exponent = w.add(w.add(e, f), w.wider(w.as_bit(high), width))
    return t.bv_binary(Op.BV_XOR, x.sign, y.sign), exponent, product


def _multiply(form: Format, mode: Rounding, a: Word, b: Word) -> Word:
    x, y = parts_of(form, a), parts_of(form, b)
    sign, exponent, product = _product(form, x, y)
    zero, infinite = t.disj(x.is_zero, y.is_zero), t.disj(x.is_infinite, y.is_infinite)
    result = rounded(form, mode, sign, exponent, product)
    result = t.ite(infinite, signed_infinity(form, sign), t.ite(zero, signed_zero(form, sign), result))
    return with_nans(form, [(a, x), (b, y)], t.conj(zero, infinite), result)


def _fused(form: Format, mode: Rounding, a: Word, b: Word, c: Word) -> Word:
    x, y, z = parts_of(form, a), parts_of(form, b), parts_of(form, c)
    sign, exponent, product = _product(form, x, y)
    width = exponent.sort.width
    lowest = t.bv(1 << (width - 1), width)
    own_exponent, own = normal_parts(form, z, width)
    zero, infinite = t.disj(x.is_zero, y.is_zero), t.disj(x.is_infinite, y.is_infinite)
    wider = [w.signed_wider(one, width + 1) for one in (exponent, own_exponent, lowest)]
    one = _Addend(sign, t.ite(zero, wider[2], wider[0]), t.ite(zero, w.constant(0, product), product))
    other = _Addend(z.sign, t.ite(z.is_zero, wider[2], wider[1]), w.padded(own, 2 * form.significand))
    result = t.ite(z.is_infinite, c, _sum(form, mode, one, other))
    result = t.ite(infinite, signed_infinity(form, sign), result)
    against = t.conj(infinite, z.is_infinite, t.neg(t.eq(sign, z.sign)))
    return with_nans(form, [(a, x), (b, y), (c, z)], t.disj(against, t.conj(zero, infinite)), result)


def _divide(form: Format, mode: Rounding, a: Word, b: Word) -> Word:
    x, y, width = parts_of(form, a), parts_of(form, b), exponent_width(form)
    (e, m), (f, n) = normal_parts(form, x, width), normal_parts(form, y, width)
    have = form.significand + 1
    rest, divisor = w.wider(m, have), w.wider(n, have)
    quotient: Word | None = None
    for _ in range(form.significand + 2):
        fits = t.neg(w.below(rest, divisor))
        quotient = w.as_bit(fits) if quotient is None else w.with_lowest(quotient, fits)
        rest = w.padded(w.low(t.ite(fits, w.sub(rest, divisor), rest), have - 1), have)
    assert quotient is not None
    quotient = w.with_lowest(quotient, t.neg(w.is_zero(rest)))
    high = w.bit(quotient, quotient.sort.width - 1)
    quotient = t.ite(high, quotient, t.concat(w.low(quotient, quotient.sort.width - 1), t.bv(0, 1)))
    exponent = w.sub(w.sub(e, f), w.wider(w.as_bit(t.neg(high)), width))
    sign = t.bv_binary(Op.BV_XOR, x.sign, y.sign)
    result = rounded(form, mode, sign, exponent, quotient)
    result = t.ite(t.disj(x.is_infinite, y.is_zero), signed_infinity(form, sign), result)
    nothing = t.disj(t.conj(x.is_zero, t.neg(y.is_zero)), t.conj(y.is_infinite, t.neg(x.is_infinite)))
    result = t.ite(nothing, signed_zero(form, sign), result)
    invalid = t.disj(t.conj(x.is_zero, y.is_zero), t.conj(x.is_infinite, y.is_infinite))
    return with_nans(form, [(a, x), (b, y)], invalid, result)


def _square_root(form: Format, mode: Rounding, a: Word) -> Word:
    """Two bits of the significand give one of the root."""
    x, width = parts_of(form, a), exponent_width(form)
    exponent, significand = normal_parts(form, x, width)
    odd = w.bit(exponent, 0)
    steps = form.significand + 2
    digits = w.padded(
        t.ite(odd, t.concat(significand, t.bv(0, 1)), w.wider(significand, form.significand + 1)), 2 * steps
    )
    rest, root = t.bv(0, steps + 2), t.bv(0, steps + 2)
    for step in range(steps):
        at = 2 * (steps - step) - 1
        rest = t.concat(w.low(rest, steps), t.extract(digits, at, at - 1))
        trial = t.concat(w.low(root, steps), t.bv(1, 2))
        fits = t.neg(w.below(rest, trial))
        rest = t.ite(fits, w.sub(rest, trial), rest)
        root = t.concat(w.low(root, steps + 1), w.as_bit(fits))
    found = w.with_lowest(w.low(root, steps), t.neg(w.is_zero(rest)))
    halved = t.bv_binary(Op.BV_ASHR, exponent, t.bv(1, width))
    result = rounded(form, mode, t.bv(0, 1), halved, found)
    result = t.ite(t.disj(x.is_zero, x.is_infinite), a, result)
    invalid = t.conj(t.eq(x.sign, t.bv(1, 1)), t.neg(x.is_zero))
    return with_nans(form, [(a, x)], invalid, result)


_WITHIN: dict[Op, Callable[..., Word]] = {
    Op.FP_ADD: _add,
    Op.FP_SUB: _subtract,
    Op.FP_MUL: _multiply,
    Op.FP_DIV: _divide,
    Op.FP_FMA: _fused,
    Op.FP_SQRT: _square_root,
    Op.FP_ROUND: c.to_integral,
}


def circuit(node: Term) -> Term:
    """The term without the operator at its root."""
    form, mode, args = node.value.format, node.value.mode, node.args
    match node.op:
        case Op.FP_EQ:
            return c.equal(form, *args)
        case Op.FP_LT:
            return c.less(form, *args)
        case Op.FP_LE:
            return t.disj(c.less(form, *args), c.equal(form, *args))
        case Op.FP_CONVERT:
            return c.convert(form, node.value.to, mode, *args)
        case Op.FP_FROM_SIGNED | Op.FP_FROM_UNSIGNED:
            return c.from_integer(form, mode, node.op is Op.FP_FROM_SIGNED, *args)
        case Op.FP_TO_SIGNED | Op.FP_TO_UNSIGNED:
            return c.to_integer(form, mode, node.op is Op.FP_TO_SIGNED, node.sort.width, *args)
        case _:
            return _WITHIN[node.op](form, mode, *args)
