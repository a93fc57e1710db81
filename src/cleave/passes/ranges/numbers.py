"""Sets of whole numbers between two bounds that leave one remainder.

>>> Number.of(4) | Number.of(10)
4..10 step 6
>>> (Number.of(4) | Number.of(10)) + Number.of(1)
5..11 step 6
>>> Number(0, 10) & Number(7, None)
7..10
>>> Number(0, 3) & Number(7, None) is None
True

A bound that is None is infinite. No set is empty: where there would be one, there is None. The bounds are in the set,
and ``step`` is 0 for a set of one number, so that equal sets are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd


class Number:
    """All n with ``low <= n <= high`` and ``n = rest`` modulo ``step``; ``step`` 0 stands for one number."""

    __slots__ = ("high", "low", "rest", "step")

    low: int | None
    high: int | None
    step: int
    rest: int

    def __init__(self, low: int | None, high: int | None, step: int = 1, rest: int = 0) -> None:
        """With bounds that are in the set; `made` moves them."""
        self.low, self.high = low, high
        if low is not None and low == high:
            self.step, self.rest = 0, low
        else:
            self.step, self.rest = step, rest % step

    @staticmethod
    def of(value: int) -> Number:
        return Number(value, value)

    @staticmethod
    def made(low: int | None, high: int | None, step: int = 1, rest: int = 0) -> Number | None:
        """Bounds become numbers of the set; None if there are none."""
        if step == 0:
            inside = (low is None or low <= rest) and (high is None or rest <= high)
            return Number.of(rest) if inside else None
        if step > 1:
            low = None if low is None else low + (rest - low) % step
            high = None if high is None else high - (high - rest) % step
        if low is not None and high is not None and low > high:
            return None
        return Number(low, high, step, rest)

    @property
    def value(self) -> int | None:
        """The only number, if there is one only."""
        return self.low if self.step == 0 else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int | None, int | None, int, int]:
        return self.low, self.high, self.step, self.rest

    def __repr__(self) -> str:
        if self.step == 0:
            return str(self.low)
        shown = f"{'' if self.low is None else self.low}..{'' if self.high is None else self.high}"
        return shown if self.step == 1 else f"{shown} step {self.step}" + ("" if self.low is not None else "!")

    def __contains__(self, value: int) -> bool:
        above = self.low is None or self.low <= value
        return above and (self.high is None or value <= self.high) and (self.step == 0 or _fits(value, self))

    def includes(self, other: Number) -> bool:
        return self | other == self

    # --- sets ---------------------------------------------------------------------------------------------------------

    def __or__(self, other: Number) -> Number:
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        step = gcd(self.step, other.step, self.rest - other.rest)
        return Number(low, high, step, self.rest) if step else self

    def __and__(self, other: Number) -> Number | None:
        low = other.low if self.low is None else self.low if other.low is None else max(self.low, other.low)
        high = other.high if self.high is None else self.high if other.high is None else min(self.high, other.high)
        both = _both(self, other)
        return None if both is None else Number.made(low, high, *both)

    def widened(self, new: Number, stops: Sequence[int]) -> Number:
        """A bound of this set that ``new`` exceeds goes to the next one of the sorted ``stops``."""
        both = self | new
        low = both.low if both.low == self.low else _stop_below(both.low, stops)
        high = both.high if both.high == self.high else _stop_above(both.high, stops)
        made = Number.made(low, high, both.step, both.rest)
        return both if made is None else made

    def divisible(self, size: int) -> Number:
        """What is left of the set when numbers are taken modulo ``size``, as far as the step says."""
        step = gcd(self.step, size)
        return Number(None, None, step, self.rest)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def __neg__(self) -> Number:
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Number(low, high, self.step or 1, -self.rest)

    def __add__(self, other: Number) -> Number:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Number(low, high, gcd(self.step, other.step) or 1, self.rest + other.rest)

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __mul__(self, other: Number) -> Number:
        for one, factor in ((self, other.value), (other, self.value)):
            if factor is not None:
                return one.times(factor)
        step = gcd(self.step * other.step, self.step * other.rest, other.step * self.rest) or 1
        rest = self.rest * other.rest
        if None in (self.low, self.high, other.low, other.high):
            positive = self.low is not None and other.low is not None and min(self.low, other.low) >= 0
            return Number.made(0 if positive else None, None, step, rest) or Number(None, None)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]  # type: ignore[operator]
        return Number.made(min(corners), max(corners), step, rest) or Number(min(corners), max(corners))

    def times(self, factor: int) -> Number:
        if factor == 0:
            return Number.of(0)
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        if factor < 0:
            low, high = high, low
        return Number(low, high, self.step * abs(factor) or 1, self.rest * factor)

    def floored(self, divisor: int) -> Number:
        """Divided by a positive number, rounded down."""
        low = None if self.low is None else self.low // divisor
        high = None if self.high is None else self.high // divisor
        if self.step % divisor == 0 and self.step:
            return Number(low, high, self.step // divisor, self.rest // divisor)
        return Number(low, high)


EVERY = Number(None, None)


def _fits(value: int, of: Number) -> bool:
    return (value - of.rest) % of.step == 0


def _both(one: Number, other: Number) -> tuple[int, int] | None:
    """The step and the rest that both have; None if no number has both."""
    if (one.step < other.step and one.step != 0) or other.step == 0:
        one, other = other, one
    if one.step == 0:
        fits = one.rest == other.rest if other.step == 0 else _fits(one.rest, other)
        return (0, one.rest) if fits else None
    shared = gcd(one.step, other.step)
    if (one.rest - other.rest) % shared:
        return None
    if one.step % other.step == 0:
        return one.step, one.rest
    step = one.step // shared * other.step
    times = (other.rest - one.rest) // shared * pow(one.step // shared, -1, other.step // shared)
    return step, one.rest + times * one.step


def _stop_below(bound: int | None, stops: Sequence[int]) -> int | None:
    return None if bound is None else max((one for one in stops if one <= bound), default=None)


def _stop_above(bound: int | None, stops: Sequence[int]) -> int | None:
    return None if bound is None else min((one for one in stops if one >= bound), default=None)
