"""When an operation on signed numbers has the result that it has on numbers without limits.

    fits("add", x, 1)        x <= 2147483646                            with a constant, a comparison is enough
    fits("add", x, y)        -2147483648 <= x + y <= 2147483647         in 33 bits, so that nothing wraps around

Sums that are wide enough are what engines with integers read best, and cost those with bits little.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.limits import limits, within
from cleave.logic.terms import TRUE, Op, Term, signed

_OPERATIONS: dict[str, tuple[Op, Callable[[int, int], int]]] = {
    "add": (Op.BV_ADD, lambda a, b: a + b),
    "sub": (Op.BV_SUB, lambda a, b: a - b),
    "mul": (Op.BV_MUL, lambda a, b: a * b),
}


def fits(operation: str, a: Term, b: Term) -> Term:
    """Whether ``a`` operation ``b`` is a number of their width; operations are ``add``, ``sub`` and ``mul``."""
    width = a.sort.width
    least, most = -(1 << (width - 1)), (1 << (width - 1)) - 1
    op, exactly = _OPERATIONS[operation]
    corners = [exactly(x, y) for x in limits(a) for y in limits(b)]
    if least <= min(corners) and max(corners) <= most:
        return TRUE
    if a.is_value or b.is_value:
        return _with_constant(operation, a, b, least, most)
    wide = max(width + 1, *(max(corner, -corner - 1).bit_length() + 1 for corner in corners))
    return within(bits.binary(op, bits.sign_extended(a, wide), bits.sign_extended(b, wide)), least, most)


def _with_constant(operation: str, a: Term, b: Term, least: int, most: int) -> Term:
    """What the other operand must be for the result to be from ``least`` to ``most``."""
    constant = a if a.is_value else b
    other, value = b if a.is_value else a, signed(constant.value, constant.sort.width)
    match operation:
        case "add":
            return within(other, least - value, most - value)
        case "sub" if a.is_value:
            return within(other, value - most, value - least)
        case "sub":
            return within(other, least + value, most + value)
        case _ if value < 0:
            return within(other, -(most // -value), -least // -value)
        case _:
            return within(other, -(-least // value), most // value)
