"""Operators on floating-point numbers as terms: their arguments and results are bit vectors.

    >>> from cleave.logic.floats.formats import SINGLE
    >>> from cleave.logic.terms import bv
    >>> one = bv(0x3F800000, 32)
    >>> arithmetic(Op.FP_ADD, SINGLE, one, one) is bv(0x40000000, 32)
    True

Memory, variables and arrays hold bits, so that no other part of Cleave needs another sort. What the bits mean, each
operator says itself, by its `Floating`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cleave.logic.floats import exact
from cleave.logic.floats.formats import Floating, Format, Rounding
from cleave.logic.sorts import BOOL, Sort, bitvec
from cleave.logic.terms import Op, SortError, Term, make, signed, value_of

COMPARISONS = (Op.FP_EQ, Op.FP_LT, Op.FP_LE)
ARITHMETIC = {
    **dict.fromkeys((Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV), 2),
    Op.FP_FMA: 3,
    **dict.fromkeys((Op.FP_SQRT, Op.FP_ROUND), 1),
}
"""Operators within one format, and how many arguments each takes."""
FROM_INTEGERS = (Op.FP_FROM_SIGNED, Op.FP_FROM_UNSIGNED)
TO_INTEGERS = (Op.FP_TO_SIGNED, Op.FP_TO_UNSIGNED)
FLOATING = frozenset((*COMPARISONS, *ARITHMETIC, *FROM_INTEGERS, *TO_INTEGERS, Op.FP_CONVERT))
_NEAREST = Rounding.NEAREST_EVEN


def arithmetic(op: Op, form: Format, *args: Term, mode: Rounding = _NEAREST) -> Term:
    return floating(op, Floating(form, mode), args, bitvec(form.width))


def compare(op: Op, form: Format, a: Term, b: Term) -> Term:
    return floating(op, Floating(form), (a, b), BOOL)


def convert(a: Term, form: Format, to: Format, mode: Rounding = _NEAREST) -> Term:
    return a if form == to else floating(Op.FP_CONVERT, Floating(form, mode, to), (a,), bitvec(to.width))


def from_integer(a: Term, form: Format, *, is_signed: bool, mode: Rounding = _NEAREST) -> Term:
    return floating(FROM_INTEGERS[not is_signed], Floating(form, mode), (a,), bitvec(form.width))


def to_integer(a: Term, form: Format, width: int, *, is_signed: bool, mode: Rounding = Rounding.TOWARD_ZERO) -> Term:
    """Where the number does not fit: the highest bit alone."""
    return floating(TO_INTEGERS[not is_signed], Floating(form, mode), (a,), bitvec(width))


def floating(op: Op, value: Floating, args: tuple[Term, ...], sort: Sort) -> Term:
    if not is_well_sorted(op, [a.sort for a in args], sort, value):
        raise SortError(f"{op.value} of {value.format} does not take {', '.join(repr(a.sort) for a in args)}")
    node = make(op, args, sort, value)
    if all(a.op is Op.VALUE for a in args):
        return value_of(MEANINGS[op](node, *(a.value for a in args)), sort)
    return node


def is_well_sorted(op: Op, args: Sequence[Sort], sort: Sort, value: Any) -> bool:
    if not isinstance(value, Floating) or not value.format.is_known or (value.to is None) == (op is Op.FP_CONVERT):
        return False
    own = bitvec(value.format.width)
    if op in COMPARISONS:
        return sort is BOOL and list(args) == [own, own] and value.mode is _NEAREST
    if op in FROM_INTEGERS:
        return sort is own and len(args) == 1 and args[0].is_bitvec
    if op in TO_INTEGERS:
        return sort.is_bitvec and list(args) == [own]
    if value.to is not None:
        return value.to.is_known and value.to != value.format and sort is bitvec(value.to.width) and list(args) == [own]
    return sort is own and list(args) == [own] * ARITHMETIC[op]


# --- what they mean -----------------------------------------------------------------------------------------------


def _within(compute: Callable[..., int]) -> Callable[..., int]:
    return lambda node, *args: compute(node.value.format, node.value.mode, *args)


def _compared(compute: Callable[..., bool]) -> Callable[..., bool]:
    return lambda node, a, b: compute(node.value.format, a, b)


def _from_signed(node: Term, a: int) -> int:
    return exact.from_integer(node.value.format, node.value.mode, signed(a, node.args[0].sort.width))


def _to_integer(node: Term, a: int) -> int:
    is_signed = node.op is Op.FP_TO_SIGNED
    return exact.to_integer(node.value.format, node.value.mode, is_signed, node.sort.width, a)


MEANINGS: dict[Op, Callable[..., Any]] = {
    Op.FP_ADD: _within(exact.add),
    Op.FP_SUB: _within(exact.subtract),
    Op.FP_MUL: _within(exact.multiply),
    Op.FP_DIV: _within(exact.divide),
    Op.FP_FMA: _within(exact.fused),
    Op.FP_SQRT: _within(exact.square_root),
    Op.FP_ROUND: _within(exact.to_integral),
    Op.FP_CONVERT: lambda node, a: exact.convert(node.value.format, node.value.to, node.value.mode, a),
    Op.FP_FROM_SIGNED: _from_signed,
    Op.FP_FROM_UNSIGNED: _within(exact.from_integer),
    Op.FP_TO_SIGNED: _to_integer,
    Op.FP_TO_UNSIGNED: _to_integer,
    Op.FP_EQ: _compared(exact.equal),
    Op.FP_LT: _compared(exact.less),
    Op.FP_LE: _compared(exact.less_or_equal),
}
