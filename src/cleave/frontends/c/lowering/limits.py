"""What types, masks and constants say about a term's value, and conditions that use it.

x & 7               0 … 7
(long)(unsigned)x   0 … 2**32 - 1

within(x, 0, 9)     x <= 9, without a sign; `TRUE` for x & 7
"""

from __future__ import annotations

from cleave.frontends.c.lowering import bits
from cleave.logic.terms import FALSE, TRUE, Op, Term, boolean, bv, signed


def limits(term: Term) -> tuple[int, int]:
    """The least and the greatest value of a term, read with a sign."""
    width = term.sort.width
    if term.is_value:
        return signed(term.value, width), signed(term.value, width)
    if term.op is Op.SIGN_EXTEND:
        return limits(term.args[0])
    most = _most(term)
    half = 1 << width - 1
    return (0, most) if most < half else (-half, half - 1)


def _most(term: Term) -> int:
    """The greatest value of a term, read without a sign."""
    width = term.sort.width
    every = (1 << width) - 1
    match term.op:
        case Op.VALUE:
            return int(term.value)
        case Op.ZERO_EXTEND:
            return _most(term.args[0])
        case Op.BV_AND:
            return min(_most(argument) for argument in term.args)
        case Op.BV_UREM if term.args[1].is_value and term.args[1].value:
            return int(term.args[1].value) - 1
        case Op.BV_LSHR if term.args[1].is_value:
            return int(_most(term.args[0]) >> min(term.args[1].value, width))
        case Op.ITE:
            return max(_most(term.args[1]), _most(term.args[2]))
        case Op.BV_ADD | Op.BV_MUL:
            a, b = (_most(argument) for argument in term.args)
            value = a + b if term.op is Op.BV_ADD else a * b
            return min(value, every) if value <= every else every
        case _:
            return every


def within(term: Term, low: int, high: int) -> Term:
    """``low <= term <= high``, with a sign."""
    least, most = limits(term)
    if low <= least and most <= high:
        return TRUE
    if most < low or high < least:
        return FALSE
    if term.op is Op.SIGN_EXTEND:
        return within(term.args[0], low, high)
    width = term.sort.width
    if term.op is Op.ZERO_EXTEND:
        inner = term.args[0]
        return _between(inner, max(low, 0), min(high, (1 << inner.sort.width) - 1))
    if term.is_value:
        return boolean(low <= signed(term.value, width) <= high)
    half = 1 << width - 1
    return _between(term, max(low, -half), min(high, half - 1))


def _between(term: Term, low: int, high: int) -> Term:
    return bits.compare(Op.BV_ULE, bits.plus(term, -low), bv(high - low, term.sort.width))
