"""How a program numbers the cells of an array, read off the indices that occur: `Address` is one such numbering.

    a[4*i + 4096], a[4*j + 4100]            cell n is at 4*n + 4096: the cells i and j + 1
    a[sign_extend(i)*4 + 4096]              cell n is at sign_extend(n)*4 + 4096, where n has as many bits as i

An array in C is indexed by addresses, its elements lie some bytes apart, and it begins somewhere. What is to be said of
all elements is simpler to say, and to find, by their numbers. Different numbers are at different indices; not every
index has a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from cleave.logic.sorts import INT, Sort, bitvec
from cleave.logic.sums import Sum, sum_of, term_of
from cleave.logic.terms import Op, Term, add, bv, bv_binary, concat, extract, integer, mul, sign_extend, zero_extend
from cleave.records import dataclass

_FAR = 1 << 12  # a constant that all indices have is where an array begins


@dataclass(frozen=True, slots=True)
class Address:
    """Cell number n is at index ``n * stride + offset``. ``narrow`` is for bit vectors: n has fewer bits, and is
    extended by this operator; without it, the stride is a power of two, and n has only the bits that are left."""

    sort: Sort
    stride: int = 1
    offset: int = 0
    narrow: tuple[Op, int] | None = None

    @property
    def number_sort(self) -> Sort:
        if self.narrow is not None:
            return bitvec(self.narrow[1])
        return bitvec(self.sort.width - self._shift) if self.sort.is_bitvec else self.sort

    @property
    def is_plain(self) -> bool:
        """Whether each index is its own number."""
        return (self.stride, self.offset, self.narrow) == (1, 0, None)

    @property
    def _shift(self) -> int:
        return self.stride.bit_length() - 1

    def index(self, number: Term) -> Term:
        if self.sort is INT:
            return add(mul(number, integer(self.stride)), integer(self.offset))
        if not self.sort.is_bitvec:
            return number
        if self.narrow is not None:
            extended = _extended(self.narrow[0], number, self.sort.width)
            scaled = extended if self.stride == 1 else bv_binary(Op.BV_MUL, extended, bv(self.stride, self.sort.width))
        else:
            scaled = concat(number, bv(0, self._shift)) if self._shift else number
        return bv_binary(Op.BV_ADD, scaled, bv(self.offset, self.sort.width)) if self.offset else scaled

    def number(self, index: Term) -> Term | None:
        """None if there is none, or none that can be told."""
        if self.is_plain:
            return index
        found = sum_of(index)
        if self.sort is INT:
            return self._integer(found)
        return self._wide(found) if self.narrow is None else self._narrow(found, *self.narrow)

    def _integer(self, found: Sum) -> Term | None:
        constant = found.constant - self.offset
        if any(number % self.stride for number in (constant, *found.terms.values())):
            return None
        return term_of(Sum(constant // self.stride, {t: c // self.stride for t, c in found.terms.items()}), INT)

    def _narrow(self, found: Sum, op: Op, bits: int) -> Term | None:
        constant = (found.constant - self.offset) % (1 << self.sort.width)
        if not found.terms:
            number = _signed(constant, self.sort.width)
            low = -(1 << (bits - 1)) if op is Op.SIGN_EXTEND else 0
            fits = number % self.stride == 0 and low <= number // self.stride < low + (1 << bits)
            return bv(number // self.stride, bits) if fits else None
        if constant or list(found.terms.values()) != [self.stride]:
            return None
        (term,) = found.terms
        return term.args[0] if term.op is op and term.args[0].sort.width == bits else None

    def _wide(self, found: Sum) -> Term | None:
        constant = (found.constant - self.offset) % (1 << self.sort.width)
        if any(number % self.stride for number in (constant, *found.terms.values())):
            return None
        top = self.sort.width - self._shift - 1
        terms = {extract(t, top, 0): c // self.stride for t, c in found.terms.items()}
        return term_of(Sum(constant // self.stride, terms), self.number_sort)


def _extended(op: Op, term: Term, width: int) -> Term:
    return (sign_extend if op is Op.SIGN_EXTEND else zero_extend)(term, width - term.sort.width)


def _signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


def address_of(sort: Sort, indices: Iterable[Term]) -> Address:
    """The numbering that fits all the indices, if there is one, and else most of what they have in common."""
    sums = [sum_of(index) for index in indices] if sort is INT or sort.is_bitvec else []
    if not sums:
        return Address(sort)
    if sort is INT:
        return _of_integers(sums)
    return _of_narrow(sort, sums) or _of_bits(sort, sums)


def _of_integers(sums: Sequence[Sum]) -> Address:
    first = sums[0].constant
    stride = gcd(*(c for one in sums for c in one.terms.values()), *(one.constant - first for one in sums)) or 1
    least = min((one.constant for one in sums), key=abs)
    return Address(INT, stride, least if stride > 1 or abs(least) >= _FAR else 0)


def _of_bits(sort: Sort, sums: Sequence[Sum]) -> Address:
    least = min(one.constant for one in sums)
    common = gcd(*(c for one in sums for c in one.terms.values()), *(one.constant - least for one in sums))
    stride = common & -common if common else 1
    return Address(sort, stride, least if stride > 1 or least >= _FAR else 0)


def _of_narrow(sort: Sort, sums: Sequence[Sum]) -> Address | None:
    """If each index is one shorter bit vector, extended and scaled in the same way."""
    shapes = {_shape(one) for one in sums if one.terms}
    if len(shapes) != 1 or None in shapes:
        return None
    (shape,) = shapes
    assert shape is not None
    op, bits, stride, offset = shape
    if bits + stride.bit_length() >= sort.width:
        return None  # different numbers could be at the same index
    return Address(sort, stride, offset, (op, bits))


def _shape(one: Sum) -> tuple[Op, int, int, int] | None:
    (term, times), *others = one.terms.items()
    if others or term.op not in (Op.SIGN_EXTEND, Op.ZERO_EXTEND):
        return None
    return term.op, term.args[0].sort.width, times, one.constant
