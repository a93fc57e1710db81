"""Each operator on bit vectors as one on integers.

    bvsdiv a b      division of the signed numbers, rounded towards zero
    bvand a 7       a mod 8, whatever the reading
    bvand a b       any number that the conjunction of two such numbers can be

`bitwise` has the last two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    add,
    div,
    eq,
    implies,
    integer,
    ite,
    le,
    lt,
    minus,
    mod,
    mul,
)
from cleave.passes.to_integers.bitwise import OR, XOR, conjunction
from cleave.passes.to_integers.numbers import Number, Reading, Settled, Sheet, constant, plus, times
from cleave.passes.to_integers.numbers import minus as difference

_SIGNED, _UNSIGNED = Reading.SIGNED, Reading.UNSIGNED


def operate(node: Term, args: Sequence[Number], sheet: Sheet) -> Number:
    """A bit vector made of bit vectors."""
    made = _OPERATORS.get(node.op)
    if made is not None:
        return made(args[0], args[1], sheet)
    only = args[0]
    match node.op:
        case Op.BV_NOT:
            return XOR(only, constant(-1, only.width), sheet)
        case Op.BV_NEG:
            return difference(constant(0, only.width), only)
        case Op.CONCAT:
            return _joined(only, args[1], sheet)
        case Op.EXTRACT:
            high, low = node.value
            return _part(only, high, low)
        case Op.ZERO_EXTEND:
            return _widened(sheet.settle(only, _UNSIGNED), node.sort.width)
        case Op.SIGN_EXTEND:
            return _widened(sheet.settle(only, _SIGNED), node.sort.width)
        case _:
            return sheet.any_value(node.sort.width, lambda _: TRUE)


def compare(op: Op, a: Number, b: Number, sheet: Sheet) -> Term:
    """BV_ULT, BV_ULE, BV_SLT or BV_SLE."""
    reading = _UNSIGNED if op in (Op.BV_ULT, Op.BV_ULE) else _SIGNED
    left, right = sheet.settle(a, reading), sheet.settle(b, reading)
    order = lt if op in (Op.BV_ULT, Op.BV_SLT) else le
    return order(left.term, right.term)


def same(a: Number, b: Number, sheet: Sheet) -> Term:
    """Whether two bit vectors are equal; in a reading that needs no conversion, if there is one."""
    fitting = [reading for reading in Reading if _fits(a, reading) and _fits(b, reading)]
    reading = fitting[0] if fitting else a.natural or b.natural or _SIGNED
    left, right = sheet.settle(a, reading).term, sheet.settle(b, reading).term
    for one, other in ((left, right), (right, left)):
        remainder = _remainder_up_to_sign(one)
        if remainder is not None and other is integer(0):
            return eq(remainder, other)
    return eq(left, right)


def _remainder_up_to_sign(term: Term) -> Term | None:
    """``x mod c``, if ``term`` is what `_signed_remainder` made of it: both are zero for the same ``x``."""
    if term.op is not Op.ITE:
        return None
    _, forwards, backwards = term.args
    if forwards.op is Op.MOD and backwards is minus(mod(minus(forwards.args[0]), forwards.args[1])):
        return forwards
    return None


def _fits(number: Number, reading: Reading) -> bool:
    return number.term.is_value or number.is_within(reading)


# --- widths ---------------------------------------------------------------------------------------------------------


def _widened(value: Settled, width: int) -> Number:
    return Number(value.term, width, value.low, value.high, _SIGNED if value.low < 0 else None)


def _part(whole: Number, high: int, low: int) -> Number:
    """Going round in the whole does not matter: the lower bits are the same."""
    width, unit = high - low + 1, 1 << low
    if whole.term.is_value:
        return constant(whole.term.value >> low, width)
    term = div(whole.term, integer(unit)) if low else whole.term
    return Number(term, width, whole.low // unit, whole.high // unit, whole.natural, converted=True)


def _joined(high: Number, low: Number, sheet: Sheet) -> Number:
    width, unit = high.width + low.width, 1 << low.width
    below = sheet.settle(low, _UNSIGNED)
    bounds = high.low * unit + below.low, high.high * unit + below.high
    return Number(add(mul(high.term, integer(unit)), below.term), width, *bounds, high.natural, high.converted)


# --- division -------------------------------------------------------------------------------------------------------


def _unsigned_quotient(a: Number, b: Number, sheet: Sheet) -> Number:
    left, right = sheet.settle(a, _UNSIGNED), sheet.settle(b, _UNSIGNED)
    all_ones = integer((1 << a.width) - 1)
    term = _unless_zero(right, all_ones, div(left.term, right.term))
    high = left.high // max(right.low, 1) if right.low > 0 else (1 << a.width) - 1
    return Number(term, a.width, 0, high, _UNSIGNED)


def _unsigned_remainder(a: Number, b: Number, sheet: Sheet) -> Number:
    left, right = sheet.settle(a, _UNSIGNED), sheet.settle(b, _UNSIGNED)
    term = _unless_zero(right, left.term, mod(left.term, right.term))
    high = min(left.high, right.high - 1) if right.low > 0 else left.high
    return Number(term, a.width, 0, high, _UNSIGNED)


def _signed_quotient(a: Number, b: Number, sheet: Sheet) -> Number:
    """The smallest number by -1 is one too large."""
    left, right = sheet.settle(a, _SIGNED), sheet.settle(b, _SIGNED)
    by_zero = ite(lt(left.term, integer(0)), integer(1), integer(-1))
    term = _unless_zero(right, by_zero, _by_sign(left, lambda x: div(x, right.term)))
    smallest = max(right.low, -right.high, 1)
    largest = max(abs(left.low), abs(left.high), 1) // smallest
    return Number(term, a.width, 0 if left.low >= 0 and right.low > 0 else -largest, largest, _SIGNED)


def _signed_remainder(a: Number, b: Number, sheet: Sheet) -> Number:
    left, right = sheet.settle(a, _SIGNED), sheet.settle(b, _SIGNED)
    term = _unless_zero(right, left.term, _by_sign(left, lambda x: mod(x, right.term)))
    largest = max(abs(left.low), abs(left.high))
    if right.low > 0 or right.high < 0:
        largest = min(largest, max(abs(right.low), abs(right.high)) - 1)
    return Number(term, a.width, 0 if left.low >= 0 else -largest, largest, _SIGNED)


def _by_sign(left: Settled, of: Callable[[Term], Term]) -> Term:
    """SMT-LIB rounds so that remainders are never negative, C towards zero: the same for what is not negative."""
    forwards, backwards = of(left.term), minus(of(minus(left.term)))
    if left.low >= 0:
        return forwards
    return ite(le(integer(0), left.term), forwards, backwards)


def _unless_zero(divisor: Settled, by_zero: Term, result: Term) -> Term:
    return ite(_may_be_zero(divisor), by_zero, result)


def _may_be_zero(divisor: Settled) -> Term:
    return FALSE if divisor.low > 0 or divisor.high < 0 else eq(divisor.term, integer(0))


# --- shifts ---------------------------------------------------------------------------------------------------------


def _shift_left(a: Number, b: Number, sheet: Sheet) -> Number:
    if b.term.is_value:
        by = _UNSIGNED.of(b.term.value, a.width)
        return times(a, Number(integer(1 << by), a.width, 1 << by, 1 << by)) if by < a.width else constant(0, a.width)
    return sheet.any_value(a.width, lambda _: TRUE)


def _shift_right(reading: Reading) -> Callable[[Number, Number, Sheet], Number]:
    def shift(a: Number, b: Number, sheet: Sheet) -> Number:
        value = sheet.settle(a, reading)
        if not b.term.is_value:
            return _shifted_far(a, value, sheet)
        unit = 1 << min(_UNSIGNED.of(b.term.value, a.width), a.width)
        return Number(div(value.term, integer(unit)), a.width, value.low // unit, value.high // unit, reading)

    return shift


def _shifted_far(a: Number, value: Settled, sheet: Sheet) -> Number:
    """By a number of bits that is not known: not beyond where it was, and with the same sign."""
    positive = le(integer(0), value.term)
    return sheet.any_value(a.width, lambda found: implies(positive, le(found, value.term)))


_OPERATORS: dict[Op, Callable[[Number, Number, Sheet], Number]] = {
    Op.BV_ADD: lambda a, b, _: plus(a, b),
    Op.BV_SUB: lambda a, b, _: difference(a, b),
    Op.BV_MUL: lambda a, b, _: times(a, b),
    Op.BV_UDIV: _unsigned_quotient,
    Op.BV_UREM: _unsigned_remainder,
    Op.BV_SDIV: _signed_quotient,
    Op.BV_SREM: _signed_remainder,
    Op.BV_SHL: _shift_left,
    Op.BV_LSHR: _shift_right(_UNSIGNED),
    Op.BV_ASHR: _shift_right(_SIGNED),
    Op.BV_AND: conjunction,
    Op.BV_OR: OR,
    Op.BV_XOR: XOR,
}
