"""The known range of a value: of a bit vector, the numbers that it stands for, without and with a sign.

    r = every(bitvec(8))                 # 0..255, -128..127
    r.within(Number(None, 3), signed=True)            # -128..3
    r.terms(x)                           # the same as formulas about the variable x

Truth values are the numbers 0 and 1. Values of other sorts, such as arrays, have no range: nothing is known of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cleave.logic.sorts import BOOL, INT, Sort
from cleave.logic.terms import (
    Op,
    Term,
    bv,
    bv_binary,
    bv_compare,
    disj,
    eq,
    extract,
    ge,
    integer,
    le,
    mod,
    neg,
)
from cleave.passes.ranges.numbers import EVERY, Number

_LARGEST_STEP = 1 << 16  # of one that is said with a division


class Range(NamedTuple):
    """``width`` is 0 for integers and truth values, whose two numbers are the same."""

    width: int
    unsigned: Number
    signed: Number

    @property
    def value(self) -> int | None:
        """The only value, if there is one only; of a bit vector without sign."""
        return self.unsigned.value

    def __or__(self, other: tuple[object, ...]) -> Range:
        assert isinstance(other, Range)
        if self == other:
            return self
        return _reduced(self.width, self.unsigned | other.unsigned, self.signed | other.signed) or self

    def meet(self, other: Range) -> Range | None:
        if self == other:
            return self
        unsigned, signed = self.unsigned & other.unsigned, self.signed & other.signed
        return None if unsigned is None or signed is None else _reduced(self.width, unsigned, signed)

    def within(self, number: Number, *, signed: bool) -> Range | None:
        """What is left if the number of that kind is in the set."""
        unsigned = self.unsigned if signed and self.width else self.unsigned & number
        other = self.signed & number if signed or not self.width else self.signed
        return None if unsigned is None or other is None else _reduced(self.width, unsigned, other)

    def includes(self, other: Range) -> bool:
        return self.unsigned.includes(other.unsigned) and self.signed.includes(other.signed)

    def widened(self, new: Range, stops: Sequence[int]) -> Range:
        """``stops`` have the bounds of the sort among them."""
        unsigned, signed = self.unsigned.widened(new.unsigned, stops), self.signed.widened(new.signed, stops)
        return made(self.width, unsigned, signed) or self | new

    def terms(self, variable: Term) -> Iterator[Term]:
        """Formulas that all values of the range, and no others, satisfy."""
        if variable.sort is BOOL:
            if self.value is not None:
                yield variable if self.value else neg(variable)
        elif self.width:
            yield from _bits_terms(self, variable)
        else:
            yield from _integer_terms(self.unsigned, variable)


TRUTH = Number(0, 1)
YES, NO, MAYBE = (Range(0, number, number) for number in (Number.of(1), Number.of(0), TRUTH))


def every(sort: Sort) -> Range | None:
    """Nothing known; None for sorts of which nothing ever is."""
    if sort is BOOL:
        return MAYBE
    if sort is INT:
        return Range(0, EVERY, EVERY)
    if sort.is_bitvec:
        return Range(sort.width, _unsigned(sort.width), _signed(sort.width))
    return None


def of_integer(number: Number) -> Range:
    return Range(0, number, number)


def of_bits(width: int, value: int) -> Range:
    value %= 1 << width
    half = 1 << (width - 1)
    return Range(width, Number.of(value), Number.of(value if value < half else value - (1 << width)))


def made(width: int, unsigned: Number | None, signed: Number | None) -> Range | None:
    """Of a bit vector that stands for a number of each set. What lies outside the sort's numbers is cut off."""
    if width == 0:
        return None if unsigned is None else of_integer(unsigned)
    unsigned = None if unsigned is None else unsigned & _unsigned(width)
    signed = None if signed is None else signed & _signed(width)
    return None if unsigned is None or signed is None else _reduced(width, unsigned, signed)


def wrapped(width: int, unsigned: Number, signed: Number) -> Range:
    """Of a bit vector that is a number of each set modulo 2**width."""
    size = 1 << width
    unsigned, signed = _fitted(unsigned, 0, size), _fitted(signed, -size // 2, size)
    return _reduced(width, unsigned, signed) or Range(width, _unsigned(width), _signed(width))


def _fitted(number: Number, first: int, size: int) -> Number:
    """All numbers modulo ``size``, from ``first`` on."""
    whole = Number(first, first + size - 1)
    if number.low is not None and number.high is not None:
        turns = (number.low - first) // size
        if turns == (number.high - first) // size:
            return number - Number.of(turns * size) if turns else number
    left = number.divisible(size) & whole
    return whole if left is None else left


def _reduced(width: int, unsigned: Number, signed: Number) -> Range | None:
    """Each number tells what the other one says."""
    if width == 0:
        return Range(0, unsigned, unsigned)
    size = 1 << width
    half = size >> 1
    for _ in range(2):
        unsigned, signed = _sayable(unsigned), _sayable(signed)
        told_unsigned, told_signed = _moved(signed, 0, size), _moved(unsigned, half, -size)
        new_unsigned, new_signed = unsigned & told_unsigned, signed & told_signed
        if new_unsigned is None or new_signed is None:
            return None
        if new_unsigned == unsigned and new_signed == signed:
            break
        unsigned, signed = new_unsigned, new_signed
    return Range(width, unsigned, signed)


def _sayable(number: Number) -> Number:
    """With a step that `Range.terms` says."""
    step = number.step
    if step <= _LARGEST_STEP or step & (step - 1) == 0:
        return number
    return Number(number.low, number.high, step & -step, number.rest)


def _moved(number: Number, border: int, by: int) -> Number:
    """As the other kind of number: those from the border on, or those below it, are moved."""
    low, high = number.low, number.high
    assert low is not None
    assert high is not None
    below = high < border
    above = low >= border
    moves_below = by > 0
    if below or above:
        return number + Number.of(by) if below == moves_below else number
    return number.divisible(abs(by))


def _unsigned(width: int) -> Number:
    return Number(0, (1 << width) - 1)


def _signed(width: int) -> Number:
    return Number(-(1 << (width - 1)), (1 << (width - 1)) - 1)


def _bits_terms(found: Range, variable: Term) -> Iterator[Term]:
    width = found.width
    if found.value is not None:
        yield eq(variable, bv(found.value, width))
        return
    for number, whole, compare in (
        (found.signed, _signed(width), Op.BV_SLE),
        (found.unsigned, _unsigned(width), Op.BV_ULE),
    ):
        if number.low is not None and number.low != whole.low:
            yield bv_compare(compare, bv(number.low, width), variable)
        if number.high is not None and number.high != whole.high:
            yield bv_compare(compare, variable, bv(number.high, width))
    yield from _step_terms(found, variable)


def _step_terms(found: Range, variable: Term) -> Iterator[Term]:
    """Powers of two are said with the last bits."""
    width, step, rest = found.width, found.unsigned.step, found.unsigned.rest
    if step > 1 and step & (step - 1) == 0:
        bits = step.bit_length() - 1
        yield eq(extract(variable, bits - 1, 0), bv(rest, bits))
    elif 1 < step <= _LARGEST_STEP:
        yield eq(bv_binary(Op.BV_UREM, variable, bv(step, width)), bv(rest, width))
    step, rest = found.signed.step, found.signed.rest
    if step & (step - 1) and found.signed.low < 0 <= found.signed.high:  # type: ignore[operator]
        left = bv_binary(Op.BV_SREM, variable, bv(step, width))
        yield disj(eq(left, bv(rest, width)), eq(left, bv(rest - step if rest else 0, width)))


def _integer_terms(number: Number, variable: Term) -> Iterator[Term]:
    if number.low is not None:
        yield ge(variable, integer(number.low))
    if number.high is not None:
        yield le(variable, integer(number.high))
    if number.step > 1:
        yield eq(mod(variable, integer(number.step)), integer(number.rest))
