"""The range of a term, from the ranges of its variables.

    x: 0..9       bvadd x 1: 1..10       bvslt x 10: true       ite (= x 3) 5 7: 5..7 step 2

A term of another kind may have any value of its sort.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.passes.ranges.numbers import Number
from cleave.passes.ranges.values import MAYBE, NO, YES, Range, every, of_bits, of_integer, wrapped

State = Mapping[Term, Range]
"""Ranges of variables; of those that are not in it, nothing is known."""


def evaluate(term: Term, state: State, memo: dict[Term, Range | None] | None = None) -> Range | None:
    """None for sorts that have no ranges. ``memo`` is of the same state."""
    found: dict[Term, Range | None] = {} if memo is None else memo
    if term not in found:
        for node in postorder((term,)):
            if node not in found:
                found[node] = _evaluated(node, state, found)
    return found[term]


def _evaluated(node: Term, state: State, found: Mapping[Term, Range | None]) -> Range | None:
    if node.op is Op.VAR:
        return state.get(node) or every(node.sort)
    whole = every(node.sort)
    if whole is None:
        return None
    if node.op is Op.VALUE:
        return of_bits(whole.width, node.value) if whole.width else of_integer(Number.of(int(node.value)))
    rule = _RULES.get(node.op)
    if rule is None:
        return whole
    ranges = [found.get(one) for one in node.args]
    known = [one for one in ranges if one is not None]
    if len(known) < len(ranges):
        return whole
    return rule(node, *known) or whole


_Rule = Callable[..., "Range | None"]


def _truth(is_true: bool, is_false: bool) -> Range:
    return YES if is_true else NO if is_false else MAYBE


def _not(_: Term, a: Range) -> Range:
    return _truth(a.value == 0, a.value == 1)


def _and(_: Term, *parts: Range) -> Range:
    return _truth(all(one.value == 1 for one in parts), any(one.value == 0 for one in parts))


def _or(_: Term, *parts: Range) -> Range:
    return _truth(any(one.value == 1 for one in parts), all(one.value == 0 for one in parts))


def _implies(_: Term, a: Range, b: Range) -> Range:
    return _truth(a.value == 0 or b.value == 1, a.value == 1 and b.value == 0)


def _ite(_: Term, condition: Range, then: Range, other: Range) -> Range:
    return then | other if condition.value is None else then if condition.value else other


def _equal(_: Term, *parts: Range) -> Range | None:
    if len(parts) != 2:
        return None
    a, b = parts
    return _truth(a.value is not None and a.value == b.value, a.meet(b) is None)


def _distinct(node: Term, *parts: Range) -> Range | None:
    same = _equal(node, *parts)
    return None if same is None else _not(node, same)


def below(a: Number, b: Number) -> Range:
    """Whether one number is less than the other."""
    is_true = a.high is not None and b.low is not None and a.high < b.low
    return _truth(is_true, a.low is not None and b.high is not None and a.low >= b.high)


def _compared(*, signed: bool, strict: bool) -> _Rule:
    def compared(node: Term, a: Range, b: Range) -> Range:
        one, other = (a.signed, b.signed) if signed else (a.unsigned, b.unsigned)
        return below(one, other) if strict else _not(node, below(other, one))

    return compared


def _arithmetic(compute: Callable[[Number, Number], Number]) -> _Rule:
    """Of integers, and of bit vectors modulo their size."""

    def computed(node: Term, first: Range, *others: Range) -> Range:
        result = first
        for one in others:
            unsigned = compute(result.unsigned, one.unsigned)
            if first.width:
                result = wrapped(first.width, unsigned, compute(result.signed, one.signed))
            else:
                result = of_integer(unsigned)
        return result

    return computed


def _negative(_: Term, a: Range) -> Range:
    return wrapped(a.width, -a.unsigned, -a.signed) if a.width else of_integer(-a.unsigned)


def _bit_and(_: Term, a: Range, b: Range) -> Range | None:
    """Not more than either; the bits that a constant clears at the end are zero."""
    high = min(a.unsigned.high or 0, b.unsigned.high or 0)
    step, rest = 1, 0
    for one, other in ((a, b), (b, a)):
        if one.value:
            step = max(step, one.value & -one.value)
            if (
                one.value & (one.value + 1) == 0
                and other.unsigned.high is not None
                and other.unsigned.high <= one.value
            ):
                return other
    made = Number.made(0, high, step, rest)
    return None if made is None else wrapped(a.width, made, made)


def _bit_or(_: Term, a: Range, b: Range) -> Range:
    bits = max(a.unsigned.high or 0, b.unsigned.high or 0).bit_length()
    number = Number(max(a.unsigned.low or 0, b.unsigned.low or 0), (1 << bits) - 1)
    return wrapped(a.width, number, number)


def _bit_xor(_: Term, a: Range, b: Range) -> Range:
    number = Number(0, (1 << max(a.unsigned.high or 0, b.unsigned.high or 0).bit_length()) - 1)
    return wrapped(a.width, number, number)


def _bit_not(_: Term, a: Range) -> Range:
    return wrapped(a.width, Number.of(-1) - a.unsigned, Number.of(-1) - a.signed)


def _shift_left(_: Term, a: Range, b: Range) -> Range | None:
    if b.value is None or b.value >= a.width:
        return None
    return wrapped(a.width, a.unsigned.times(1 << b.value), a.signed.times(1 << b.value))


def _shift_right(_: Term, a: Range, b: Range) -> Range | None:
    if b.value is None:
        number = Number(0, a.unsigned.high)
    else:
        number = a.unsigned.floored(1 << b.value) if b.value < a.width else Number.of(0)
    return wrapped(a.width, number, number)


def _shift_right_signed(_: Term, a: Range, b: Range) -> Range | None:
    if b.value is None or b.value >= a.width:
        return None
    number = a.signed.floored(1 << b.value)
    return wrapped(a.width, number, number)


def _divided(_: Term, a: Range, b: Range) -> Range | None:
    """Without sign, and by zero nothing."""
    if not b.unsigned.low:
        return None
    number = Number((a.unsigned.low or 0) // (b.unsigned.high or 1), (a.unsigned.high or 0) // b.unsigned.low)
    if b.value is not None:
        number = a.unsigned.floored(b.value)
    return wrapped(a.width, number, number)


def _remainder(_: Term, a: Range, b: Range) -> Range | None:
    if not b.unsigned.low:
        return wrapped(a.width, Number(0, a.unsigned.high), Number(0, a.unsigned.high))
    if a.unsigned.high is not None and a.unsigned.high < b.unsigned.low:
        return a
    number = Number(0, min((b.unsigned.high or 0) - 1, a.unsigned.high or 0))
    if b.value is not None:
        number = a.unsigned.divisible(b.value) & number or number
    return wrapped(a.width, number, number)


def _divided_signed(node: Term, a: Range, b: Range) -> Range | None:
    """By a positive constant; rounded to zero."""
    if b.signed.value is None or b.signed.value <= 0 or a.signed.low is None or a.signed.high is None:
        return None
    by = b.signed.value
    low, high = (abs(one) // by * (-1 if one < 0 else 1) for one in (a.signed.low, a.signed.high))
    number = a.signed.floored(by) if a.signed.low >= 0 else Number(low, high)
    return wrapped(a.width, number, number)


def _remainder_signed(node: Term, a: Range, b: Range) -> Range | None:
    """By what is positive; it has the sign of the dividend."""
    low, high, least, most = a.signed.low, a.signed.high, b.signed.low, b.signed.high
    if low is None or high is None or least is None or most is None or least <= 0:
        return None
    if low >= 0:
        return _remainder(node, a, b)
    number = Number(max(low, 1 - most), min(max(high, 0), most - 1))
    return wrapped(a.width, number, number)


def _integer_divided(_: Term, a: Range, b: Range) -> Range | None:
    return of_integer(a.unsigned.floored(b.value)) if b.value is not None and b.value > 0 else None


def _integer_remainder(_: Term, a: Range, b: Range) -> Range | None:
    if b.value is None or b.value <= 0:
        return None
    if a.unsigned.low is not None and a.unsigned.high is not None and 0 <= a.unsigned.low <= a.unsigned.high < b.value:
        return a
    number = a.unsigned.divisible(b.value) & Number(0, b.value - 1)
    return None if number is None else of_integer(number)


def _zero_extend(node: Term, a: Range) -> Range:
    return wrapped(node.sort.width, a.unsigned, a.unsigned)


def _sign_extend(node: Term, a: Range) -> Range:
    return wrapped(node.sort.width, a.signed, a.signed)


def _extract(node: Term, a: Range) -> Range:
    low = node.value[1]
    unsigned, signed = (one.floored(1 << low) if low else one for one in (a.unsigned, a.signed))
    return wrapped(node.sort.width, unsigned, signed)


def _concat(node: Term, high: Range, low: Range) -> Range:
    unsigned = high.unsigned.times(1 << low.width) + low.unsigned
    return wrapped(node.sort.width, unsigned, high.signed.times(1 << low.width) + low.unsigned)


_RULES: Mapping[Op, _Rule] = {
    Op.NOT: _not,
    Op.AND: _and,
    Op.OR: _or,
    Op.IMPLIES: _implies,
    Op.ITE: _ite,
    Op.EQ: _equal,
    Op.DISTINCT: _distinct,
    Op.LE: _compared(signed=False, strict=False),
    Op.LT: _compared(signed=False, strict=True),
    Op.BV_ULE: _compared(signed=False, strict=False),
    Op.BV_ULT: _compared(signed=False, strict=True),
    Op.BV_SLE: _compared(signed=True, strict=False),
    Op.BV_SLT: _compared(signed=True, strict=True),
    Op.ADD: _arithmetic(Number.__add__),
    Op.SUB: _arithmetic(Number.__sub__),
    Op.MUL: _arithmetic(Number.__mul__),
    Op.BV_ADD: _arithmetic(Number.__add__),
    Op.BV_SUB: _arithmetic(Number.__sub__),
    Op.BV_MUL: _arithmetic(Number.__mul__),
    Op.NEG: _negative,
    Op.BV_NEG: _negative,
    Op.DIV: _integer_divided,
    Op.MOD: _integer_remainder,
    Op.BV_AND: _bit_and,
    Op.BV_OR: _bit_or,
    Op.BV_XOR: _bit_xor,
    Op.BV_NOT: _bit_not,
    Op.BV_SHL: _shift_left,
    Op.BV_LSHR: _shift_right,
    Op.BV_ASHR: _shift_right_signed,
    Op.BV_UDIV: _divided,
    Op.BV_UREM: _remainder,
    Op.BV_SDIV: _divided_signed,
    Op.BV_SREM: _remainder_signed,
    Op.ZERO_EXTEND: _zero_extend,
    Op.SIGN_EXTEND: _sign_extend,
    Op.EXTRACT: _extract,
    Op.CONCAT: _concat,
    Op.BV_TO_INT: lambda node, a: of_integer(a.unsigned),
    Op.INT_TO_BV: lambda node, a: wrapped(node.sort.width, a.unsigned, a.unsigned),
}
