"""Operators on bit vectors whose arguments are constants, or one of them.

(bvadd #x02 #x03)                  #x05
(bvadd x #x00)                     x
(bvadd (bvadd x #x01) #x02)        (bvadd x #x03)
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.logic import terms as t
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term, signed


def fold(node: Term, args: tuple[Term, ...]) -> Term:
    width = args[0].sort.width
    result = FOLDED[node.op](width, *(a.value for a in args))
    return t.boolean(bool(result)) if node.sort is BOOL else t.bv(result, node.sort.width)


def _divided(width: int, a: int, b: int) -> int:
    return (1 << width) - 1 if b == 0 else a // b


def _remainder(width: int, a: int, b: int) -> int:
    return a if b == 0 else a % b


def _signed_divided(width: int, a: int, b: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return 1 if x < 0 else -1
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _signed_remainder(width: int, a: int, b: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return a
    return abs(x) % abs(y) if x >= 0 else -(abs(x) % abs(y))


def _shifted_right(width: int, a: int, b: int) -> int:
    return signed(a, width) >> min(b, width)


FOLDED: dict[Op, Callable[..., int]] = {
    Op.BV_NOT: lambda w, a: ~a,
    Op.BV_NEG: lambda w, a: -a,
    Op.BV_AND: lambda w, a, b: a & b,
    Op.BV_OR: lambda w, a, b: a | b,
    Op.BV_XOR: lambda w, a, b: a ^ b,
    Op.BV_ADD: lambda w, a, b: a + b,
    Op.BV_SUB: lambda w, a, b: a - b,
    Op.BV_MUL: lambda w, a, b: a * b,
    Op.BV_UDIV: _divided,
    Op.BV_UREM: _remainder,
    Op.BV_SDIV: _signed_divided,
    Op.BV_SREM: _signed_remainder,
    Op.BV_SHL: lambda w, a, b: a << b if b < w else 0,
    Op.BV_LSHR: lambda w, a, b: a >> b,
    Op.BV_ASHR: _shifted_right,
    Op.BV_ULT: lambda w, a, b: a < b,
    Op.BV_ULE: lambda w, a, b: a <= b,
    Op.BV_SLT: lambda w, a, b: signed(a, w) < signed(b, w),
    Op.BV_SLE: lambda w, a, b: signed(a, w) <= signed(b, w),
}
NEUTRAL = frozenset(
    (Op.BV_ADD, Op.BV_SUB, Op.BV_OR, Op.BV_XOR, Op.BV_AND, Op.BV_MUL, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR)
)
_COMMUTE = frozenset((Op.BV_ADD, Op.BV_OR, Op.BV_XOR, Op.BV_AND, Op.BV_MUL))


def neutral(op: Op, a: Term, b: Term) -> Term | None:
    """What zero, one or all ones leaves of the other argument."""
    if a.op is Op.VALUE and op in _COMMUTE:
        a, b = b, a
    if b.op is not Op.VALUE:
        return None
    if op is Op.BV_ADD and a.op is Op.BV_ADD and a.args[1].op is Op.VALUE:  # offsets of addresses
        return _sum(a.args[0], a.args[1].value + b.value)
    if b.value == 0:
        return b if op in (Op.BV_AND, Op.BV_MUL) else a
    if op is Op.BV_MUL and b.value == 1:
        return a
    if op is Op.BV_AND and b.value == (1 << b.sort.width) - 1:
        return a
    return t.bv_binary(op, a, b) if op in _COMMUTE and a.op is not Op.ITE else None


def _sum(a: Term, offset: int) -> Term:
    constant = t.bv(offset, a.sort.width)
    return a if constant.value == 0 else t.bv_binary(Op.BV_ADD, a, constant)
