"""Integers that stand for bit vectors: equal to them modulo two to the width, with what is known of their size.

    x + y - z     of 32 bits, all read as signed     the Int term (- (+ x y) z), from -3·2^31+1 to 3·2^31-2

Ring operations (+, -, *, negation, shifts to the left) need no more than that. Only where a value is looked at (a
comparison, a division, an assignment) must it be the number that the bits mean, signed or unsigned: `settled` says how
it becomes that, by a condition that it is in range already, or by going round.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from cleave.logic.terms import TRUE, Term, add, conj, integer, ite, le, lt, mod, mul, sub
from cleave.records import dataclass


class Reading(Enum):
    """How bits are read as a number."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"

    def low(self, width: int) -> int:
        return -(1 << (width - 1)) if self is Reading.SIGNED else 0

    def high(self, width: int) -> int:
        return (1 << (width - 1)) - 1 if self is Reading.SIGNED else (1 << width) - 1

    def of(self, value: int, width: int) -> int:
        """The number that is congruent to ``value`` modulo two to the width."""
        return (value - self.low(width)) % (1 << width) + self.low(width)


@dataclass(frozen=True, slots=True)
class Number:
    """``term`` is between ``low`` and ``high``, and congruent to a bit vector of ``width`` bits. ``natural`` is the
    reading that fits where it comes from; None for constants. ``converted``: conversions between types are part of it,
    so it may be out of range without any overflow."""

    term: Term
    width: int
    low: int
    high: int
    natural: Reading | None = None
    converted: bool = False

    def is_within(self, reading: Reading) -> bool:
        return reading.low(self.width) <= self.low and self.high <= reading.high(self.width)


@dataclass(frozen=True, slots=True)
class Settled:
    """The number that the bits mean, if ``condition`` holds."""

    term: Term
    low: int
    high: int
    condition: Term = TRUE


class Sheet(Protocol):
    """Where a term is translated: it keeps the conditions of what is settled."""

    def settle(self, number: Number, reading: Reading) -> Settled:
        """The number that the bits mean."""

    def any_value(self, width: int, fact: Callable[[Term], Term]) -> Number:
        """An unsigned number of that width of which ``fact`` holds, if the operands that were settled are right."""


def constant(value: int, width: int) -> Number:
    near = Reading.SIGNED.of(value, width)
    return Number(integer(near), width, near, near)


def known(term: Term, width: int, reading: Reading) -> Number:
    """A term that is the number already."""
    return Number(term, width, reading.low(width), reading.high(width), reading)


def settled(number: Number, reading: Reading, *, wraps: bool) -> Settled:
    """``wraps``: arithmetic goes round exactly; otherwise a condition says that it does not."""
    width = number.width
    if number.term.is_value:
        value = reading.of(number.term.value, width)
        return Settled(integer(value), value, value)
    if number.is_within(reading):
        return Settled(number.term, number.low, number.high)
    natural = number.natural or reading
    if wraps or number.converted or number.is_within(natural):
        return _round(number, reading)
    condition = in_range(number.term, natural, width, number)
    low, high = max(number.low, natural.low(width)), min(number.high, natural.high(width))
    if natural is reading:
        return Settled(number.term, low, high, condition)
    turned = _round(Number(number.term, width, low, high), reading)
    return Settled(turned.term, turned.low, turned.high, condition)


def in_range(term: Term, reading: Reading, width: int, bounds: Number | None = None) -> Term:
    """That ``term`` is a number of that width; what its ``bounds`` say already is left out."""
    low, high = reading.low(width), reading.high(width)
    above = le(integer(low), term) if bounds is None or bounds.low < low else TRUE
    below = le(term, integer(high)) if bounds is None or bounds.high > high else TRUE
    return conj(above, below)


def _round(number: Number, reading: Reading) -> Settled:
    """The number in range that is congruent."""
    low, high = reading.low(number.width), reading.high(number.width)
    size = 1 << number.width
    term = number.term
    if number.low < low - size or number.high > high + size:
        return Settled(add(mod(sub(term, integer(low)), integer(size)), integer(low)), low, high)
    turned = term
    if number.high > high:
        turned = ite(lt(integer(high), term), sub(term, integer(size)), turned)
    if number.low < low:
        turned = ite(lt(term, integer(low)), add(term, integer(size)), turned)
    return Settled(turned, low, high)


# --- the ring -------------------------------------------------------------------------------------------------------


def plus(a: Number, b: Number) -> Number:
    return _ring(add(a.term, b.term), a, b, a.low + b.low, a.high + b.high)


def minus(a: Number, b: Number) -> Number:
    return _ring(sub(a.term, b.term), a, b, a.low - b.high, a.high - b.low)


def times(a: Number, b: Number) -> Number:
    a, b = _factor(a, b), _factor(b, a)
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _ring(mul(a.term, b.term), a, b, min(corners), max(corners))


def _factor(number: Number, other: Number) -> Number:
    """A constant by which something unsigned is multiplied is unsigned, too."""
    if number.term.is_value and number.low < 0 and other.natural is Reading.UNSIGNED:
        value = Reading.UNSIGNED.of(number.low, number.width)
        return Number(integer(value), number.width, value, value)
    return number


def either(condition: Term, a: Number, b: Number) -> Number:
    return _ring(ite(condition, a.term, b.term), a, b, min(a.low, b.low), max(a.high, b.high))


def _ring(term: Term, a: Number, b: Number, low: int, high: int) -> Number:
    one, other = (None if x.is_within(Reading.SIGNED) and x.is_within(Reading.UNSIGNED) else x.natural for x in (a, b))
    mixed = one is not None and other is not None and one is not other  # C converts one of them
    natural = Reading.UNSIGNED if mixed else one or other or a.natural or b.natural
    return Number(term, a.width, low, high, natural, mixed or a.converted or b.converted)
