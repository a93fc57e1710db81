"""Arithmetic of bit vectors as circuits of `gates.Gates`; the lowest bit comes first.

>>> gates = Gates()
>>> number(add(gates, constant(200, 8), constant(100, 8)))
44
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.errors import UnsupportedError
from cleave.logic.sorts import Sort, SortKind
from cleave.smt.sat.gates import FALSE, TRUE, Gates

Bits = tuple[int, ...]


def width(sort: Sort) -> int:
    """How many bits a value has: one, if it is a Boolean."""
    if sort.kind is SortKind.BITVEC:
        return sort.width
    if sort.kind is SortKind.BOOL:
        return 1
    raise UnsupportedError(f"there are no bits for values of sort {sort!r}")


def constant(value: int, width: int) -> Bits:
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(width))


def number(bits: Sequence[int]) -> int:
    """The unsigned number that constant bits are."""
    return sum(1 << place for place, bit in enumerate(bits) if bit == TRUE)


def fresh(gates: Gates, width: int) -> Bits:
    return tuple(gates.fresh() for _ in range(width))


def invert(bits: Bits) -> Bits:
    return tuple(-bit for bit in bits)


def choose(gates: Gates, condition: int, then: Bits, otherwise: Bits) -> Bits:
    return tuple(gates.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True))


# --- comparisons ----------------------------------------------------------------------------------------------------


def equal(gates: Gates, left: Bits, right: Bits) -> int:
    open_pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if any(a == -b for a, b in open_pairs):  # as most addresses do: no gates
        return FALSE
    return gates.conj([-gates.xor(a, b) for a, b in open_pairs])


def unsigned_less(gates: Gates, left: Bits, right: Bits, *, or_equal: bool = False) -> int:
    less = TRUE if or_equal else FALSE
    for a, b in zip(left, right, strict=True):
        less = gates.majority(-a, b, less)
    return less


def signed_less(gates: Gates, left: Bits, right: Bits, *, or_equal: bool = False) -> int:
    """The signs change places: of numbers with different ones, the negative one is less."""
    return unsigned_less(gates, (*left[:-1], right[-1]), (*right[:-1], left[-1]), or_equal=or_equal)


# --- sums -----------------------------------------------------------------------------------------------------------


def add(gates: Gates, left: Bits, right: Bits, carry: int = FALSE) -> Bits:
    total = []
    for a, b in zip(left, right, strict=True):
        total.append(gates.xor(gates.xor(a, b), carry))
        carry = gates.majority(a, b, carry)
    return tuple(total)


def subtract(gates: Gates, left: Bits, right: Bits) -> Bits:
    return add(gates, left, invert(right), TRUE)


def negate(gates: Gates, bits: Bits) -> Bits:
    return add(gates, invert(bits), constant(0, len(bits)), TRUE)


def multiply(gates: Gates, left: Bits, right: Bits) -> Bits:
    """By adding shifted copies of ``left``, those for which ``right`` may have a bit."""
    width = len(left)
    total = constant(0, width)
    for place, bit in enumerate(right):
        if bit != FALSE:
            copy = (FALSE,) * place + left[: width - place]
            total = add(gates, total, tuple(gates.conj((bit, one)) for one in copy))
    return total


# --- divisions ------------------------------------------------------------------------------------------------------


def divide(gates: Gates, left: Bits, right: Bits) -> tuple[Bits, Bits]:
    """Quotient and remainder, unsigned, bit by bit as on paper. By 0, they are all ones and ``left``."""
    places = len(right)
    if all(abs(bit) == TRUE for bit in right) and (divisor := number(right)):
        places = divisor.bit_length()
        if divisor.bit_count() == 1:
            zeros = constant(0, len(left))
            return (left[places - 1 :] + zeros)[: len(left)], (left[: places - 1] + zeros)[: len(left)]
    wide = (*right[:places], FALSE)  # what is left is less than the divisor: a constant one has fewer places
    rest: Bits = (FALSE,) * len(wide)
    quotient = []
    for bit in reversed(left):
        rest = (bit, *rest[:-1])
        fits = unsigned_less(gates, wide, rest, or_equal=True)
        rest = choose(gates, fits, subtract(gates, rest, wide), rest)
        quotient.append(fits)
    return tuple(reversed(quotient)), rest[:-1] + constant(0, len(left) - places)


def signed_divide(gates: Gates, left: Bits, right: Bits) -> tuple[Bits, Bits]:
    """The quotient is rounded towards 0; the remainder has the sign of ``left``."""
    quotient, rest = divide(gates, _absolute(gates, left), _absolute(gates, right))
    return _signed(gates, gates.xor(left[-1], right[-1]), quotient), _signed(gates, left[-1], rest)


def signed_modulo(gates: Gates, left: Bits, right: Bits) -> Bits:
    """The remainder with the sign of ``right``."""
    _, rest = signed_divide(gates, left, right)
    other_sign = gates.xor(left[-1], right[-1])
    corrects = gates.conj((other_sign, gates.disj(rest)))
    return choose(gates, corrects, add(gates, rest, right), rest)


def _absolute(gates: Gates, bits: Bits) -> Bits:
    return _signed(gates, bits[-1], bits)


def _signed(gates: Gates, negative: int, bits: Bits) -> Bits:
    return bits if negative == FALSE else choose(gates, negative, negate(gates, bits), bits)


# --- shifts ---------------------------------------------------------------------------------------------------------


def shift_right(gates: Gates, bits: Bits, amount: Bits, fill: int = FALSE) -> Bits:
    """``fill`` is what comes in; from an amount as large as the width on, it is all there is."""
    width = len(bits)
    stages = (width - 1).bit_length()
    for stage, by in enumerate(amount[:stages]):
        distance = min(1 << stage, width)
        bits = choose(gates, by, (*bits[distance:], *(fill,) * distance), bits)
    return choose(gates, gates.disj(amount[stages:]), (fill,) * width, bits)


def shift_left(gates: Gates, bits: Bits, amount: Bits) -> Bits:
    return tuple(reversed(shift_right(gates, tuple(reversed(bits)), amount)))
