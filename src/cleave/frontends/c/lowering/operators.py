"""LLVM's operators on integers as terms.

Overflow wraps, also where C leaves it undefined. Two things that LLVM leaves undefined become any value: division by
zero and shifts by the width or more; ``any_value`` gives such a value and is asked only when the operands allow it.
None: a check has made sure that they don't.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.overflow import fits
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj, disj, eq, extract, ite, neg, zero_extend

_BINARY = {
    "add": Op.BV_ADD,
    "sub": Op.BV_SUB,
    "mul": Op.BV_MUL,
    "udiv": Op.BV_UDIV,
    "sdiv": Op.BV_SDIV,
    "urem": Op.BV_UREM,
    "srem": Op.BV_SREM,
    "shl": Op.BV_SHL,
    "lshr": Op.BV_LSHR,
    "ashr": Op.BV_ASHR,
    "and": Op.BV_AND,
    "or": Op.BV_OR,
    "xor": Op.BV_XOR,
}
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_SHIFTS = frozenset(("shl", "lshr", "ashr"))
_ORDER = {
    "ugt": (Op.BV_ULT, True),
    "uge": (Op.BV_ULE, True),
    "ult": (Op.BV_ULT, False),
    "ule": (Op.BV_ULE, False),
    "sgt": (Op.BV_SLT, True),
    "sge": (Op.BV_SLE, True),
    "slt": (Op.BV_SLT, False),
    "sle": (Op.BV_SLE, False),
}

AnyValue = Callable[[str], Term] | None


def is_binary(opcode: str) -> bool:
    return opcode in _BINARY


def apply_binary(opcode: str, a: Term, b: Term, any_value: AnyValue) -> Term:
    if a.sort is BOOL:
        return _apply_bool(opcode, a, b, any_value)
    result = bits.binary(_BINARY[opcode], a, b)
    if any_value is None:
        return result
    if opcode in _DIVISIONS:
        undefined = bits.same(b, bv(0, b.sort.width))
        what = "division_by_zero"
    elif opcode in _SHIFTS:
        undefined = bits.compare(Op.BV_ULE, bv(b.sort.width, b.sort.width), b)
        what = "shift_too_far"
        if b.sort.width.bit_length() > b.sort.width:
            undefined = FALSE  # the width is no number of that width: two bits or less
    else:
        return result
    return result if undefined is FALSE else ite(undefined, any_value(what), result)


def _apply_bool(opcode: str, a: Term, b: Term, any_value: AnyValue) -> Term:
    match opcode:
        case "and" | "mul":
            return conj(a, b)
        case "or":
            return disj(a, b)
        case "xor" | "add" | "sub":
            return b if a is FALSE else neg(b) if a is TRUE else neg(a) if b is TRUE else neg(eq(a, b))
        case _:
            some = None if any_value is None else lambda what: bits.to_bits(any_value(what))
            return bits.from_bits(apply_binary(opcode, bits.to_bits(a), bits.to_bits(b), some))


def apply_comparison(predicate: str, a: Term, b: Term) -> Term:
    if predicate in ("eq", "ne"):
        same = bits.same(a, b)
        return same if predicate == "eq" else neg(same)
    op, swapped = _ORDER[predicate]
    a, b = bits.to_bits(a), bits.to_bits(b)
    return bits.compare(op, b, a) if swapped else bits.compare(op, a, b)


def apply_cast(opcode: str, a: Term, width: int) -> Term:
    """``width`` is that of the result; a Bool is one bit wide."""
    have = 1 if a.sort is BOOL else a.sort.width
    match opcode:
        case "sext":
            return bits.sign_extended(a, width)
        case "trunc" | "zext" | "ptrtoint" | "inttoptr" | "ptrtoaddr" | "bitcast" | "addrspacecast":
            return bits.zero_extended(a, width) if width > have else bits.truncated(a, width)
        case _:
            raise KeyError(opcode)


def apply_intrinsic(name: str, operands: tuple[Term, ...]) -> tuple[Term, ...] | None:
    """An LLVM intrinsic that only computes; None if it is not known."""
    stem = name.removeprefix("llvm.").rsplit(".", 1)[0]
    if stem.endswith(".with.overflow"):
        return _with_overflow(stem[0] == "s", stem[1:4], *operands[:2])
    if stem.endswith(".sat"):
        return (_saturated(stem[0] == "s", stem[1:4], *operands[:2]),)
    found = _INTRINSICS.get(stem)
    return (found(*operands),) if found is not None else None


def _with_overflow(is_signed: bool, operation: str, a: Term, b: Term) -> tuple[Term, Term]:
    result = bits.binary(_BINARY[operation], a, b)
    if is_signed:
        return result, neg(fits(operation, a, b))
    wide = 2 * a.sort.width if operation == "mul" else a.sort.width + 1
    exact = bits.binary(_BINARY[operation], bits.zero_extended(a, wide), bits.zero_extended(b, wide))
    return result, bits.differ(bits.zero_extended(result, wide), exact)


def _saturated(is_signed: bool, operation: str, a: Term, b: Term) -> Term:
    width = a.sort.width
    result, overflow = _with_overflow(is_signed, operation, a, b)
    if is_signed:
        negative = bits.compare(Op.BV_SLT, a, bv(0, width))
        limit = ite(negative, bv(1 << (width - 1), width), bv((1 << (width - 1)) - 1, width))
    else:
        limit = bv(-1, width) if operation == "add" else bv(0, width)
    return ite(overflow, limit, result)


def _population(a: Term) -> Term:
    width = a.sort.width
    total = bv(0, width)
    for index in range(width):
        bit = extract(a, index, index)
        total = bits.add(total, zero_extend(bit, width - 1) if width > 1 else bit)
    return total


def _leading_zeros(a: Term, _poison: Term) -> Term:
    width = a.sort.width
    result = bv(width, width)
    for index in range(width):  # the highest set bit decides last
        result = ite(bits.same(extract(a, index, index), bv(1, 1)), bv(width - 1 - index, width), result)
    return result


def _trailing_zeros(a: Term, _poison: Term) -> Term:
    width = a.sort.width
    result = bv(width, width)
    for index in reversed(range(width)):
        result = ite(bits.same(extract(a, index, index), bv(1, 1)), bv(index, width), result)
    return result


def _swap_bytes(a: Term) -> Term:
    width = a.sort.width
    return bits.joined([bits.part(a, at + 7, at) for at in range(width - 8, -8, -8)])


def _reverse_bits(a: Term) -> Term:
    return bits.joined([bits.part(a, at, at) for at in reversed(range(a.sort.width))])


def _absolute(a: Term, _poison: Term) -> Term:
    return ite(bits.compare(Op.BV_SLT, a, bv(0, a.sort.width)), bits.negate(a), a)


def _extreme(op: Op, larger: bool) -> Callable[[Term, Term], Term]:
    def choose(a: Term, b: Term) -> Term:
        return ite(bits.compare(op, a, b), b, a) if larger else ite(bits.compare(op, a, b), a, b)

    return choose


def _funnel(left: bool) -> Callable[[Term, Term, Term], Term]:
    def shift(high: Term, low: Term, amount: Term) -> Term:
        width = high.sort.width
        by = bits.binary(Op.BV_UREM, amount, bv(width, width))
        both = bits.joined([low, high])
        by = bits.zero_extended(by, 2 * width)
        if left:
            return bits.part(bits.binary(Op.BV_SHL, both, by), 2 * width - 1, width)
        return bits.part(bits.binary(Op.BV_LSHR, both, by), width - 1, 0)

    return shift


_INTRINSICS: dict[str, Callable[..., Term]] = {
    "ctpop": _population,
    "ctlz": _leading_zeros,
    "cttz": _trailing_zeros,
    "bswap": _swap_bytes,
    "bitreverse": _reverse_bits,
    "abs": _absolute,
    "smax": _extreme(Op.BV_SLT, larger=True),
    "smin": _extreme(Op.BV_SLT, larger=False),
    "umax": _extreme(Op.BV_ULT, larger=True),
    "umin": _extreme(Op.BV_ULT, larger=False),
    "fshl": _funnel(left=True),
    "fshr": _funnel(left=False),
    "is.constant": lambda _: FALSE,
}


def update(operation: str, before: Term, operand: Term) -> Term | None:
    """What an atomic read-modify-write stores; None if the operation is not known."""
    match operation:
        case "xchg":
            return operand
        case "add" | "sub" | "and" | "or" | "xor":
            return bits.binary(_BINARY[operation], before, operand)
        case "nand":
            return bits.binary(Op.BV_XOR, bits.binary(Op.BV_AND, before, operand), bv(-1, before.sort.width))
        case "max" | "min" | "umax" | "umin":
            op = Op.BV_ULT if operation[0] == "u" else Op.BV_SLT
            return _extreme(op, larger=operation.endswith("max"))(before, operand)
        case _:
            return None
