"""What each of Z3's operators builds in Cleave's terms; by the numbers of ``Z3_decl_kind`` in z3_api.h."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from itertools import pairwise

from cleave.logic import terms as t
from cleave.logic.terms import Op, Term

Build = Callable[[list[Term]], Term]


def _chain(build: Callable[[Term, Term], Term], args: list[Term]) -> Term:
    return reduce(build, args)


def _compare(build: Callable[[Term, Term], Term], args: list[Term]) -> Term:
    return t.conj_all(build(a, b) for a, b in pairwise(args))


def _fixed(build: Callable[..., Term], args: list[Term]) -> Term:
    return build(*args)


def _negated(build: Callable[[list[Term]], Term], args: list[Term]) -> Term:
    return t.neg(build(args))


def _bitwise(op: Op) -> Build:
    return partial(_chain, partial(t.bv_binary, op))


def _swapped(op: Op, args: list[Term]) -> Term:
    return t.bv_compare(op, args[1], args[0])


# Numbers of z3_api.h's Z3_decl_kind.
OPERATORS: dict[int, Build] = {
    0x100: lambda _args: t.TRUE,
    0x101: lambda _args: t.FALSE,
    0x102: partial(_compare, t.eq),
    0x103: partial(_fixed, t.distinct),
    0x104: partial(_fixed, t.ite),
    0x105: t.conj_all,
    0x106: t.disj_all,
    0x107: partial(_compare, t.eq),  # iff
    0x108: partial(_negated, partial(_chain, t.eq)),  # xor
    0x109: partial(_fixed, t.neg),
    0x10A: partial(_fixed, t.implies),
    0x202: partial(_compare, t.le),
    0x203: partial(_compare, t.ge),
    0x204: partial(_compare, t.lt),
    0x205: partial(_compare, t.gt),
    0x206: partial(_chain, t.add),
    0x207: partial(_chain, t.sub),
    0x208: partial(_fixed, t.minus),
    0x209: partial(_chain, t.mul),
    0x20A: partial(_chain, t.real_div),
    0x20B: partial(_chain, t.div),
    0x20D: partial(_fixed, t.mod),
    0x20E: partial(_fixed, t.to_real),
    0x20F: partial(_fixed, t.to_int),
    0x210: lambda args: t.eq(t.to_real(t.to_int(args[0])), args[0]),  # is_int
    0x300: partial(_fixed, t.store),
    0x301: partial(_fixed, t.select),
    0x403: partial(_fixed, partial(t.bv_unary, Op.BV_NEG)),
    0x404: _bitwise(Op.BV_ADD),
    0x405: _bitwise(Op.BV_SUB),
    0x406: _bitwise(Op.BV_MUL),
    0x407: _bitwise(Op.BV_SDIV),
    0x408: _bitwise(Op.BV_UDIV),
    0x409: _bitwise(Op.BV_SREM),
    0x40A: _bitwise(Op.BV_UREM),
    0x40B: _bitwise(Op.BV_SMOD),
    0x411: partial(_fixed, partial(t.bv_compare, Op.BV_ULE)),
    0x412: partial(_fixed, partial(t.bv_compare, Op.BV_SLE)),
    0x413: partial(_swapped, Op.BV_ULE),
    0x414: partial(_swapped, Op.BV_SLE),
    0x415: partial(_fixed, partial(t.bv_compare, Op.BV_ULT)),
    0x416: partial(_fixed, partial(t.bv_compare, Op.BV_SLT)),
    0x417: partial(_swapped, Op.BV_ULT),
    0x418: partial(_swapped, Op.BV_SLT),
    0x419: _bitwise(Op.BV_AND),
    0x41A: _bitwise(Op.BV_OR),
    0x41B: partial(_fixed, partial(t.bv_unary, Op.BV_NOT)),
    0x41C: _bitwise(Op.BV_XOR),
    0x420: partial(_chain, t.concat),
    0x427: lambda args: t.ite(t.eq(*args), t.bv(1, 1), t.bv(0, 1)),  # bvcomp
    0x428: _bitwise(Op.BV_SHL),
    0x429: _bitwise(Op.BV_LSHR),
    0x42A: _bitwise(Op.BV_ASHR),
    0x431: partial(_fixed, t.bv_to_int),
    # division where the divisor is known not to be zero
    0x438: _bitwise(Op.BV_SDIV),
    0x439: _bitwise(Op.BV_UDIV),
    0x43A: _bitwise(Op.BV_SREM),
    0x43B: _bitwise(Op.BV_UREM),
    0x43C: _bitwise(Op.BV_SMOD),
}
