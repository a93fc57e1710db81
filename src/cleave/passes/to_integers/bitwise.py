"""And, or and exclusive or, as far as integers can say them.

bvand x 7       (mod x 8)
bvor x y        any number that is neither below one of them nor above their sum
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cleave.logic.terms import Term, add, conj, integer, ite, le, lt, mod, mul, sub
from cleave.passes.to_integers.numbers import Number, Reading, Settled, Sheet, known
from cleave.records import dataclass

LONGEST_MASK = 4  # runs of ones: more are not worth spelling out
_SIGNED, _UNSIGNED = Reading.SIGNED, Reading.UNSIGNED


@dataclass(frozen=True, slots=True)
class Bitwise:
    """``exact`` is the result, from both operands and their conjunction, in any reading; ``fact`` what is known of it
    for unsigned operands if the conjunction is not, and ``most`` how large it gets."""

    exact: Callable[[Term, Term, Term], Term]
    fact: Callable[[Term, Term, Term], Term]
    most: Callable[[int, int], int]

    def __call__(self, a: Number, b: Number, sheet: Sheet) -> Number:
        if a.term.is_value:
            a, b = b, a
        reading = _SIGNED if a.natural is _SIGNED and _is_mask(b) else _UNSIGNED
        left, right = sheet.settle(a, reading), sheet.settle(b, reading)
        both = _conjunction(left, right, a.width)
        if both is None:
            found = sheet.any_value(a.width, lambda found: self.fact(left.term, right.term, found)).term
        else:
            found = self.exact(left.term, right.term, both)
        if left.low < 0 or right.low < 0:
            return known(found, a.width, reading)
        return Number(found, a.width, 0, self.most(left.high, right.high), reading)


def _conjunction(left: Settled, right: Settled, width: int) -> Term | None:
    """Of the bits, where integers can say it: with a constant that has few runs of ones, or of 0 and 1."""
    if left.low >= 0 and right.low >= 0 and left.high <= 1 and right.high <= 1:
        return ite(lt(integer(1), add(left.term, right.term)), integer(1), integer(0))
    mask = Number(right.term, width, right.low, right.high)
    return _masked(left, _runs(mask), width) if _is_mask(mask) else None


def _is_mask(number: Number) -> bool:
    return number.term.is_value and len(_runs(number)) <= LONGEST_MASK


def _full(a: int, b: int) -> int:
    """All bits that one of two numbers may have."""
    return (1 << max(a.bit_length(), b.bit_length())) - 1


AND = Bitwise(lambda _a, _b, both: both, lambda a, b, found: conj(le(found, a), le(found, b)), min)
OR = Bitwise(
    lambda a, b, both: sub(add(a, b), both),
    lambda a, b, found: conj(le(a, found), le(b, found), le(found, add(a, b))),
    _full,
)
XOR = Bitwise(lambda a, b, both: sub(add(a, b), mul(integer(2), both)), lambda a, b, found: le(found, add(a, b)), _full)


def conjunction(a: Number, b: Number, sheet: Sheet) -> Number:
    """A mask without the highest bit makes anything a small number that is not negative."""
    found = AND(a, b, sheet)
    masks = [x.term.value for x in (a, b) if x.term.is_value and x.term.value >= 0]
    return replace(found, low=0, high=min(found.high, *masks), natural=None) if masks else found


def _runs(mask: Number) -> list[tuple[int, int]]:
    """The stretches of ones in a constant, from which bit and up to which.

    >>> from cleave.passes.to_integers.numbers import constant
    >>> _runs(constant(0b11001, 8))
    [(0, 1), (3, 5)]
    """
    bits = _UNSIGNED.of(mask.term.value, mask.width)
    found: list[tuple[int, int]] = []
    at = 0
    while bits >> at:
        start = at
        while bits >> at & 1:
            at += 1
        if at > start:
            found.append((start, at))
        else:
            at += 1
    return found


def _masked(value: Settled, runs: Sequence[tuple[int, int]], width: int) -> Term:
    """Only the bits in ``runs``; with the highest one comes the sign."""
    total: Term = integer(0)
    for start, end in runs:
        upper = value.term if end == width else _lowest(value, end)
        total = add(total, sub(upper, _lowest(value, start)))
    return total


def _lowest(value: Settled, count: int) -> Term:
    if count == 0:
        return integer(0)
    return value.term if value.low >= 0 and value.high < 1 << count else mod(value.term, integer(1 << count))
