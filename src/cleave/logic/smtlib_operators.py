"""SMT-LIB's operators, and those that Z3 adds, as ways to build terms.

    >>> from cleave.logic.sorts import INT
    >>> x = t.var("x", INT)
    >>> operator("<", [t.integer(0), x, t.integer(5)])
    (and (< 0 x) (< x 5))

What Cleave's terms have no operator for is written with those they have. Where Reals and Ints meet, the Ints are taken
as Reals, as Z3 does and as files write ``(<= 0 x)`` for a Real x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import pairwise
from typing import NamedTuple

from cleave.logic import terms as t
from cleave.logic.floats.text import is_float_word, read_float
from cleave.logic.sorts import BOOL, INT, REAL, Sort
from cleave.logic.terms import Op, SortError, Term
from cleave.logic.walk import fold

_MANY = 1 << 60


class Operator(NamedTuple):
    """How many arguments (or, of an indexed one, arguments and indices) an operator takes, and what it builds."""

    least: int
    most: int
    build: Callable[..., Term]


def operator(word: str, args: Sequence[Term]) -> Term:
    """A named operator applied. Raises `SortError` when it does not exist or does not fit."""
    found = OPERATORS.get(word)
    if found is None:
        raise SortError(f"{word} is not known")
    if not found.least <= len(args) <= found.most:
        raise SortError(f"{word} does not take {_count(len(args), 'argument')}")
    try:
        return found.build(*args)
    except SortError as error:
        if not any(a.sort is INT for a in args):
            raise
        try:
            return found.build(*[as_real(a) if a.sort is INT else a for a in args])
        except SortError:
            raise error from None


def indexed(word: str, indices: Sequence[int], args: Sequence[Term]) -> Term:
    """``((_ word indices...) args...)``."""
    if is_float_word(word):
        return read_float(word, indices, args)
    found = INDEXED.get(word)
    if found is None:
        raise SortError(f"(_ {word} ...) is not known")
    if len(indices) != found.least or len(args) != 1:
        raise SortError(f"(_ {word} ...) takes {_count(found.least, 'index')} and one argument")
    return found.build(args[0], *indices)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {'indices' if what == 'index' else what + 's'}"


def as_real(term: Term) -> Term:
    """An Int as a Real, with the conversion at the leaves: of literals nothing is left of it."""
    if term.op is Op.VALUE:
        return t.real(term.value)
    return fold(term, _real_node)


def _real_node(node: Term, args: list[Term]) -> Term:
    """Conditions and all that is below other operators stay as they were."""
    if node.sort is not INT:
        return node
    match node.op:
        case Op.ITE:
            return t.ite(node.args[0], args[1], args[2])
        case Op.ADD:
            return t.add(*args)
        case Op.SUB:
            return t.sub(*args)
        case Op.MUL:
            return t.mul(*args)
        case Op.NEG:
            return t.minus(*args)
        case _:
            return t.to_real(node)


# --- n-ary operators --------------------------------------------------------------------------------------------------


def _left(build: Callable[[Term, Term], Term]) -> Operator:
    return Operator(1, _MANY, lambda first, *rest: reduce(build, rest, first))


def _right(*args: Term) -> Term:
    return reduce(lambda done, a: t.implies(a, done), args[-2::-1], args[-1])


def _chain(build: Callable[[Term, Term], Term]) -> Operator:
    def chained(*args: Term) -> Term:
        if len(args) == 2:
            return build(args[0], args[1])
        return t.conj_all([build(a, b) for a, b in pairwise(args)])

    return Operator(2, _MANY, chained)


def _subtract(*args: Term) -> Term:
    return t.minus(args[0]) if len(args) == 1 else reduce(t.sub, args)


def _xor(a: Term, b: Term) -> Term:
    if a.sort is not BOOL:
        raise SortError(f"xor takes Bool, not {a.sort!r}")
    return t.neg(t.eq(a, b))


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _absolute(a: Term) -> Term:
    return t.ite(t.le(_zero(a.sort), a), a, t.minus(a))


def _zero(sort: Sort) -> Term:
    return t.real(0) if sort is REAL else t.integer(0)


def _remainder(a: Term, b: Term) -> Term:
    """Z3's ``rem``: has the sign of the divisor."""
    return t.ite(t.le(t.integer(0), b), t.mod(a, b), t.minus(t.mod(a, b)))


def _divisible(a: Term, number: int) -> Term:
    if number < 1:
        raise SortError("divisible needs a positive number")
    return t.eq(t.mod(a, t.integer(number)), t.integer(0))


# --- bit vectors ------------------------------------------------------------------------------------------------------


def _compare_bits(a: Term, b: Term) -> Term:
    _need_bits(a)
    return t.ite(t.eq(a, b), t.bv(1, 1), t.bv(0, 1))


def _need_bits(a: Term) -> None:
    if not a.sort.is_bitvec:
        raise SortError(f"a bit vector expected, not {a.sort!r}")


def _negated(op: Op) -> Operator:
    return Operator(2, 2, lambda a, b: t.bv_unary(Op.BV_NOT, t.bv_binary(op, a, b)))


def _ambiguous(_: Term) -> Term:
    """Never a standard word: a file that uses it was written for one solver or for the other."""
    raise SortError("bv2int is unsigned to Z3 and signed to Eldarica: write ubv_to_int or sbv_to_int")


def _signed_value(a: Term) -> Term:
    _need_bits(a)
    width = a.sort.width
    below_zero = t.eq(t.extract(a, width - 1, width - 1), t.bv(1, 1))
    return t.ite(below_zero, t.sub(t.bv_to_int(a), t.integer(1 << width)), t.bv_to_int(a))


def _rotate_left(a: Term, bits: int) -> Term:
    _need_bits(a)
    width = a.sort.width
    bits %= width
    return t.concat(t.extract(a, width - 1 - bits, 0), t.extract(a, width - 1, width - bits)) if bits else a


def _rotate_right(a: Term, bits: int) -> Term:
    _need_bits(a)
    return _rotate_left(a, -bits % a.sort.width)


def _repeat(a: Term, count: int) -> Term:
    if not 0 < count < 1 << 20:
        raise SortError("repeat needs a positive number")
    return reduce(t.concat, [a] * count)


def _to_bits(a: Term, width: int) -> Term:
    if width < 1:
        raise SortError("a bit vector needs at least one bit")
    return t.int_to_bv(a, width)


_DIVISIONS = (Op.BV_UDIV, Op.BV_UREM, Op.BV_SDIV, Op.BV_SREM, Op.BV_SMOD)
_SHIFTS = (Op.BV_SHL, Op.BV_LSHR, Op.BV_ASHR)
_ASSOCIATIVE = (Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_ADD, Op.BV_MUL, Op.BV_SUB)
_COMPARISONS = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
_SWAPPED = {"bvugt": Op.BV_ULT, "bvuge": Op.BV_ULE, "bvsgt": Op.BV_SLT, "bvsge": Op.BV_SLE}


def _swapped(op: Op) -> Operator:
    return Operator(2, 2, lambda a, b: t.bv_compare(op, b, a))


OPERATORS: dict[str, Operator] = {
    "not": Operator(1, 1, t.neg),
    "and": Operator(0, _MANY, t.conj),
    "or": Operator(0, _MANY, t.disj),
    "=>": Operator(1, _MANY, _right),
    "implies": Operator(1, _MANY, _right),
    "xor": _left(_xor),
    "ite": Operator(3, 3, t.ite),
    "if": Operator(3, 3, t.ite),
    "=": _chain(t.eq),
    "iff": _chain(t.eq),
    "distinct": Operator(1, _MANY, t.distinct),
    "+": _left(t.add),
    "-": Operator(1, _MANY, _subtract),
    "~": Operator(1, 1, t.minus),  # SMT-LIB 1's, still written by some tools
    "*": _left(t.mul),
    "/": _left(t.real_div),
    "div": _left(t.div),
    "mod": Operator(2, 2, t.mod),
    "rem": Operator(2, 2, _remainder),
    "abs": Operator(1, 1, _absolute),
    "<=": _chain(t.le),
    "<": _chain(t.lt),
    ">=": _chain(t.ge),
    ">": _chain(t.gt),
    "to_real": Operator(1, 1, lambda a: a if a.sort is REAL else t.to_real(a)),
    "to_int": Operator(1, 1, t.to_int),
    "is_int": Operator(1, 1, lambda a: t.eq(t.to_real(t.to_int(a)), a)),
    "select": Operator(2, 2, t.select),
    "store": Operator(3, 3, t.store),
    "concat": _left(t.concat),
    "bvcomp": Operator(2, 2, _compare_bits),
    "bvnand": _negated(Op.BV_AND),
    "bvnor": _negated(Op.BV_OR),
    "bvxnor": _negated(Op.BV_XOR),
    "sbv_to_int": Operator(1, 1, _signed_value),
    **{word: Operator(1, 1, t.bv_to_int) for word in ("ubv_to_int", "bv2nat")},
    "bv2int": Operator(1, 1, _ambiguous),
    **{op.value: Operator(1, 1, partial(t.bv_unary, op)) for op in (Op.BV_NOT, Op.BV_NEG)},
    **{op.value: _left(partial(t.bv_binary, op)) for op in _ASSOCIATIVE},
    **{op.value: Operator(2, 2, partial(t.bv_binary, op)) for op in (*_DIVISIONS, *_SHIFTS)},
    # Z3's names of the divisions after it has dealt with a divisor of zero.
    **{f"{op.value}_i": Operator(2, 2, partial(t.bv_binary, op)) for op in _DIVISIONS},
    **{op.value: Operator(2, 2, partial(t.bv_compare, op)) for op in _COMPARISONS},
    **{word: _swapped(op) for word, op in _SWAPPED.items()},
}

INDEXED: dict[str, Operator] = {
    "extract": Operator(2, 2, t.extract),
    "zero_extend": Operator(1, 1, t.zero_extend),
    "sign_extend": Operator(1, 1, t.sign_extend),
    "rotate_left": Operator(1, 1, _rotate_left),
    "rotate_right": Operator(1, 1, _rotate_right),
    "repeat": Operator(1, 1, _repeat),
    "divisible": Operator(1, 1, _divisible),
    **{word: Operator(1, 1, _to_bits) for word in ("int_to_bv", "int2bv", "nat2bv")},
}
