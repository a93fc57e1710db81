"""Boogie's operators on floating-point numbers, which it rounds to the nearest.

x + y          (fp.add RNE x y)
x < y          (fp.lt x y)
x == y         the same number: a NaN equals itself, the two zeros differ
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.floats.types import (
    bits_of,
    canonical,
    canonical_bits,
    canonical_only,
    format_of,
    holds_floats,
    is_float,
    is_nan,
    is_wrapper,
    wrapped,
)
from cleave.frontends.boogie.names import Names
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.floats import operations as f
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, SortError, Term

Binary = Callable[[Term, Term], Term]

_ARITHMETIC = {"+": Op.FP_ADD, "-": Op.FP_SUB, "*": Op.FP_MUL, "/": Op.FP_DIV}
_COMPARED = {"<": (Op.FP_LT, False), "<=": (Op.FP_LE, False), ">": (Op.FP_LT, True), ">=": (Op.FP_LE, True)}


def with_floats(operators: dict[str, Binary], names: Names) -> dict[str, Binary]:
    """The operators, which take floating-point numbers too."""
    equality = Equality(names)
    return {
        **operators,
        **{word: _arithmetic(op, operators[word]) for word, op in _ARITHMETIC.items()},
        **{word: _compared(*how, operators[word]) for word, how in _COMPARED.items()},
        "==": equality.of,
        "!=": lambda a, b: t.neg(equality.of(a, b)),
    }


def negated_or(other: Callable[[Term], Term]) -> Callable[[Term], Term]:
    return lambda a: negated(a) if is_float(a.sort) else other(a)


def negated(a: Term) -> Term:
    form = format_of(a.sort)
    bits = bits_of(a)
    return wrapped(a.sort, t.ite(is_nan(form, bits), bits, t.bv_binary(Op.BV_XOR, bits, t.bv(form.sign, form.width))))


def _arithmetic(op: Op, other: Binary) -> Binary:
    def compute(a: Term, b: Term) -> Term:
        if not is_float(a.sort):
            return other(a, b)
        if a.sort is not b.sort:
            raise SortError("numbers of two formats")
        return wrapped(a.sort, f.arithmetic(op, format_of(a.sort), bits_of(a), bits_of(b)))

    return compute


def _compared(op: Op, is_swapped: bool, other: Binary) -> Binary:
    def compute(a: Term, b: Term) -> Term:
        if not is_float(a.sort):
            return other(a, b)
        if a.sort is not b.sort:
            raise SortError("numbers of two formats")
        first, second = (b, a) if is_swapped else (a, b)
        return f.compare(op, format_of(a.sort), bits_of(first), bits_of(second))

    return compute


class Equality:
    """Of values of any type. Maps with floating-point numbers are equal if all their elements are."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def of(self, a: Term, b: Term) -> Term:
        if a.sort is not b.sort or not holds_floats(a.sort):
            return t.eq(a, b)
        if is_wrapper(a.sort):
            first, second = canonical_bits(a), canonical_bits(b)
            if any(one.is_value and canonical_only(a.sort, one) for one in (first, second)):
                return t.eq(bits_of(a), bits_of(b))
            return t.eq(first, second)
        if a.sort.is_array:
            index = t.var(self._names.fresh("i", "?"), a.sort.index)
            place = canonical(index)
            return t.forall((index,), self.of(t.select(a, place), t.select(b, place)))
        if any(a.sort in made.fields for made in a.sort.constructors) or len(a.sort.group) > 1:
            raise UnsupportedError("recursive data types with floating-point numbers are not compared")
        return t.disj_all(self._alike(a, b, a.sort))

    def _alike(self, a: Term, b: Term, sort: Sort) -> Iterator[Term]:
        """For each constructor: both were made by it, of equal fields."""
        for number, made in enumerate(sort.constructors):
            pairs = ((d.field(a, number, place), d.field(b, number, place)) for place in range(len(made.fields)))
            fields = (self.of(*pair) for pair in pairs)
            yield t.conj_all((d.test(a, number), d.test(b, number), *fields))
