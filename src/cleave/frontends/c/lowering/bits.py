"""Bit-vector terms with the folding that C needs: constants, and the 0 or 1 that a comparison becomes.

    >>> from cleave.logic.terms import lt, var
    >>> from cleave.logic.sorts import BOOL
    >>> c = var("c", BOOL)
    >>> differ(extend_bool(c, 32), bv(0, 32))
    c

LLVM's i1 is the sort Bool here, so that conditions stay conditions.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.logic.sorts import BOOL, Sort, bitvec
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    boolean,
    bv,
    bv_binary,
    bv_compare,
    bv_unary,
    concat,
    conj,
    disj,
    eq,
    extract,
    ite,
    neg,
    sign_extend,
    signed,
    zero_extend,
)


def sort_of_width(width: int) -> Sort:
    return BOOL if width == 1 else bitvec(width)


def extend_bool(condition: Term, width: int, one: int = 1) -> Term:
    """``one`` where ``condition`` holds, else 0."""
    return ite(condition, bv(one, width), bv(0, width))


def _is_choice(term: Term) -> bool:
    return term.op is Op.ITE and term.args[1].is_value and term.args[2].is_value


def _through(term: Term, function: Callable[[Term], Term]) -> Term | None:
    """``function`` inside a choice between two constants."""
    if not _is_choice(term):
        return None
    condition, then, other = term.args
    return ite_bool(condition, function(then), function(other))


def ite_bool(condition: Term, then: Term, other: Term) -> Term:
    if then is TRUE and other is FALSE:
        return condition
    if then is FALSE and other is TRUE:
        return neg(condition)
    if then.sort is BOOL:
        if then is TRUE:
            return disj(condition, other)
        if other is FALSE:
            return conj(condition, then)
    return ite(condition, then, other)


def same(a: Term, b: Term) -> Term:
    if a.is_value and not b.is_value:
        a, b = b, a
    if b.is_value:
        folded = _through(a, lambda part: eq(part, b))
        if folded is not None:
            return folded
        if a.op is Op.ZERO_EXTEND:
            inner = a.args[0]
            if b.value >> inner.sort.width:
                return FALSE
            return same(inner, bv(b.value, inner.sort.width))
    return eq(a, b)


def differ(a: Term, b: Term) -> Term:
    return neg(same(a, b))


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _shift_amount(b: int, width: int) -> int:
    return min(b, width)


def _truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _fold(op: Op, a: int, b: int, width: int) -> int | None:
    """The value where both are constants; None leaves it to the solver (division by zero)."""
    left, right = signed(a, width), signed(b, width)
    match op:
        case Op.BV_ADD:
            return a + b
        case Op.BV_SUB:
            return a - b
        case Op.BV_MUL:
            return a * b
        case Op.BV_AND:
            return a & b
        case Op.BV_OR:
            return a | b
        case Op.BV_XOR:
            return a ^ b
        case Op.BV_SHL:
            return a << _shift_amount(b, width)
        case Op.BV_LSHR:
            return a >> _shift_amount(b, width)
        case Op.BV_ASHR:
            return left >> _shift_amount(b, width)
        case Op.BV_UDIV:
            return a // b if b else None
        case Op.BV_UREM:
            return a % b if b else None
        case Op.BV_SDIV:
            return _truncated_quotient(left, right) if right else None
        case Op.BV_SREM:
            return left - right * _truncated_quotient(left, right) if right else None
        case _:
            return None


_UNIT_ON_THE_RIGHT = {
    **dict.fromkeys((Op.BV_ADD, Op.BV_SUB, Op.BV_OR, Op.BV_XOR, Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR), 0),
    **dict.fromkeys((Op.BV_MUL, Op.BV_UDIV, Op.BV_SDIV), 1),
}
_COMMUTATIVE = frozenset((Op.BV_ADD, Op.BV_MUL, Op.BV_AND, Op.BV_OR, Op.BV_XOR))


def binary(op: Op, a: Term, b: Term) -> Term:
    width = a.sort.width
    if a.is_value and b.is_value:
        value = _fold(op, a.value, b.value, width)
        if value is not None:
            return bv(value, width)
    if a.is_value and op in _COMMUTATIVE:
        a, b = b, a
    if b.is_value:
        if _UNIT_ON_THE_RIGHT.get(op) == b.value:
            return a
        if b.value == 0 and op in (Op.BV_AND, Op.BV_MUL):
            return b
        if b.value == (1 << width) - 1 and op is Op.BV_AND:
            return a
        if op is Op.BV_SUB:  # one shape for constant offsets
            return binary(Op.BV_ADD, a, bv(-b.value, width))
        if op is Op.BV_ADD and a.op is Op.BV_ADD and a.args[1].is_value:
            return binary(Op.BV_ADD, a.args[0], bv(a.args[1].value + b.value, width))
        folded = _through(a, lambda part: binary(op, part, b)) if op is not Op.BV_UDIV else None
        if folded is not None and _is_choice(folded):
            return folded
    return bv_binary(op, a, b)


def add(a: Term, b: Term) -> Term:
    return binary(Op.BV_ADD, a, b)


def plus(a: Term, offset: int) -> Term:
    return binary(Op.BV_ADD, a, bv(offset, a.sort.width))


def mul(a: Term, b: Term) -> Term:
    return binary(Op.BV_MUL, a, b)


def negate(a: Term) -> Term:
    return bv(-a.value, a.sort.width) if a.is_value else bv_unary(Op.BV_NEG, a)


# --- comparison -----------------------------------------------------------------------------------------------------


def compare(op: Op, a: Term, b: Term) -> Term:
    """BV_ULT, BV_ULE, BV_SLT or BV_SLE."""
    if a is b:
        return boolean(op in (Op.BV_ULE, Op.BV_SLE))
    if a.is_value and b.is_value:
        width = a.sort.width
        is_signed = op in (Op.BV_SLT, Op.BV_SLE)
        left, right = (signed(v.value, width) if is_signed else v.value for v in (a, b))
        return boolean(left < right if op in (Op.BV_ULT, Op.BV_SLT) else left <= right)
    folded = None
    if b.is_value:
        folded = _through(a, lambda part: compare(op, part, b))
    elif a.is_value:
        folded = _through(b, lambda part: compare(op, a, part))
    return folded if folded is not None else bv_compare(op, a, b)


# --- widths ---------------------------------------------------------------------------------------------------------


def to_bits(term: Term) -> Term:
    """A Bool as one bit; anything else as it is."""
    return extend_bool(term, 1) if term.sort is BOOL else term


def from_bits(term: Term) -> Term:
    """One bit as a Bool."""
    if term.sort is not BOOL and term.sort.width == 1:
        return same(term, bv(1, 1))
    return term


def zero_extended(term: Term, width: int) -> Term:
    if term.sort is BOOL:
        return extend_bool(term, width)
    if term.sort.width == width:
        return term
    if term.op is Op.ZERO_EXTEND:
        return zero_extended(term.args[0], width)
    folded = _through(term, lambda part: zero_extend(part, width - part.sort.width))
    return folded if folded is not None else zero_extend(term, width - term.sort.width)


def sign_extended(term: Term, width: int) -> Term:
    if term.sort is BOOL:
        return extend_bool(term, width, -1)
    if term.sort.width == width:
        return term
    if term.op is Op.ZERO_EXTEND:  # the sign bit is 0
        return zero_extended(term.args[0], width)
    folded = _through(term, lambda part: sign_extend(part, width - part.sort.width))
    return folded if folded is not None else sign_extend(term, width - term.sort.width)


def truncated(term: Term, width: int) -> Term:
    """The low bits; one bit is a Bool."""
    if term.sort is BOOL or term.sort.width == width:
        return term
    return from_bits(part(term, width - 1, 0))


def part(term: Term, high: int, low: int) -> Term:
    """Bits ``high`` down to ``low`` of a bit vector."""
    while True:
        if term.op is Op.EXTRACT:
            below = term.value[1]
            term, high, low = term.args[0], high + below, low + below
        elif term.op is Op.CONCAT:
            split = term.args[1].sort.width
            if high < split:
                term = term.args[1]
            elif low >= split:
                term, high, low = term.args[0], high - split, low - split
            else:
                break
        elif term.op in (Op.ZERO_EXTEND, Op.SIGN_EXTEND) and high < term.args[0].sort.width:
            term = term.args[0]
        else:
            break
    if term.op is Op.ZERO_EXTEND and low == 0 and high >= term.args[0].sort.width:
        return zero_extended(term.args[0], high + 1)
    folded = _through(term, lambda choice: extract(choice, high, low))
    return folded if folded is not None else extract(term, high, low)


def joined(parts: list[Term]) -> Term:
    """The parts, the lowest first, as one bit vector."""
    whole = parts[0]
    for piece in parts[1:]:
        whole = _joined_two(piece, whole)
    return whole


def _joined_two(high: Term, low: Term) -> Term:
    """Two neighbouring extracts of one term are one extract."""
    of_one = high.op is Op.EXTRACT and low.op is Op.EXTRACT and high.args[0] is low.args[0]
    if of_one and high.value[1] == low.value[0] + 1:
        return extract(high.args[0], high.value[0], low.value[1])
    return concat(high, low)
