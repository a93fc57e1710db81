"""What is left of a state in which a condition holds: the ranges of its variables get smaller.

    x: any     assume (bvslt x 10)                      x: ..9
    t: any     assume (not (= (ite t 1 0) 0))           t: true

From a comparison down to the variables, each term's range is cut to what its parent needs. What no case is made for
stays as it is; a state in which the condition can't hold is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term
from cleave.passes.ranges.evaluate import State, evaluate
from cleave.passes.ranges.numbers import Number
from cleave.passes.ranges.values import NO, YES, Range, made, of_integer, wrapped

_MOST_CASES = 6  # of a disjunction that are looked at one by one
_DEEPEST = 40

_SIGNED = (Op.BV_SLE, Op.BV_SLT)
_STRICT = (Op.BV_SLT, Op.BV_ULT, Op.LT)
_COMPARED = (*_SIGNED, Op.BV_ULE, Op.BV_ULT, Op.LE, Op.LT)
_JUNCTIONS = (Op.AND, Op.OR, Op.IMPLIES)


def assume(condition: Term, state: State) -> dict[Term, Range] | None:
    """Twice: what is learned of one part helps with the other ones."""
    once = _with(condition, True, dict(state), 0)
    return once if once is None or once == state else _with(condition, True, once, 0)


def _with(term: Term, truth: bool, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    """Where the condition has that truth value."""
    known = evaluate(term, state)
    if known is None or known.value == truth or depth > _DEEPEST:
        return state
    if known.value is not None:
        return None
    match term.op:
        case Op.VAR:
            return {**state, term: YES if truth else NO}
        case Op.NOT:
            return _with(term.args[0], not truth, state, depth + 1)
        case Op.AND | Op.OR | Op.IMPLIES:
            return _junction(term, truth, state, depth)
        case Op.ITE:
            return _choice(term, YES if truth else NO, state, depth)
        case Op.EQ if len(term.args) == 2:
            return _equal(term.args, truth, state, depth)
        case Op.DISTINCT if len(term.args) == 2:
            return _equal(term.args, not truth, state, depth)
        case _ if term.op in _COMPARED:
            return _compared(term, truth, state, depth)
    return state


def _junction(term: Term, truth: bool, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    """All parts, or at least one of them."""
    wanted = [truth] * len(term.args)
    if term.op is Op.IMPLIES:
        wanted[0] = not truth
    if truth == (term.op is Op.AND):
        left: dict[Term, Range] | None = state
        for part, wants in zip(term.args, wanted, strict=True):
            left = None if left is None else _with(part, wants, left, depth + 1)
        return left
    if len(term.args) > _MOST_CASES:
        return state
    cases = [_with(part, wants, dict(state), depth + 1) for part, wants in zip(term.args, wanted, strict=True)]
    return joined([one for one in cases if one is not None])


def joined(states: Sequence[Mapping[Term, Range]]) -> dict[Term, Range] | None:
    """What holds in each of the states; None if there are none."""
    if not states:
        return None
    first, *others = states
    found = dict(first)
    for other in others:
        found = {variable: one | other[variable] for variable, one in found.items() if variable in other}
    return found


def _compared(term: Term, truth: bool, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    """``a < b`` bounds a above and b below; the contrary is ``b <= a``."""
    signed, strict = term.op in _SIGNED, term.op in _STRICT
    small, large = term.args if truth else (term.args[1], term.args[0])
    gap = int(strict == truth)
    of_small, of_large = evaluate(small, state), evaluate(large, state)
    if of_small is None or of_large is None:
        return state
    least, most = _number(of_small, signed).low, _number(of_large, signed).high
    low = Number(None, None if most is None else most - gap)
    high = Number(None if least is None else least + gap, None)
    left = narrowed(small, of_small.within(low, signed=signed), state, depth)
    return None if left is None else narrowed(large, of_large.within(high, signed=signed), left, depth)


def _number(of: Range, signed: bool) -> Number:
    return of.signed if signed else of.unsigned


def _equal(args: tuple[Term, ...], truth: bool, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    a, b = args
    of_a, of_b = evaluate(a, state), evaluate(b, state)
    if of_a is None or of_b is None:
        return state
    if truth:
        both = of_a.meet(of_b)
        left = narrowed(a, both, state, depth)
        return None if left is None else narrowed(b, both, left, depth)
    for one, range_of, other in ((a, of_a, of_b), (b, of_b, of_a)):
        if other.value is not None:
            return narrowed(one, _without(range_of, other), state, depth)
    return state


def _without(of: Range, other: Range) -> Range | None:
    """Without a value that is one of the bounds."""
    left: Range | None = of
    for signed in (False, True):
        value = _number(other, signed).value
        number = None if left is None else _number(left, signed)
        if value is None or number is None or left is None:
            continue
        if number.low == value:
            left = left.within(Number(value + 1, None), signed=signed)
        elif number.high == value:
            left = left.within(Number(None, value - 1), signed=signed)
    return left


def narrowed(term: Term, needed: Range | None, state: dict[Term, Range], depth: int = 0) -> dict[Term, Range] | None:
    """Where the term's value is in the range that is needed."""
    known = evaluate(term, state)
    if needed is None or known is None:
        return state if known is None else None
    needed = known.meet(needed)
    if needed is None:
        return None
    if needed == known or depth > _DEEPEST:
        return state
    if term.sort is BOOL:
        return state if needed.value is None else _with(term, bool(needed.value), state, depth + 1)
    match term.op:
        case Op.VAR:
            return {**state, term: needed}
        case Op.ITE:
            return _choice(term, needed, state, depth)
        case Op.ADD | Op.SUB | Op.BV_ADD | Op.BV_SUB if len(term.args) == 2:
            return _summed(term, needed, state, depth)
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
            return narrowed(term.args[0], _shortened(term, needed, state), state, depth + 1)
        case Op.EXTRACT if term.value[1] == 0:
            return _lengthened(term, needed, state, depth)
        case Op.BV_TO_INT:
            number = needed.unsigned
            return narrowed(term.args[0], made(term.args[0].sort.width, number, _whole(term.args[0])), state, depth + 1)
    return state


def _whole(term: Term) -> Number:
    half = 1 << (term.sort.width - 1)
    return Number(-half, half - 1)


def _choice(term: Term, needed: Range, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    condition, then, other = term.args
    cases: list[dict[Term, Range]] = []
    for truth, chosen in ((True, then), (False, other)):
        left = _with(condition, truth, dict(state), depth + 1)
        left = None if left is None else narrowed(chosen, needed, left, depth + 1)
        if left is not None:
            cases.append(left)
    return joined(cases)


def _summed(term: Term, needed: Range, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    """``a + b = s`` gives ``a = s - b`` and ``b = s - a``, modulo the size as well."""
    a, b = term.args
    is_sum = term.op in (Op.ADD, Op.BV_ADD)
    of_b = evaluate(b, state)
    left: dict[Term, Range] | None = state
    if of_b is not None:
        left = narrowed(a, _difference(needed, of_b) if is_sum else _sum(needed, of_b), state, depth + 1)
    of_a = None if left is None else evaluate(a, left)
    if left is None or of_a is None:
        return left
    return narrowed(b, _difference(needed, of_a) if is_sum else _difference(of_a, needed), left, depth + 1)


def _difference(a: Range, b: Range) -> Range:
    if not a.width:
        return of_integer(a.unsigned - b.unsigned)
    return wrapped(a.width, a.unsigned - b.unsigned, a.signed - b.signed)


def _sum(a: Range, b: Range) -> Range:
    return (
        wrapped(a.width, a.unsigned + b.unsigned, a.signed + b.signed)
        if a.width
        else of_integer(a.unsigned + b.unsigned)
    )


def _shortened(term: Term, needed: Range, state: State) -> Range | None:
    """Of what was extended: the same number."""
    inner = term.args[0]
    known = evaluate(inner, state)
    if known is None:
        return None
    if term.op is Op.ZERO_EXTEND:
        return known.within(needed.unsigned, signed=False)
    return known.within(needed.signed, signed=True)


def _lengthened(term: Term, needed: Range, state: dict[Term, Range], depth: int) -> dict[Term, Range] | None:
    """Of what was cut off, if nothing was lost."""
    inner = term.args[0]
    known = evaluate(inner, state)
    if known is None:
        return state
    size, left = 1 << term.sort.width, known
    for signed, first, number in ((False, 0, needed.unsigned), (True, -size // 2, needed.signed)):
        whole, own = Number(first, first + size - 1), _number(known, signed)
        if whole.includes(own):
            cut = left.within(number, signed=signed)
            if cut is None:
                return None
            left = cut
    return narrowed(inner, left, state, depth + 1)
