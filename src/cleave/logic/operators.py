"""The meaning of each operator of terms, on concrete values; written from SMT-LIB's definitions.

    >>> from cleave.logic.terms import bv, bv_binary
    >>> OPERATORS[Op.BV_SDIV](bv_binary(Op.BV_SDIV, bv(248, 8), bv(3, 8)), 248, 3)      # -8 and 3: -2
    254

Engines and validators both rely on this table: it is the one place where a search and the check of its verdict share
code. A mistake in it could confirm a wrong verdict, so tests compare every operator with two solvers.

Bit vectors are unsigned ints. Division of bit vectors by zero is defined (all ones, and the dividend for remainders);
that of numbers is not, any fixed value is right: the caller chooses, with `no_division_by_zero` if it has no reason for
another value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from cleave.errors import UnsupportedError
from cleave.logic.floats.operations import MEANINGS
from cleave.logic.terms import Op, Term, signed
from cleave.logic.values import DatatypeValue, Value, map_store, map_value

DIVISIONS = (Op.DIV, Op.MOD, Op.REAL_DIV)


def no_division_by_zero(op: Op, dividend: Value) -> Value:
    """Any fixed value is right; this one is zero."""
    return 0


def euclidean(dividend: int, divisor: int) -> tuple[int, int]:
    """Quotient and remainder with 0 <= remainder < abs(divisor)."""
    remainder = dividend % abs(divisor)
    return (dividend - remainder) // divisor, remainder


def _width(node: Term) -> int:
    return node.args[0].sort.width


def _wrapped(function: Callable[..., int]) -> Callable[..., int]:
    """A bit-vector operation computed on integers and cut to the width."""
    return lambda node, *args: function(*args) % (1 << node.sort.width)


def _on_signed(function: Callable[[int, int], Any]) -> Callable[..., Any]:
    return lambda node, a, b: function(signed(a, _width(node)), signed(b, _width(node)))


def _unsigned_divide(node: Term, a: int, b: int) -> int:
    return a // b if b else (1 << _width(node)) - 1


def _unsigned_remainder(_: Term, a: int, b: int) -> int:
    return a % b if b else a


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _signed_divide(node: Term, a: int, b: int) -> int:
    width = _width(node)
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return 1 if x < 0 else (1 << width) - 1
    return _truncated(x, y) % (1 << width)


def _signed_remainder(node: Term, a: int, b: int) -> int:
    """The sign follows the dividend."""
    width = _width(node)
    x, y = signed(a, width), signed(b, width)
    return (x - y * _truncated(x, y) if y else x) % (1 << width)


def _signed_modulo(node: Term, a: int, b: int) -> int:
    """The sign follows the divisor, as that of Python's remainder does."""
    width = _width(node)
    x, y = signed(a, width), signed(b, width)
    return (x % y if y else x) % (1 << width)


def _shift_left(node: Term, a: int, b: int) -> int:
    width = _width(node)
    return (a << b) % (1 << width) if b < width else 0


def _shift_right(node: Term, a: int, b: int) -> int:
    return a >> b if b < _width(node) else 0


def _arithmetic_shift_right(node: Term, a: int, b: int) -> int:
    width = _width(node)
    return (signed(a, width) >> min(b, width)) % (1 << width)


def _sign_extend(node: Term, a: int) -> int:
    return signed(a, _width(node)) % (1 << node.sort.width)


def _field(value: DatatypeValue, number: int, place: int) -> Value:
    if value.constructor != number:
        made = value.sort.constructors
        why = f"a field of {made[number].name} is read from a value of {made[value.constructor].name}"
        raise UnsupportedError(f"{why}, which may be anything")
    return value.fields[place]  # type: ignore[no-any-return]


OPERATORS: dict[Op, Callable[..., Any]] = {
    Op.EQ: lambda _, a, b: a == b,
    Op.DISTINCT: lambda _, *args: len(set(args)) == len(args),
    Op.ADD: lambda _, a, b: a + b,
    Op.SUB: lambda _, a, b: a - b,
    Op.NEG: lambda _, a: -a,
    Op.MUL: lambda _, a, b: a * b,
    Op.DIV: lambda _, a, b: euclidean(a, b)[0],
    Op.MOD: lambda _, a, b: euclidean(a, b)[1],
    Op.REAL_DIV: lambda _, a, b: Fraction(a) / b,
    Op.LE: lambda _, a, b: a <= b,
    Op.LT: lambda _, a, b: a < b,
    Op.TO_REAL: lambda _, a: Fraction(a),
    Op.TO_INT: lambda _, a: math.floor(a),
    Op.CONSTRUCT: lambda node, *fields: DatatypeValue(node.sort, node.value, fields),
    Op.FIELD: lambda node, value: _field(value, *node.value),
    Op.TEST: lambda node, value: value.constructor == node.value,
    Op.SELECT: lambda _, a, index: a[index],
    Op.STORE: lambda node, a, index, element: map_store(node.sort.index, a, index, element),
    Op.CONST_ARRAY: lambda node, element: map_value(node.sort.index, element, {}),
    Op.CONCAT: lambda node, high, low: high << node.args[1].sort.width | low,
    Op.EXTRACT: lambda node, a: (a >> node.value[1]) % (1 << node.sort.width),
    Op.ZERO_EXTEND: lambda _, a: a,
    Op.SIGN_EXTEND: _sign_extend,
    Op.BV_NOT: _wrapped(lambda a: ~a),
    Op.BV_NEG: _wrapped(lambda a: -a),
    Op.BV_AND: _wrapped(lambda a, b: a & b),
    Op.BV_OR: _wrapped(lambda a, b: a | b),
    Op.BV_XOR: _wrapped(lambda a, b: a ^ b),
    Op.BV_ADD: _wrapped(lambda a, b: a + b),
    Op.BV_SUB: _wrapped(lambda a, b: a - b),
    Op.BV_MUL: _wrapped(lambda a, b: a * b),
    Op.BV_UDIV: _unsigned_divide,
    Op.BV_UREM: _unsigned_remainder,
    Op.BV_SDIV: _signed_divide,
    Op.BV_SREM: _signed_remainder,
    Op.BV_SMOD: _signed_modulo,
    Op.BV_SHL: _shift_left,
    Op.BV_LSHR: _shift_right,
    Op.BV_ASHR: _arithmetic_shift_right,
    Op.BV_ULT: lambda _, a, b: a < b,
    Op.BV_ULE: lambda _, a, b: a <= b,
    Op.BV_SLT: _on_signed(lambda a, b: a < b),
    Op.BV_SLE: _on_signed(lambda a, b: a <= b),
    Op.BV_TO_INT: lambda _, a: a,
    Op.INT_TO_BV: _wrapped(lambda a: a),
    **MEANINGS,
}
