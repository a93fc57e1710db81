"""Functions that an attribute ties to an operator of SMT-LIB.

function {:bvbuiltin "bvadd"} ADD(x: bv32, y: bv32): bv32;        ADD(a, b) is (bvadd a b)
function {:bvbuiltin "zero_extend 8"} Z(x: bv8): bv16;            Z(a) is ((_ zero_extend 8) a)
function {:builtin "MapConst"} K(x: int): [T]int;                 K(a) is ((as const (Array T Int)) a)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from cleave.frontends.boogie.floats.builtins import float_builtin
from cleave.logic import terms as t
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term

Builder = Callable[..., Term]

_INDEXED = re.compile(r"\(?\s*(?:_\s+)?([a-z_0-9]+)\s+(\d{1,6})(?:\s+(\d{1,6}))?\s*\)?")
_CONSTANT_ARRAY = re.compile(r"MapConst|\(?\s*\(?\s*as\s+const\b.*")


def builtin(text: str, result: Sort) -> Builder | None:
    """What builds a term for the operator ``text``; None when it is not known. ``result`` is the declared sort."""
    text = text.strip()
    found = _PLAIN.get(text) or float_builtin(text, result)
    if found is not None:
        return found
    if _CONSTANT_ARRAY.fullmatch(text):
        return partial(t.const_array, result.index) if result.is_array else None
    if text in ("int2bv", "nat2bv", "int_to_bv"):
        return partial(_to_bv, result.width) if result.is_bitvec else None
    match = _INDEXED.fullmatch(text)
    if match is None:
        return None
    name, first, second = match[1], int(match[2]), match[3]
    if name == "extract" and second is not None:
        return partial(_extract, first, int(second))
    make = _INDEXED_BUILDERS.get(name)
    return partial(make, first) if make is not None and second is None else None


def _extract(high: int, low: int, a: Term) -> Term:
    return t.extract(a, high, low)


def _to_bv(width: int, a: Term) -> Term:
    return t.int_to_bv(a, width)


def _zero_extend(bits: int, a: Term) -> Term:
    return t.zero_extend(a, bits)


def _sign_extend(bits: int, a: Term) -> Term:
    return t.sign_extend(a, bits)


def _rotate_left(bits: int, a: Term) -> Term:
    if not a.sort.is_bitvec:
        raise t.SortError("rotate takes a bit vector")
    width = a.sort.width
    bits %= width
    return a if bits == 0 else t.concat(t.extract(a, width - bits - 1, 0), t.extract(a, width - 1, width - bits))


def _rotate_right(bits: int, a: Term) -> Term:
    return _rotate_left(a.sort.width - bits % a.sort.width if a.sort.is_bitvec else 0, a)


def remainder(a: Term, b: Term) -> Term:
    """Z3's ``rem``: like ``mod``, negated when the divisor is negative."""
    modulo = t.mod(a, b)
    return t.ite(t.le(t.integer(0), b), modulo, t.minus(modulo))


def _absolute(a: Term) -> Term:
    return t.ite(t.le(t.integer(0), a), a, t.minus(a))


def _minus(a: Term, *b: Term) -> Term:
    return t.sub(a, *b) if b else t.minus(a)


def _not(op: Op, a: Term, b: Term) -> Term:
    return t.bv_unary(Op.BV_NOT, t.bv_binary(op, a, b))


def _swapped(op: Op, a: Term, b: Term) -> Term:
    return t.bv_compare(op, b, a)


def _same_bit(a: Term, b: Term) -> Term:
    if not a.sort.is_bitvec:
        raise t.SortError("bvcomp takes bit vectors")
    return t.ite(t.eq(a, b), t.bv(1, 1), t.bv(0, 1))


def _signed_to_int(a: Term) -> Term:
    unsigned = t.bv_to_int(a)
    width = a.sort.width
    negative = t.bv_compare(Op.BV_SLT, a, t.bv(0, width))
    return t.ite(negative, t.sub(unsigned, t.integer(1 << width)), unsigned)


def _exclusive_or(a: Term, b: Term) -> Term:
    if not a.sort.is_bool:
        raise t.SortError("xor takes Bool")
    return t.neg(t.eq(a, b))


_BINARY = (
    *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"),
    *("bvshl", "bvlshr", "bvashr"),
)
_PLAIN: dict[str, Builder] = {
    **{name: partial(t.bv_binary, Op(name)) for name in _BINARY},
    **{name: partial(t.bv_compare, Op(name)) for name in ("bvult", "bvule", "bvslt", "bvsle")},
    "bvugt": partial(_swapped, Op.BV_ULT),
    "bvuge": partial(_swapped, Op.BV_ULE),
    "bvsgt": partial(_swapped, Op.BV_SLT),
    "bvsge": partial(_swapped, Op.BV_SLE),
    "bvnot": partial(t.bv_unary, Op.BV_NOT),
    "bvneg": partial(t.bv_unary, Op.BV_NEG),
    "bvnand": partial(_not, Op.BV_AND),
    "bvnor": partial(_not, Op.BV_OR),
    "bvxnor": partial(_not, Op.BV_XOR),
    "bvcomp": _same_bit,
    "concat": t.concat,
    "bv2int": t.bv_to_int,
    "bv2nat": t.bv_to_int,
    "ubv_to_int": t.bv_to_int,
    "sbv_to_int": _signed_to_int,
    "+": t.add,
    "-": _minus,
    "*": t.mul,
    "div": t.div,
    "mod": t.mod,
    "rem": remainder,
    "abs": _absolute,
    "/": t.real_div,
    "<": t.lt,
    "<=": t.le,
    ">": t.gt,
    ">=": t.ge,
    "to_real": t.to_real,
    "to_int": t.to_int,
    "and": t.conj,
    "or": t.disj,
    "not": t.neg,
    "=>": t.implies,
    "xor": _exclusive_or,
    "=": t.eq,
    "ite": t.ite,
    "select": t.select,
    "store": t.store,
}
_INDEXED_BUILDERS: dict[str, Builder] = {
    "zero_extend": _zero_extend,
    "sign_extend": _sign_extend,
    "rotate_left": _rotate_left,
    "rotate_right": _rotate_right,
    "int2bv": _to_bv,
    "nat2bv": _to_bv,
    "int_to_bv": _to_bv,
}
