"""SMT-LIB's operators on floating-point numbers, as `{:builtin "..."}` names them.

    function {:builtin "fp.add"} add(rmode, float24e8, float24e8): float24e8;
    function {:builtin "fp.add RTZ"} add(float24e8, float24e8): float24e8;            with its rounding mode
    function {:builtin "(_ to_fp 8 24) RNE"} of_int(int): float24e8;                  of an int, a real, a bit vector
    function {:builtin "(_ to_fp 8 24)"} of_bits(bv32): float24e8;                    the bits as they are
    function {:builtin "(_ fp.to_sbv 32)"} to_bits(rmode, float24e8): bv32;

What SMT-LIB leaves open, as the integer of a NaN, is the value of a function about which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from cleave.frontends.boogie.floats import conversions as c
from cleave.frontends.boogie.floats.literals import known_format
from cleave.frontends.boogie.floats.operators import negated
from cleave.frontends.boogie.floats.types import MODES, bits_of, format_of, is_nan, mode_term, wrapped
from cleave.logic import terms as t
from cleave.logic.floats import operations as f
from cleave.logic.floats.formats import Format
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Op, SortError, Term

Builder = Callable[..., Term]

_WITH_MODE = re.compile(rf"(.*\S)\s+({'|'.join(MODES)})")
_INDEXED = re.compile(r"\(?\s*(?:_\s+)?(to_fp|to_fp_unsigned|fp\.to_ubv|fp\.to_sbv)\s+(\d{1,5})(?:\s+(\d{1,5}))?\s*\)?")
_SPECIAL = re.compile(r"\(?\s*(?:_\s+)?(NaN|[-+]oo|[-+]zero)\s+(\d{1,5})\s+(\d{1,5})\s*\)?")


def float_builtin(text: str, result: Sort) -> Builder | None:
    """What builds a term for the operator ``text``; None when it is not known. ``result`` is the declared sort."""
    match = _WITH_MODE.fullmatch(text)
    if match is not None:
        found = _with_mode(match[1])
        return None if found is None else partial(found, mode_term(MODES[match[2]]))
    return _with_mode(text) or _PLAIN.get(text) or _special(text)


def _special(text: str) -> Builder | None:
    match = _SPECIAL.fullmatch(text)
    if match is None:
        return None
    form = known_format(match[2], match[3])
    sizes = {"NaN": form.invalid, "oo": form.infinity, "zero": 0}
    bits = sizes[match[1].lstrip("+-")] | (form.sign if match[1][0] == "-" else 0)
    return lambda: c.number(form, t.bv(bits, form.width))


def _with_mode(text: str) -> Builder | None:
    """An operator whose first argument is the rounding mode."""
    found = _ROUNDED.get(text)
    if found is not None:
        return found
    match = _INDEXED.fullmatch(text)
    if match is None:
        return None
    name, first, second = match[1], int(match[2]), match[3]
    if name.startswith("to_fp"):
        return None if second is None else partial(c.to_float, known_format(first, second), name == "to_fp")
    return None if second is not None else partial(c.to_integer, first, name == "fp.to_sbv")


# --- operators within one format ------------------------------------------------------------------------------------


def _rounded(op: Op, mode: Term, *args: Term) -> Term:
    sort, form = _one_format(args)
    bits = [bits_of(a) for a in args]
    return wrapped(sort, c.by_mode(mode, lambda one: f.arithmetic(op, form, *bits, mode=one)))


def _one_format(args: tuple[Term, ...]) -> tuple[Sort, Format]:
    if not args or any(a.sort is not args[0].sort for a in args):
        raise SortError("numbers of several formats")
    return args[0].sort, format_of(args[0].sort)


def _compared(op: Op, is_swapped: bool, *args: Term) -> Term:
    _, form = _one_format(args)
    first, second = map(bits_of, reversed(args) if is_swapped else args)
    return f.compare(op, form, first, second)


def _absolute(a: Term) -> Term:
    form = format_of(a.sort)
    size = t.bv_binary(Op.BV_AND, bits_of(a), t.bv(form.sign - 1, form.width))
    return wrapped(a.sort, t.ite(is_nan(form, bits_of(a)), bits_of(a), size))


def _extreme(op: str, *args: Term) -> Term:
    """Of two zeros with different signs, either."""
    sort, form = _one_format(args)
    a, b = map(bits_of, args)
    smaller = f.compare(Op.FP_LT, form, *((a, b) if op == "min" else (b, a)))
    both = t.conj(f.compare(Op.FP_EQ, form, a, b), t.neg(t.eq(a, b)))
    first = t.ite(both, _either(op, a) if not both.is_false else t.TRUE, smaller)
    return wrapped(sort, t.ite(is_nan(form, a), b, t.ite(is_nan(form, b), a, t.ite(first, a, b))))


def _either(op: str, a: Term) -> Term:
    return t.apply(t.Function(f"fp.{op}{c.OPEN}{a.sort.width}", (a.sort,), BOOL), a)


def _class(test: Callable[[Format, Term], Term], a: Term) -> Term:
    return test(format_of(a.sort), bits_of(a))


def _size(form: Format, a: Term) -> Term:
    return t.bv_binary(Op.BV_AND, a, t.bv(form.sign - 1, form.width))


def _between(form: Format, low: int, a: Term, high: int) -> Term:
    """Whether the bits without the sign are from ``low`` to ``high``."""
    size = _size(form, a)
    above = t.bv_compare(Op.BV_ULE, t.bv(low, form.width), size)
    return t.conj(above, t.bv_compare(Op.BV_ULE, size, t.bv(high, form.width)))


def _has_sign(form: Format, a: Term, sign: int) -> Term:
    bit = t.extract(a, form.width - 1, form.width - 1)
    return t.conj(t.neg(is_nan(form, a)), t.eq(bit, t.bv(sign, 1)))


_CLASSES: dict[str, Callable[[Format, Term], Term]] = {
    "isNaN": is_nan,
    "isInfinite": lambda form, a: _between(form, form.infinity, a, form.infinity),
    "isZero": lambda form, a: _between(form, 0, a, 0),
    "isSubnormal": lambda form, a: _between(form, 1, a, (1 << (form.significand - 1)) - 1),
    "isNormal": lambda form, a: _between(form, 1 << (form.significand - 1), a, form.infinity - 1),
    "isNegative": lambda form, a: _has_sign(form, a, 1),
    "isPositive": lambda form, a: _has_sign(form, a, 0),
}


def _of_parts(sign: Term, exponent: Term, significand: Term) -> Term:
    form = known_format(exponent.sort.width, significand.sort.width + 1)
    if sign.sort.width != 1:
        raise SortError("a sign has one bit")
    return c.number(form, t.concat(t.concat(sign, exponent), significand))


_ROUNDED: dict[str, Builder] = {
    **{
        f"fp.{word}": partial(_rounded, op)
        for word, op in (
            *(("add", Op.FP_ADD), ("sub", Op.FP_SUB), ("mul", Op.FP_MUL), ("div", Op.FP_DIV), ("fma", Op.FP_FMA)),
            *(("sqrt", Op.FP_SQRT), ("roundToIntegral", Op.FP_ROUND)),
        )
    },
}
_PLAIN: dict[str, Builder] = {
    "fp": _of_parts,
    "fp.abs": _absolute,
    "fp.neg": negated,
    "fp.min": partial(_extreme, "min"),
    "fp.max": partial(_extreme, "max"),
    "fp.eq": partial(_compared, Op.FP_EQ, False),
    "fp.lt": partial(_compared, Op.FP_LT, False),
    "fp.leq": partial(_compared, Op.FP_LE, False),
    "fp.gt": partial(_compared, Op.FP_LT, True),
    "fp.geq": partial(_compared, Op.FP_LE, True),
    "fp.to_real": c.to_real,
    "fp.to_ieee_bv": c.to_bits,
    **{f"fp.{word}": partial(_class, test) for word, test in _CLASSES.items()},
}
