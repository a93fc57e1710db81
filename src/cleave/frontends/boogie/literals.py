"""Number literals.

>>> literal("7"), literal("2.5e1"), literal("5bv8")
(7, 25.0, #b00000101)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.literals import float_literal, is_float_literal
from cleave.frontends.boogie.syntax import NamedType
from cleave.logic import terms as t
from cleave.logic.sorts import MAX_WIDTH
from cleave.logic.terms import Term

_BIT_VECTOR = re.compile(r"\d+bv(\d+)")
_DECIMAL = re.compile(r"\d+(?:\.\d+(?:e-?\d+)?|e-?\d+)")
MAX_DIGITS = 4000  # below what Python itself is willing to print


class BadLiteralError(ValueError):
    """A number that can't be read; ``supported`` is false when it is well-formed."""

    def __init__(self, message: str, supported: bool = True) -> None:
        super().__init__(message)
        self.supported = supported


def literal(text: str) -> Term:
    """The value of a literal: an int, a real when it has a dot or an exponent, a bit vector when it has a width."""
    if len(text) > MAX_DIGITS:
        raise BadLiteralError(f"the number has more than {MAX_DIGITS} digits")
    if text.isdigit():
        return t.integer(int(text))
    if is_float_literal(text):
        try:
            return float_literal(text)
        except UnsupportedError as error:
            raise BadLiteralError(error.message, supported=False) from None
    if "bv" in text:
        return _bit_vector(text)
    return _decimal(text)


def literal_types(tokens: Iterable[str]) -> list[NamedType]:
    """The types that literals have, other than int."""
    found = {f"bv{match[1]}" for token in tokens if (match := _BIT_VECTOR.fullmatch(token))}
    found |= {"real" for token in tokens if _DECIMAL.fullmatch(token)}
    return [NamedType(0, name) for name in sorted(found)]


def _bit_vector(text: str) -> Term:
    digits, _, width_digits = text.partition("bv")
    value = int(digits)
    width = int(width_digits)
    if not 1 <= width <= MAX_WIDTH:
        raise BadLiteralError(f"bit vectors have between 1 and {MAX_WIDTH} bits here", supported=False)
    if value >> width:
        raise BadLiteralError(f"the number does not fit into {width} bits")
    return t.bv(value, width)


def _decimal(text: str) -> Term:
    mantissa, _, exponent_digits = text.partition("e")
    exponent = int(exponent_digits or "0")
    if abs(exponent) > MAX_DIGITS:
        raise BadLiteralError(f"the exponent is above {MAX_DIGITS}")
    return t.real(Fraction(mantissa) * Fraction(10) ** exponent)
