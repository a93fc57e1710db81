"""The meaning, as terms, of the calls that `floats` makes of floating-point instructions.

    llvm.cleave.add.double(a, b)        (fp.add a b), of the format of 64 bits, rounded to the nearest
    llvm.cleave.fabs.double(a)          (bvand a 0x7fff...)

A conversion to an integer that can't hold the number is undefined in C, and gives any value.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.floats import PREFIX
from cleave.logic.floats import operations as f
from cleave.logic.floats.formats import DOUBLE, HALF, SINGLE, Format, Rounding
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import FALSE, Op, Term, bv, conj, disj, ite, neg

_FORMATS = {"half": HALF, "float": SINGLE, "double": DOUBLE}
_ARITHMETIC = {
    "add": Op.FP_ADD,
    "sub": Op.FP_SUB,
    "mul": Op.FP_MUL,
    "div": Op.FP_DIV,
    "sqrt": Op.FP_SQRT,
    "fma": Op.FP_FMA,
}
_TO_INTEGRAL = {
    "floor": Rounding.DOWNWARD,
    "ceil": Rounding.UPWARD,
    "trunc": Rounding.TOWARD_ZERO,
    "round": Rounding.NEAREST_AWAY,
    **dict.fromkeys(("rint", "nearbyint", "roundeven"), Rounding.NEAREST_EVEN),
}


def is_float_call(name: str) -> bool:
    return name.startswith(PREFIX)


def apply_float(name: str, operands: tuple[Term, ...], sort: Sort, any_value: Callable[[str], Term]) -> Term:
    """``sort`` is that of the result."""
    word, _, format_name = name.removeprefix(PREFIX).partition(".")
    form = _FORMATS[format_name]
    if word in _ARITHMETIC:
        return f.arithmetic(_ARITHMETIC[word], form, *operands)
    if word in _TO_INTEGRAL:
        return f.arithmetic(Op.FP_ROUND, form, operands[0], mode=_TO_INTEGRAL[word])
    if word in _COMPARED:
        return _COMPARED[word](form, *operands)
    if word in _BITS:
        return _BITS[word](form, *operands)
    if word.startswith("from_"):
        return f.from_integer(bits.to_bits(operands[0]), form, is_signed=word == "from_signed")
    if word in ("to_signed", "to_unsigned"):
        return _to_integer(form, operands[0], sort, word == "to_signed", any_value)
    return f.convert(operands[0], form, _FORMATS[word.removeprefix("to_")])


# --- comparison -----------------------------------------------------------------------------------------------------


def is_nan(form: Format, a: Term) -> Term:
    return bits.compare(Op.BV_ULT, bv(form.infinity, form.width), _size(form, a))


def _unordered(form: Format, a: Term, b: Term) -> Term:
    return disj(is_nan(form, a), is_nan(form, b))


def _equal(form: Format, a: Term, b: Term) -> Term:
    return f.compare(Op.FP_EQ, form, a, b)


def _less(form: Format, a: Term, b: Term) -> Term:
    return f.compare(Op.FP_LT, form, a, b)


def _at_most(form: Format, a: Term, b: Term) -> Term:
    return f.compare(Op.FP_LE, form, a, b)


def _apart(form: Format, a: Term, b: Term) -> Term:
    return disj(_less(form, a, b), _less(form, b, a))


_COMPARED: dict[str, Callable[[Format, Term, Term], Term]] = {
    "uno": _unordered,
    "ord": lambda form, a, b: neg(_unordered(form, a, b)),
    "oeq": _equal,
    "one": _apart,
    "olt": _less,
    "ole": _at_most,
    "ogt": lambda form, a, b: _less(form, b, a),
    "oge": lambda form, a, b: _at_most(form, b, a),
    "ueq": lambda form, a, b: neg(_apart(form, a, b)),
    "une": lambda form, a, b: neg(_equal(form, a, b)),
    "ult": lambda form, a, b: neg(_at_most(form, b, a)),
    "ule": lambda form, a, b: neg(_less(form, b, a)),
    "ugt": lambda form, a, b: neg(_at_most(form, a, b)),
    "uge": lambda form, a, b: neg(_less(form, a, b)),
}


# --- what only moves bits -------------------------------------------------------------------------------------------


def _size(form: Format, a: Term) -> Term:
    return bits.binary(Op.BV_AND, a, bv(form.sign - 1, form.width))


def _negated(form: Format, a: Term) -> Term:
    return bits.binary(Op.BV_XOR, a, bv(form.sign, form.width))


def _with_sign(form: Format, a: Term, b: Term) -> Term:
    return bits.binary(Op.BV_OR, _size(form, a), bits.binary(Op.BV_AND, b, bv(form.sign, form.width)))


def _smaller(form: Format, a: Term, b: Term) -> Term:
    return ite(disj(is_nan(form, a), _less(form, b, a)), b, a)


def _larger(form: Format, a: Term, b: Term) -> Term:
    return ite(disj(is_nan(form, a), _less(form, a, b)), b, a)


_BITS: dict[str, Callable[..., Term]] = {
    "neg": _negated,
    "fabs": _size,
    "copysign": _with_sign,
    "minnum": _smaller,
    "maxnum": _larger,
}


# --- integers -------------------------------------------------------------------------------------------------------


def _to_integer(form: Format, a: Term, sort: Sort, is_signed: bool, any_value: Callable[[str], Term]) -> Term:
    width = 1 if sort is BOOL else sort.width
    inside = _fits(form, a, width, is_signed)
    made = f.to_integer(a, form, width, is_signed=is_signed)
    other = any_value("number_too_large") if inside is FALSE or not inside.is_value else bits.from_bits(made)
    return bits.ite_bool(inside, bits.from_bits(made), other)


def _fits(form: Format, a: Term, width: int, is_signed: bool) -> Term:
    """Whether the integral part of a number is one of ``width`` bits."""
    power = width - 1 if is_signed else width
    one, limit = _power_of_two(form, 0), _power_of_two(form, power)
    above = _less(form, a, limit)
    if not is_signed:
        return conj(above, _less(form, _negated(form, one), a))
    if power < min(form.significand, form.bias):  # one less is a number of the format, too
        beyond = f.arithmetic(Op.FP_ADD, form, limit, one)
        return conj(above, _less(form, _negated(form, beyond), a))
    lowest = _negated(form, limit)
    return conj(above, _less(form, lowest, a) if power > form.bias else _at_most(form, lowest, a))


def _power_of_two(form: Format, power: int) -> Term:
    """Infinity, if it is too large for the format."""
    return bv(form.infinity if power > form.bias else (power + form.bias) << (form.significand - 1), form.width)
