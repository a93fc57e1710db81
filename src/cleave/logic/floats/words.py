"""Bit-vector terms for `circuits`: short names, and shifts that lose nothing.

A `Word` is a bit vector, a `Flag` a Bool; all are terms.
"""

from __future__ import annotations

from typing import TypeAlias

from cleave.logic import terms as t
from cleave.logic.terms import Op, Term

Word: TypeAlias = Term
Flag: TypeAlias = Term


def add(a: Word, b: Word) -> Word:
    return t.bv_binary(Op.BV_ADD, a, b)


def sub(a: Word, b: Word) -> Word:
    return t.bv_binary(Op.BV_SUB, a, b)


def below(a: Word, b: Word) -> Flag:
    """As unsigned numbers."""
    return t.bv_compare(Op.BV_ULT, a, b)


def signed_below(a: Word, b: Word) -> Flag:
    return t.bv_compare(Op.BV_SLT, a, b)


def constant(value: int, like: Word) -> Word:
    return t.bv(value, like.sort.width)


def is_zero(a: Word) -> Flag:
    return t.eq(a, constant(0, a))


def bit(a: Word, place: int) -> Flag:
    return t.eq(t.extract(a, place, place), t.bv(1, 1))


def as_bit(flag: Flag) -> Word:
    return t.ite(flag, t.bv(1, 1), t.bv(0, 1))


def top(a: Word, count: int) -> Word:
    """The highest bits."""
    return t.extract(a, a.sort.width - 1, a.sort.width - count)


def low(a: Word, count: int) -> Word:
    return t.extract(a, count - 1, 0)


def wider(a: Word, width: int) -> Word:
    return t.zero_extend(a, width - a.sort.width)


def signed_wider(a: Word, width: int) -> Word:
    return t.sign_extend(a, width - a.sort.width)


def padded(a: Word, width: int) -> Word:
    """With zeros below."""
    more = width - a.sort.width
    return t.concat(a, t.bv(0, more)) if more > 0 else a


def shifted_left(a: Word, by: Word) -> Word:
    """By a number of any width."""
    return _shifted(Op.BV_SHL, a, by)


def shifted_right(a: Word, by: Word) -> Word:
    return _shifted(Op.BV_LSHR, a, by)


def _shifted(op: Op, a: Word, by: Word) -> Word:
    width = a.sort.width
    if by.sort.width <= width:
        return t.bv_binary(op, a, wider(by, width))
    far = t.neg(below(by, constant(width, by)))
    return t.ite(far, constant(0, a), t.bv_binary(op, a, low(by, width)))


def cut(a: Word, by: Word) -> Word:
    """Shifted to the right; the lowest bit is set if anything was lost."""
    kept = shifted_right(a, by)
    lost = t.neg(t.eq(shifted_left(kept, by), a))
    return t.bv_binary(Op.BV_OR, kept, wider(as_bit(lost), a.sort.width))


def with_lowest(a: Word, flag: Flag) -> Word:
    """One bit more, below."""
    return t.concat(a, as_bit(flag))


def normal(a: Word, count_width: int) -> tuple[Word, Word]:
    """Shifted to the left until the highest bit is set, and by how many bits; nothing is known of zero."""
    width, count = a.sort.width, t.bv(0, count_width)
    step = 1 << (width - 1).bit_length() >> 1
    while step:
        if step < width:
            empty = is_zero(top(a, step))
            a = t.ite(empty, t.concat(low(a, width - step), t.bv(0, step)), a)
            count = t.bv_binary(Op.BV_OR, count, t.ite(empty, constant(step, count), constant(0, count)))
        step >>= 1
    return a, count
