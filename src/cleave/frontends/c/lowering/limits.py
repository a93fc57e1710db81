"""Between which numbers a term is, as far as types, masks and constants say, and conditions that use it.

    >>> from cleave.logic.sorts import bitvec
    >>> from cleave.logic.terms import bv, var, zero_extend
    >>> limits(zero_extend(var("c", bitvec(8)), 24))
    (0, 255)

    within(x, 0, 9)     0 <= x and x <= 9; `TRUE` for x & 7

Terms are read as signed numbers. Variables may have any value: what is not seen here is left to the engines.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.lowering import bits
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj, signed

Limits = tuple[int, int]
_DEEPEST = 12  # of a term, that is looked into


def limits(term: Term, depth: int = _DEEPEST) -> Limits:
    """The least and the greatest number that ``term``, a bit vector, can be."""
    width = term.sort.width
    if term.is_value:
        return (signed(term.value, width),) * 2
    rule = _RULES.get(term.op) if depth else None
    found = rule(term, depth - 1) if rule is not None else None
    return found if found is not None and _holds(width, found) else _all(width)


def within(term: Term, low: int, high: int) -> Term:
    """``low <= term <= high``, of signed numbers; what the term's shape tells is left out."""
    least, most = limits(term)
    if high < least or most < low:
        return FALSE
    below = Op.BV_SLE
    while term.op in (Op.SIGN_EXTEND, Op.ZERO_EXTEND) and below is Op.BV_SLE:
        below = Op.BV_SLE if term.op is Op.SIGN_EXTEND else Op.BV_ULE
        term = term.args[0]
    width = term.sort.width
    from_low = TRUE if low <= least else bits.compare(below, bv(low, width), term)
    to_high = TRUE if most <= high else bits.compare(below, term, bv(high, width))
    return conj(from_low, to_high)


def _all(width: int) -> Limits:
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _holds(width: int, found: Limits) -> bool:
    """Whether numbers within ``found`` are numbers of the width: then nothing wraps around."""
    low, high = _all(width)
    return low <= found[0] and found[1] <= high


def _unsigned(term: Term, depth: int) -> Limits:
    """Likewise, read as unsigned."""
    low, high = limits(term, depth)
    return (low, high) if low >= 0 else (0, (1 << term.sort.width) - 1)


def _extended(term: Term, depth: int) -> Limits:
    return limits(term.args[0], depth) if term.op is Op.SIGN_EXTEND else _unsigned(term.args[0], depth)


def _chosen(term: Term, depth: int) -> Limits:
    then, other = (limits(argument, depth) for argument in term.args[1:])
    return min(then[0], other[0]), max(then[1], other[1])


def _part(term: Term, depth: int) -> Limits | None:
    """Low bits of a number that is small enough."""
    return limits(term.args[0], depth) if term.value[1] == 0 else None


def _computed(operator: Callable[[int, int], int]) -> Callable[[Term, int], Limits | None]:
    """Operators whose greatest and least results are those of the greatest and least operands."""

    def rule(term: Term, depth: int) -> Limits:
        left, right = (limits(argument, depth) for argument in term.args)
        corners = [operator(a, b) for a in left for b in right]
        return min(corners), max(corners)

    return rule


def _negated(term: Term, depth: int) -> Limits:
    low, high = limits(term.args[0], depth)
    return -high, -low


def _masked(term: Term, depth: int) -> Limits | None:
    """Not more than either operand, if one is not negative."""
    highs = [high for low, high in (limits(argument, depth) for argument in term.args) if low >= 0]
    return (0, min(highs)) if highs else None


def _joined(term: Term, depth: int) -> Limits | None:
    """Or, exclusive or: no bit above those of both."""
    both = [limits(argument, depth) for argument in term.args]
    if any(low < 0 for low, _ in both):
        return None
    return 0, (1 << max(high.bit_length() for _, high in both)) - 1


def _constant(term: Term) -> int | None:
    right = term.args[1]
    return signed(right.value, right.sort.width) if right.is_value else None


def _divided(term: Term, depth: int) -> Limits | None:
    by = _constant(term)
    low, high = limits(term.args[0], depth)
    if by is None or by <= 0 or (term.op is Op.BV_UDIV and low < 0):
        return None
    return -(-low // by) if low < 0 else low // by, -(-high // by) if high < 0 else high // by


def _remainder(term: Term, depth: int) -> Limits | None:
    by = _constant(term)
    low, high = limits(term.args[0], depth)
    if not by or (term.op is Op.BV_UREM and by < 0):
        return None
    most = abs(by) - 1
    if term.op is Op.BV_UREM:
        return 0, min(most, high) if low >= 0 else most
    return (max(-most, low) if low < 0 else 0), (min(most, high) if high > 0 else 0)


def _shifted(term: Term, depth: int) -> Limits | None:
    by = _constant(term)
    if by is None or not 0 <= by < term.sort.width:
        return None
    low, high = limits(term.args[0], depth) if term.op is Op.BV_ASHR else _unsigned(term.args[0], depth)
    return low >> by, high >> by


def _shifted_left(term: Term, depth: int) -> Limits | None:
    by = _constant(term)
    if by is None or not 0 <= by < term.sort.width:
        return None
    low, high = limits(term.args[0], depth)
    return low << by, high << by


_RULES: dict[Op, Callable[[Term, int], Limits | None]] = {
    Op.ZERO_EXTEND: _extended,
    Op.SIGN_EXTEND: _extended,
    Op.EXTRACT: _part,
    Op.ITE: _chosen,
    Op.BV_ADD: _computed(lambda a, b: a + b),
    Op.BV_SUB: _computed(lambda a, b: a - b),
    Op.BV_MUL: _computed(lambda a, b: a * b),
    Op.BV_NEG: _negated,
    Op.BV_AND: _masked,
    Op.BV_OR: _joined,
    Op.BV_XOR: _joined,
    Op.BV_UDIV: _divided,
    Op.BV_SDIV: _divided,
    Op.BV_UREM: _remainder,
    Op.BV_SREM: _remainder,
    Op.BV_LSHR: _shifted,
    Op.BV_ASHR: _shifted,
    Op.BV_SHL: _shifted_left,
}
