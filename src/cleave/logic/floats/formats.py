"""Formats and rounding modes of IEEE 754.

    >>> DOUBLE.width, DOUBLE.bias, f"{DOUBLE.infinity:x}"
    (64, 1023, '7ff0000000000000')

Numbers are bit vectors in Cleave, as they are in memory. So there are many NaNs; which one an operator gives is fixed
(`exact.nan_of`), as x86-64 fixes it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Rounding(IntEnum):
    """Positions are part of the encoding of terms."""

    NEAREST_EVEN = 0
    NEAREST_AWAY = 1
    UPWARD = 2
    DOWNWARD = 3
    TOWARD_ZERO = 4


MODE_WORDS = ("rne", "rna", "rtp", "rtn", "rtz")
"""What SMT-LIB calls the modes."""

_MOST_EXPONENT = 15
_MOST_SIGNIFICAND = 256


class Format(NamedTuple):
    """A sign, ``exponent`` bits and ``significand - 1`` more: the highest bit of the significand is hidden."""

    exponent: int
    significand: int

    @property
    def width(self) -> int:
        return self.exponent + self.significand

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def least(self) -> int:
        """The smallest number above zero is two to this power."""
        return 2 - self.bias - self.significand

    @property
    def infinity(self) -> int:
        """The bits of plus infinity."""
        return ((1 << self.exponent) - 1) << (self.significand - 1)

    @property
    def quiet(self) -> int:
        """The bit that makes a NaN quiet."""
        return 1 << (self.significand - 2)

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.width - 1)

    @property
    def invalid(self) -> int:
        """The NaN of an operation that has no result, as that of zero by zero."""
        return self.sign | self.infinity | self.quiet

    @property
    def is_known(self) -> bool:
        """Whether operators have this format: with an infinity, a quiet bit, and a half that is no subnormal number."""
        return 3 <= self.exponent <= _MOST_EXPONENT and 3 <= self.significand <= _MOST_SIGNIFICAND


HALF, SINGLE, DOUBLE = Format(5, 11), Format(8, 24), Format(11, 53)


class Floating(NamedTuple):
    """What an operator on floating-point numbers needs to know beside its arguments."""

    format: Format  # of the arguments; of the result where they are integers
    mode: Rounding = Rounding.NEAREST_EVEN  # of comparisons always this
    to: Format | None = None  # of the result, where a number is converted to another format
