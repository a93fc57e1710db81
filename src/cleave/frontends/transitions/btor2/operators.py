"""BTOR2's operators as terms.

One bit is both a number and a truth value there. Here a truth value ``c`` is kept as ``(ite c #b1 #b0)``, which `truth`
opens again, so that conditions stay Boolean all the way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from cleave.logic import terms as t
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op, Term

BIT = bitvec(1)
_ONE, _ZERO = t.bv(1, 1), t.bv(0, 1)

Build = Callable[..., Term]


def bit(condition: Term) -> Term:
    """A truth value as one bit."""
    return t.ite(condition, _ONE, _ZERO)


def truth(value: Term) -> Term:
    """One bit as a truth value."""
    if value.op is Op.ITE and value.args[1] is _ONE and value.args[2] is _ZERO:
        return value.args[0]
    return t.eq(value, _ONE)


def negated(value: Term) -> Term:
    """Each bit turned over, as a minus before a node's number does."""
    return bit(t.neg(truth(value))) if value.sort is BIT else t.bv_unary(Op.BV_NOT, value)


def _bitwise(op: Op, logical: Callable[[Term, Term], Term]) -> Build:
    def build(a: Term, b: Term) -> Term:
        if a.sort is BIT and b.sort is BIT:
            return bit(logical(truth(a), truth(b)))
        return t.bv_binary(op, a, b)

    return build


def _exclusive(a: Term, b: Term) -> Term:
    return t.neg(t.eq(a, b))


_and, _or = _bitwise(Op.BV_AND, t.conj), _bitwise(Op.BV_OR, t.disj)
_xor = _bitwise(Op.BV_XOR, _exclusive)


def _compared(op: Op, *, swapped: bool = False) -> Build:
    return lambda a, b: bit(t.bv_compare(op, b, a) if swapped else t.bv_compare(op, a, b))


def _equal(a: Term, b: Term) -> Term:
    return bit(t.eq(truth(a), truth(b)) if a.sort is BIT and b.sort is BIT else t.eq(a, b))


def _choice(condition: Term, then: Term, other: Term) -> Term:
    if then.sort is BIT and other.sort is BIT:
        return bit(t.ite(truth(condition), truth(then), truth(other)))
    return t.ite(truth(condition), then, other)


def _constant(value: int, like: Term) -> Term:
    return t.bv(value, like.sort.width)


def _reduced_and(a: Term) -> Term:
    return bit(t.eq(a, _constant(-1, a)))


def _reduced_or(a: Term) -> Term:
    return bit(t.neg(t.eq(a, _constant(0, a))))


def _reduced_xor(a: Term) -> Term:
    return reduce(_xor, [t.extract(a, place, place) for place in range(a.sort.width)])


def _rotated(a: Term, count: Term, forward: Op, backward: Op) -> Term:
    """Where the count is a multiple of the width, the second shift moves everything out."""
    width = _constant(a.sort.width, a)
    if a.sort.width == 1:
        return a
    turn = t.bv_binary(Op.BV_UREM, count, width)  # the width itself fits, as 2 ** width > width
    return t.bv_binary(
        Op.BV_OR, t.bv_binary(forward, a, turn), t.bv_binary(backward, a, t.bv_binary(Op.BV_SUB, width, turn))
    )


def _signed_overflow(op: Op, extra: Callable[[int], int]) -> Build:
    """Whether the result needs more bits than it has."""

    def build(a: Term, b: Term) -> Term:
        width = a.sort.width
        more = extra(width)
        exact = t.bv_binary(op, t.sign_extend(a, more), t.sign_extend(b, more))
        return bit(t.neg(t.eq(exact, t.sign_extend(t.extract(exact, width - 1, 0), more))))

    return build


def _unsigned_overflow(op: Op, extra: Callable[[int], int]) -> Build:
    def build(a: Term, b: Term) -> Term:
        width = a.sort.width
        more = extra(width)
        exact = t.bv_binary(op, t.zero_extend(a, more), t.zero_extend(b, more))
        return bit(t.neg(t.eq(t.extract(exact, width + more - 1, width), t.bv(0, more))))

    return build


def _division_overflow(a: Term, b: Term) -> Term:
    least = _constant(1 << (a.sort.width - 1), a)
    return bit(t.conj(t.eq(a, least), t.eq(b, _constant(-1, b))))


def _binary(op: Op) -> Build:
    return partial(t.bv_binary, op)


def _step(op: Op) -> Build:
    return lambda a: t.bv_binary(op, a, _constant(1, a))


UNARY: dict[str, Build] = {
    "not": negated,
    "inc": _step(Op.BV_ADD),
    "dec": _step(Op.BV_SUB),
    "neg": partial(t.bv_unary, Op.BV_NEG),
    "redand": _reduced_and,
    "redor": _reduced_or,
    "redxor": _reduced_xor,
}

BINARY: dict[str, Build] = {
    "iff": _equal,
    "implies": lambda a, b: bit(t.implies(truth(a), truth(b))),
    "eq": _equal,
    "neq": lambda a, b: negated(_equal(a, b)),
    "ugt": _compared(Op.BV_ULT, swapped=True),
    "ugte": _compared(Op.BV_ULE, swapped=True),
    "ult": _compared(Op.BV_ULT),
    "ulte": _compared(Op.BV_ULE),
    "sgt": _compared(Op.BV_SLT, swapped=True),
    "sgte": _compared(Op.BV_SLE, swapped=True),
    "slt": _compared(Op.BV_SLT),
    "slte": _compared(Op.BV_SLE),
    "and": _and,
    "nand": lambda a, b: negated(_and(a, b)),
    "or": _or,
    "nor": lambda a, b: negated(_or(a, b)),
    "xor": _xor,
    "xnor": lambda a, b: negated(_xor(a, b)),
    "rol": lambda a, b: _rotated(a, b, Op.BV_SHL, Op.BV_LSHR),
    "ror": lambda a, b: _rotated(a, b, Op.BV_LSHR, Op.BV_SHL),
    "sll": _binary(Op.BV_SHL),
    "srl": _binary(Op.BV_LSHR),
    "sra": _binary(Op.BV_ASHR),
    "add": _binary(Op.BV_ADD),
    "sub": _binary(Op.BV_SUB),
    "mul": _binary(Op.BV_MUL),
    "udiv": _binary(Op.BV_UDIV),
    "urem": _binary(Op.BV_UREM),
    "sdiv": _binary(Op.BV_SDIV),
    "srem": _binary(Op.BV_SREM),
    "smod": _binary(Op.BV_SMOD),
    "saddo": _signed_overflow(Op.BV_ADD, lambda width: 1),
    "ssubo": _signed_overflow(Op.BV_SUB, lambda width: 1),
    "smulo": _signed_overflow(Op.BV_MUL, lambda width: width),
    "uaddo": _unsigned_overflow(Op.BV_ADD, lambda width: 1),
    "umulo": _unsigned_overflow(Op.BV_MUL, lambda width: width),
    "usubo": lambda a, b: bit(t.bv_compare(Op.BV_ULT, a, b)),
    "sdivo": _division_overflow,
    "udivo": lambda a, b: _ZERO,
    "concat": t.concat,
    "read": t.select,
}

TERNARY: dict[str, Build] = {"ite": _choice, "write": t.store}
