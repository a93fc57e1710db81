"""The compiler's checks as conditions: what must hold, which property says so, and how a violation is said.

check add_overflow (int) %0, %1         signed-overflow: -2147483648 <= x + y <= 2147483647
                                        "{0:signed} + {1:signed} does not fit into int"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Terms
from cleave.frontends.c.lowering.limits import limits, within
from cleave.frontends.c.lowering.overflow import fits
from cleave.frontends.c.properties.built_in import CONVERSION, DIVISION, MEMORY, SHIFT, SIGNED_OVERFLOW, UNREACHABLE
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, disj, signed

Types = tuple[l.SourceType, ...]


class Meaning(NamedTuple):
    """``properties``: the first of them that is wanted asks for it. ``message``: see `ir.program.Assert`."""

    properties: tuple[str, ...]
    condition: Term
    message: str


def meaning(check: l.CompilerCheck, terms: Terms) -> Meaning | None:
    """None for a check that no property needs."""
    found = _MEANINGS.get(check.kind)
    return found(check.types, terms) if found is not None else None


def _arithmetic(operation: str, sign: str) -> Callable[[Types, Terms], Meaning]:
    def made(types: Types, terms: Terms) -> Meaning:
        message = f"{_shown(0, types[0])} {sign} {_shown(1, types[0])} does not fit into {types[0].name}"
        return Meaning((SIGNED_OVERFLOW,), fits(operation, terms[0], terms[1]), message)

    return made


def _negation(types: Types, terms: Terms) -> Meaning:
    message = f"-({_shown(0, types[0])}) does not fit into {types[0].name}"
    return Meaning((SIGNED_OVERFLOW,), fits("sub", bv(0, terms[0].sort.width), terms[0]), message)


def _division(types: Types, terms: Terms) -> Meaning:
    divisor = terms[1]
    low, high = limits(divisor)
    set_bits = divisor.op is Op.BV_OR and any(part.is_value and part.value for part in divisor.args)
    known = low > 0 or high < 0 or set_bits
    condition = TRUE if known else bits.differ(divisor, bv(0, divisor.sort.width))
    return Meaning((DIVISION,), condition, f"division by zero: {_shown(0, types[0])} is divided by 0")


def _quotient(types: Types, terms: Terms) -> Meaning:
    """The quotient of the least number and -1; that of others always fits."""
    dividend, divisor = terms
    least = -(1 << (dividend.sort.width - 1))
    kept = limits(dividend)[0] > least or not limits(divisor)[0] <= -1 <= limits(divisor)[1]
    others = (bits.differ(dividend, bv(least, dividend.sort.width)), bits.differ(divisor, bv(-1, divisor.sort.width)))
    message = f"{_shown(0, types[0])} divided by {_shown(1, types[0])} does not fit into {types[0].name}"
    return Meaning((SIGNED_OVERFLOW,), TRUE if kept else disj(*others), message)


def _shift_amount(types: Types, terms: Terms) -> Meaning:
    amount, width = terms[1], terms[0].sort.width
    low, high = limits(amount)
    if low >= 0 and high < width:
        condition = TRUE
    elif width.bit_length() > amount.sort.width:
        condition = bits.compare(Op.BV_SLE, bv(0, amount.sort.width), amount) if types[1].is_signed else TRUE
    else:
        condition = bits.compare(Op.BV_ULT, amount, bv(width, amount.sort.width))
    message = f"{_shown(0, types[0])} is shifted by {_shown(1, types[1])}, which is not from 0 to {width - 1}"
    return Meaning((SHIFT,), condition, message)


def _shift_base(types: Types, terms: Terms) -> Meaning:
    """The left side is not negative and loses no bits. Where the amount is wrong, nothing is said about it."""
    base, amount = terms
    message = (
        f"{_shown(0, types[0])} << {_shown(1, types[1])}: the left side is negative, or the result does not fit into"
        f" {types[0].name}"
    )
    return Meaning((SHIFT, SIGNED_OVERFLOW), _keeps_bits(base, amount), message)


def _keeps_bits(base: Term, amount: Term) -> Term:
    width = base.sort.width
    (least, most), (nearest, farthest) = limits(base), limits(amount)
    if nearest >= 0 and farthest < width and least >= 0 and most << farthest < 1 << (width - 1):
        return TRUE
    if amount.is_value:
        return within(base, 0, (1 << (width - 1 - amount.value)) - 1) if amount.value < width else TRUE
    too_far = bits.compare(Op.BV_ULE, bv(width, amount.sort.width), amount)
    if width.bit_length() > amount.sort.width:
        too_far = FALSE
    if base.is_value:
        if signed(base.value, width) < 0:
            return too_far
        room = width - 1 - base.value.bit_length()
        return disj(too_far, bits.compare(Op.BV_ULE, amount, bv(room, amount.sort.width)))
    wide = max(width, amount.sort.width)
    left = bits.binary(Op.BV_SUB, bv(width - 1, wide), bits.zero_extended(amount, wide))
    left = bits.truncated(left, width)
    return disj(too_far, bits.same(bits.binary(Op.BV_LSHR, base, left), bv(0, width)))


def _unreachable(types: Types, terms: Terms) -> Meaning:
    return Meaning((UNREACHABLE,), FALSE, "__builtin_unreachable is reached")


def _conversion(types: Types, terms: Terms) -> Meaning:
    """The number is one of the target's numbers."""
    source, target = types
    low, high = -(1 << (target.width - 1)) if target.is_signed else 0, (1 << (target.width - target.is_signed)) - 1
    message = f"{_shown(0, source)} does not fit into {target.name}: it is converted from {source.name}"
    value = terms[0]
    if not source.is_signed:
        value = bits.zero_extended(value, value.sort.width + 1)
    return Meaning((CONVERSION,), within(value, low, high), message)


def _float_conversion(types: Types, terms: Terms) -> Meaning:
    source, target = types
    message = f"{_shown(1, source)} does not fit into {target.name}: it is converted from {source.name}"
    return Meaning((CONVERSION,), terms[0], message)


def _bounds(types: Types, terms: Terms) -> Meaning:
    return Meaning((MEMORY,), terms[0], f"index {_shown(1, types[1])} is outside of an array {types[0].name}")


def _array_length(types: Types, terms: Terms) -> Meaning:
    """GCC allows arrays without elements."""
    (count,) = terms
    width = count.sort.width
    condition = (
        TRUE if not types[0].is_signed or limits(count)[0] >= 0 else bits.compare(Op.BV_SLE, bv(0, width), count)
    )
    return Meaning((MEMORY,), condition, f"an array of {_shown(0, types[0])} elements is declared")


def _counted_bits(types: Types, terms: Terms) -> Meaning:
    return Meaning((SHIFT,), terms[0], "the zeros before or behind the bits of 0 are counted")


def _shown(position: int, type: l.SourceType) -> str:
    how = type.name if type.is_float else "signed" if type.is_signed else "unsigned"
    return f"{{{position}:{how}}}"


_MEANINGS: dict[str, Callable[[Types, Terms], Meaning]] = {
    "add_overflow": _arithmetic("add", "+"),
    "sub_overflow": _arithmetic("sub", "-"),
    "mul_overflow": _arithmetic("mul", "*"),
    "negate_overflow": _negation,
    "division_by_zero": _division,
    "quotient_overflow": _quotient,
    "shift_amount": _shift_amount,
    "shift_base": _shift_base,
    "builtin_unreachable": _unreachable,
    "implicit_conversion": _conversion,
    "float_cast_overflow": _float_conversion,
    "out_of_bounds": _bounds,
    "vla_bound_not_positive": _array_length,
    "invalid_builtin": _counted_bits,
}
