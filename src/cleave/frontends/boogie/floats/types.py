"""The sorts that floating-point numbers and rounding modes have while a file is read.

    float24e8        a data type with one constructor, of 32 bits
    rmode            the same, of 3 bits

Boogie has one NaN and five rounding modes; bit vectors have more values than that. A program that can see the bits sees
those of `canonical`: where values are equal, or select an element of a map, or are the arguments of a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from cleave.errors import UnsupportedError
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.floats.formats import MODE_WORDS, Format, Rounding
from cleave.logic.sorts import Sort, bitvec
from cleave.logic.terms import Op, SortError, Term

FLOAT = re.compile(r"float(\d{1,6})e(\d{1,6})")
_LITERAL = re.compile(r"0x.*f\d+e\d+|0(?:NaN|nan|[-+]oo)\d+e\d+")
_MODE_BITS = 3
_BITS = "bits"


@cache
def _wrapper(name: str, width: int) -> Sort:
    (made,) = d.declare((d.Declaration(name, ((f"{name}.{_BITS}", ((_BITS, bitvec(width)),)),)),))
    return made


RMODE = _wrapper("rmode", _MODE_BITS)
_NAMES = ("NearestTiesToEven", "NearestTiesToAway", "TowardPositive", "TowardNegative", "TowardZero")
MODES: dict[str, Rounding] = {
    **{word.upper(): mode for word, mode in zip(MODE_WORDS, Rounding, strict=True)},
    **{f"round{name}": mode for name, mode in zip(_NAMES, Rounding, strict=True)},
}


def uses_floats(tokens: Iterable[str]) -> bool:
    return any(token == "rmode" or FLOAT.fullmatch(token) or _LITERAL.fullmatch(token) for token in tokens)


def float_sort(form: Format) -> Sort:
    """Boogie writes the bits of the significand first."""
    return _wrapper(f"float{form.significand}e{form.exponent}", form.width)


def is_wrapper(sort: Sort) -> bool:
    return sort is RMODE or is_float(sort)


@cache
def is_float(sort: Sort) -> bool:
    match = FLOAT.fullmatch(sort.name) if sort.is_datatype else None
    return match is not None and sort is float_sort(Format(int(match[2]), int(match[1])))


def format_of(sort: Sort) -> Format:
    """Raises `SortError` if it is no floating-point sort."""
    if not is_float(sort):
        raise SortError("no floating-point number")
    significand, exponent = FLOAT.fullmatch(sort.name).groups()  # type: ignore[union-attr]
    return Format(int(exponent), int(significand))


def bits_of(value: Term) -> Term:
    return d.field(value, 0, 0)


def wrapped(sort: Sort, bits: Term) -> Term:
    return d.construct(sort, 0, bits)


def mode_term(mode: Rounding) -> Term:
    return wrapped(RMODE, t.bv(mode, _MODE_BITS))


@cache
def holds_floats(sort: Sort) -> bool:
    """Whether a value of the sort has floating-point numbers or rounding modes in it, or as indices."""
    seen, stack = {sort}, [sort]
    while stack:
        top = stack.pop()
        if is_wrapper(top):
            return True
        parts = [top.index, top.element] if top.is_array else [f for one in top.constructors for f in one.fields]
        stack += [part for part in dict.fromkeys(parts) if part not in seen]
        seen.update(parts)
    return False


def is_nan(form: Format, bits: Term) -> Term:
    size = t.bv_binary(Op.BV_AND, bits, t.bv(form.sign - 1, form.width))
    return t.bv_compare(Op.BV_ULT, t.bv(form.infinity, form.width), size)


def canonical_bits(value: Term) -> Term:
    """The bits of a number or a mode, the same for all that are one value for Boogie."""
    bits = bits_of(value)
    if value.sort is RMODE:
        last = t.bv(Rounding.TOWARD_ZERO, _MODE_BITS)
        return t.ite(t.bv_compare(Op.BV_ULT, last, bits), last, bits)
    form = format_of(value.sort)
    return t.ite(is_nan(form, bits), t.bv(form.invalid, form.width), bits)


def canonical_only(sort: Sort, bits: Term) -> bool:
    """Whether no other bits are the same value."""
    if sort is RMODE:
        return bool(bits.value != Rounding.TOWARD_ZERO)
    return is_nan(format_of(sort), bits).is_false


def canonical(value: Term) -> Term:
    """``value``, with such bits wherever it has floating-point numbers in it."""
    if not holds_floats(value.sort):
        return value
    if is_wrapper(value.sort):
        return wrapped(value.sort, canonical_bits(value))
    constructors = value.sort.constructors
    if len(constructors) != 1 or value.sort in constructors[0].fields:
        what = "maps, and data types with several constructors,"
        raise UnsupportedError(f"{what} that hold floating-point numbers are not supported as indices and arguments")
    fields = (d.field(value, 0, place) for place in range(len(constructors[0].fields)))
    return d.construct(value.sort, 0, *map(canonical, fields))
