"""Hash-consed, immutable, sorted terms: the only expressions in Cleave.

    >>> x = var("x", INT)
    >>> add(x, integer(1)) is add(x, integer(1))
    True
    >>> conj(lt(x, integer(3)), TRUE)
    (< x 3)

Equal terms are the same object, so ``is`` compares and any dictionary keyed by a term is keyed by structure. Terms
form a DAG of any depth: nothing here, and nothing that walks terms, recurses (see `walk`).

The constructors check sorts (`SortError`) and simplify locally and cheaply: constants are folded, units dropped,
``and``/``or`` flattened one level. They never look deeper than their arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from enum import Enum
from fractions import Fraction
from threading import RLock
from typing import Any, Final, NamedTuple
from weakref import ref

from cleave.logic.sorts import BOOL, INT, REAL, Sort, SortKind, array, bitvec


class SortError(TypeError):
    """A term was put together from arguments of the wrong sorts: a bug in the caller."""


class Op(Enum):
    """Operators; the value is the SMT-LIB name where there is one."""

    VAR = "var"
    VALUE = "value"
    APPLY = "apply"
    FORALL = "forall"
    EXISTS = "exists"

    NOT = "not"
    AND = "and"
    OR = "or"
    IMPLIES = "=>"
    ITE = "ite"
    EQ = "="
    DISTINCT = "distinct"

    ADD = "+"
    SUB = "-"
    NEG = "neg"
    MUL = "*"
    DIV = "div"
    MOD = "mod"
    REAL_DIV = "/"
    LE = "<="
    LT = "<"
    TO_REAL = "to_real"
    TO_INT = "to_int"

    SELECT = "select"
    STORE = "store"
    CONST_ARRAY = "const-array"

    CONCAT = "concat"
    EXTRACT = "extract"
    ZERO_EXTEND = "zero_extend"
    SIGN_EXTEND = "sign_extend"
    BV_NOT = "bvnot"
    BV_NEG = "bvneg"
    BV_AND = "bvand"
    BV_OR = "bvor"
    BV_XOR = "bvxor"
    BV_ADD = "bvadd"
    BV_SUB = "bvsub"
    BV_MUL = "bvmul"
    BV_UDIV = "bvudiv"
    BV_UREM = "bvurem"
    BV_SDIV = "bvsdiv"
    BV_SREM = "bvsrem"
    BV_SMOD = "bvsmod"
    BV_SHL = "bvshl"
    BV_LSHR = "bvlshr"
    BV_ASHR = "bvashr"
    BV_ULT = "bvult"
    BV_ULE = "bvule"
    BV_SLT = "bvslt"
    BV_SLE = "bvsle"
    BV_TO_INT = "ubv_to_int"
    INT_TO_BV = "int_to_bv"

    # Of data types; made by `datatypes`.
    CONSTRUCT = "construct"
    FIELD = "field"
    TEST = "is"

    # Of floating-point numbers, which are bit vectors; made by `floats.operations`.
    FP_ADD = "fp.add"
    FP_SUB = "fp.sub"
    FP_MUL = "fp.mul"
    FP_DIV = "fp.div"
    FP_FMA = "fp.fma"
    FP_SQRT = "fp.sqrt"
    FP_ROUND = "fp.roundToIntegral"
    FP_CONVERT = "fp.to_fp"
    FP_FROM_SIGNED = "fp.from_sbv"
    FP_FROM_UNSIGNED = "fp.from_ubv"
    FP_TO_SIGNED = "fp.to_sbv"
    FP_TO_UNSIGNED = "fp.to_ubv"
    FP_EQ = "fp.eq"
    FP_LT = "fp.lt"
    FP_LE = "fp.leq"

    # The members are singletons, so hashing by identity is right, and several times faster than Enum's own hash.
    __hash__ = object.__hash__


class Function(NamedTuple):
    """An uninterpreted function symbol."""

    name: str
    arguments: tuple[Sort, ...]
    result: Sort


class Binder(NamedTuple):
    """What a quantifier binds. The quantifier's arguments are its body and then the terms of all its triggers, one
    trigger after the other; ``trigger_sizes`` says how many terms belong to each."""

    variables: tuple[Term, ...]
    trigger_sizes: tuple[int, ...]


class Term:
    """One node of the DAG. ``value`` depends on the operator:

    VAR: the name. VALUE: a bool, int or Fraction. APPLY: the Function. FORALL, EXISTS: the Binder.
    EXTRACT: (high, low). ZERO_EXTEND, SIGN_EXTEND: the number of bits added. CONSTRUCT, TEST: the constructor's number.
    FIELD: the constructor's number and the field's. FP_ADD and the like: a `floats.formats.Floating`. Otherwise None.
    """

    __slots__ = ("__weakref__", "args", "free", "op", "quantified", "sort", "value")

    op: Op
    sort: Sort
    args: tuple[Term, ...]
    value: Any
    free: frozenset[Term] | None  # the free variables, once `walk.free_variables` was asked
    quantified: bool | None  # whether it has a quantifier, once `walk.has_quantifier` was asked

    def __repr__(self) -> str:
        from cleave.logic.smtlib import print_term

        return print_term(self)

    @property
    def is_true(self) -> bool:
        return self is TRUE

    @property
    def is_false(self) -> bool:
        return self is FALSE

    @property
    def is_value(self) -> bool:
        return self.op is Op.VALUE

    @property
    def is_var(self) -> bool:
        return self.op is Op.VAR

    @property
    def name(self) -> str:
        """The name of a variable."""
        assert self.op is Op.VAR
        name: str = self.value
        return name


class _Entry(ref[Term]):
    """A weak reference that knows its place in the table."""

    __slots__ = ("key",)

    key: tuple[Any, ...]


_table: dict[tuple[Any, ...], _Entry] = {}  # a WeakValueDictionary with less work on each look-up
_removing = RLock()  # held while an entry is removed or replaced; a term may die, and call `_forget`, at any moment


def _forget(entry: ref[Term], is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
    """Not when the interpreter ends: a thread that it froze may hold the lock for ever."""
    if is_ending():
        return
    assert isinstance(entry, _Entry)
    with _removing:
        if _table.get(entry.key) is entry:
            del _table[entry.key]


def make(op: Op, args: tuple[Term, ...], sort: Sort, value: Any = None) -> Term:
    """The one term with these parts, unchecked and unsimplified; for decoders and rewriters.

    Threads that make the same term get the same object. `dict.setdefault` looks and inserts in one step, so that only a
    dead term that is still in the table needs the lock.
    """
    key = (op, value, sort, *args)
    entry = _table.get(key)
    if entry is not None:
        found = entry()
        if found is not None:
            return found
    made = Term.__new__(Term)
    made.op = op
    made.sort = sort
    made.args = args
    made.value = value
    made.free = made.quantified = None
    entry = _Entry(made, _forget)
    entry.key = key
    present = _table.setdefault(key, entry)
    return made if present is entry else _agreed(present, entry)


def _agreed(present: _Entry, entry: _Entry) -> Term:
    """The term of ``present``, which another thread inserted, or else, if that term has died, the term of ``entry``."""
    with _removing:
        while (found := present()) is None:
            _forget(present)
            present = _table.setdefault(entry.key, entry)
    return found


def _require(condition: bool, op: Op, *args: Term) -> None:
    if not condition:
        raise SortError(f"{op.value} does not take {', '.join(repr(a.sort) for a in args)}")


# --- leaves ---------------------------------------------------------------------------------------------------------

TRUE: Final = make(Op.VALUE, (), BOOL, True)
FALSE: Final = make(Op.VALUE, (), BOOL, False)


def var(name: str, sort: Sort) -> Term:
    return make(Op.VAR, (), sort, name)


def boolean(value: bool) -> Term:
    return TRUE if value else FALSE


def integer(value: int) -> Term:
    return make(Op.VALUE, (), INT, int(value))


def real(value: Fraction | int) -> Term:
    return make(Op.VALUE, (), REAL, Fraction(value))


def bv(value: int, width: int) -> Term:
    """A bit-vector constant, kept as its unsigned value."""
    return make(Op.VALUE, (), bitvec(width), value % (1 << width))


def value_of(value: Any, sort: Sort) -> Term:
    """The constant of ``sort`` for a Python value."""
    match sort.kind:
        case SortKind.BOOL:
            return boolean(value)
        case SortKind.INT:
            return integer(value)
        case SortKind.REAL:
            return real(value)
        case SortKind.BITVEC:
            return bv(value, sort.width)
        case _:
            raise SortError(f"no constants of sort {sort!r}")


def apply(function: Function, *args: Term) -> Term:
    if tuple(a.sort for a in args) != function.arguments:
        raise SortError(f"{function.name} takes {function.arguments}, not {[a.sort for a in args]}")
    return make(Op.APPLY, args, function.result, function)


# --- Booleans -------------------------------------------------------------------------------------------------------


def neg(a: Term) -> Term:
    """Logical negation."""
    if a.sort is not BOOL:
        raise SortError(f"not takes Bool, not {a.sort!r}")
    if a.op is Op.NOT:
        return a.args[0]
    if a.op is Op.VALUE:
        return FALSE if a.value else TRUE
    return make(Op.NOT, (a,), BOOL)


def conj(*args: Term) -> Term:
    return conj_all(args)


def disj(*args: Term) -> Term:
    return disj_all(args)


def conj_all(args: Iterable[Term]) -> Term:
    return _junction(Op.AND, args, TRUE, FALSE)


def disj_all(args: Iterable[Term]) -> Term:
    return _junction(Op.OR, args, FALSE, TRUE)


def _junction(op: Op, args: Iterable[Term], unit: Term, zero: Term) -> Term:
    parts: dict[Term, None] = {}
    for a in args:
        if a.op is op:
            parts.update(dict.fromkeys(a.args))
        elif a is not unit:
            if a.sort is not BOOL:
                raise SortError(f"{op.value} takes Bool, not {a.sort!r}")
            if a is zero:
                return zero
            parts[a] = None
    if not parts:
        return unit
    if len(parts) == 1:
        return next(iter(parts))
    return make(op, tuple(parts), BOOL)


def implies(a: Term, b: Term) -> Term:
    _require(a.sort is BOOL and b.sort is BOOL, Op.IMPLIES, a, b)
    if a is TRUE:
        return b
    if a is FALSE or b is TRUE or a is b:
        return TRUE
    if b is FALSE:
        return neg(a)
    return make(Op.IMPLIES, (a, b), BOOL)


def ite(condition: Term, then: Term, other: Term) -> Term:
    _require(condition.sort is BOOL and then.sort is other.sort, Op.ITE, condition, then, other)
    if condition.op is Op.VALUE:
        return then if condition.value else other
    if then is other:
        return then
    return make(Op.ITE, (condition, then, other), then.sort)


def eq(a: Term, b: Term) -> Term:
    if a.sort is not b.sort:
        raise SortError(f"= takes two terms of one sort, not {a.sort!r} and {b.sort!r}")
    if a is b:
        return TRUE
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return FALSE
    if a.sort is BOOL:
        if a.op is Op.VALUE:
            return b if a.value else neg(b)
        if b.op is Op.VALUE:
            return a if b.value else neg(a)
    return make(Op.EQ, (a, b), BOOL)


def distinct(*args: Term) -> Term:
    _require(all(a.sort is args[0].sort for a in args), Op.DISTINCT, *args)
    if len(args) < 2:
        return TRUE
    if len(set(args)) < len(args):
        return FALSE
    if len(args) == 2:
        return neg(eq(*args))
    if all(a.is_value for a in args):
        return TRUE
    return make(Op.DISTINCT, args, BOOL)


def forall(variables: tuple[Term, ...], body: Term, triggers: tuple[tuple[Term, ...], ...] = ()) -> Term:
    return _quantifier(Op.FORALL, variables, body, triggers)


def exists(variables: tuple[Term, ...], body: Term, triggers: tuple[tuple[Term, ...], ...] = ()) -> Term:
    return _quantifier(Op.EXISTS, variables, body, triggers)


def _quantifier(op: Op, variables: tuple[Term, ...], body: Term, triggers: tuple[tuple[Term, ...], ...]) -> Term:
    if body.sort is not BOOL or not all(v.op is Op.VAR for v in variables):
        raise SortError("a quantifier binds variables over a Bool")
    if not variables or body.op is Op.VALUE:
        return body
    flat = tuple(t for trigger in triggers for t in trigger)
    return make(op, (body, *flat), BOOL, Binder(variables, tuple(len(trigger) for trigger in triggers)))


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _arithmetic(op: Op, args: tuple[Term, ...]) -> Sort:
    sort = args[0].sort
    if sort is not INT and sort is not REAL:
        raise SortError(f"{op.value} takes numbers, not {sort!r}")
    for a in args:
        if a.sort is not sort:
            raise SortError(f"{op.value} takes numbers of one sort, not {sort!r} and {a.sort!r}")
    return sort


def add(a: Term, b: Term) -> Term:
    sort = _arithmetic(Op.ADD, (a, b))
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return value_of(a.value + b.value, sort)
    if a.op is Op.VALUE and a.value == 0:
        return b
    if b.op is Op.VALUE and b.value == 0:
        return a
    return make(Op.ADD, (a, b), sort)


def sub(a: Term, b: Term) -> Term:
    sort = _arithmetic(Op.SUB, (a, b))
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return value_of(a.value - b.value, sort)
    if b.op is Op.VALUE and b.value == 0:
        return a
    return make(Op.SUB, (a, b), sort)


def minus(a: Term) -> Term:
    """Arithmetic negation."""
    sort = _arithmetic(Op.NEG, (a,))
    if a.op is Op.VALUE:
        return value_of(-a.value, sort)
    return make(Op.NEG, (a,), sort)


def mul(a: Term, b: Term) -> Term:
    sort = _arithmetic(Op.MUL, (a, b))
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return value_of(a.value * b.value, sort)
    for one, other in ((a, b), (b, a)):
        if one.op is Op.VALUE and one.value == 1:
            return other
        if one.op is Op.VALUE and one.value == 0:
            return one
    return make(Op.MUL, (a, b), sort)


def div(a: Term, b: Term) -> Term:
    """SMT-LIB's integer division: the remainder is never negative; by zero, any fixed value."""
    _require(a.sort is INT and b.sort is INT, Op.DIV, a, b)
    if a.op is Op.VALUE and b.op is Op.VALUE and b.value != 0:
        return integer(euclidean_quotient(a.value, b.value))
    return make(Op.DIV, (a, b), INT)


def mod(a: Term, b: Term) -> Term:
    """SMT-LIB's remainder, between 0 and abs(b)-1."""
    _require(a.sort is INT and b.sort is INT, Op.MOD, a, b)
    if a.op is Op.VALUE and b.op is Op.VALUE and b.value != 0:
        return integer(a.value - b.value * euclidean_quotient(a.value, b.value))
    return make(Op.MOD, (a, b), INT)


def euclidean_quotient(a: int, b: int) -> int:
    return int(a // b) if b > 0 else int(-(a // -b))


def real_div(a: Term, b: Term) -> Term:
    _require(a.sort is REAL and b.sort is REAL, Op.REAL_DIV, a, b)
    if a.op is Op.VALUE and b.op is Op.VALUE and b.value != 0:
        return real(a.value / b.value)
    return make(Op.REAL_DIV, (a, b), REAL)


def le(a: Term, b: Term) -> Term:
    _arithmetic(Op.LE, (a, b))
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return boolean(a.value <= b.value)
    return TRUE if a is b else make(Op.LE, (a, b), BOOL)


def lt(a: Term, b: Term) -> Term:
    _arithmetic(Op.LT, (a, b))
    if a.op is Op.VALUE and b.op is Op.VALUE:
        return boolean(a.value < b.value)
    return FALSE if a is b else make(Op.LT, (a, b), BOOL)


def ge(a: Term, b: Term) -> Term:
    return le(b, a)


def gt(a: Term, b: Term) -> Term:
    return lt(b, a)


def to_real(a: Term) -> Term:
    _require(a.sort is INT, Op.TO_REAL, a)
    return real(a.value) if a.op is Op.VALUE else make(Op.TO_REAL, (a,), REAL)


def to_int(a: Term) -> Term:
    """The greatest integer not above ``a``."""
    _require(a.sort is REAL, Op.TO_INT, a)
    return integer(a.value.__floor__()) if a.op is Op.VALUE else make(Op.TO_INT, (a,), INT)


# --- arrays ---------------------------------------------------------------------------------------------------------


def select(a: Term, index: Term) -> Term:
    _require(a.sort.is_array and a.sort.index is index.sort, Op.SELECT, a, index)
    if a.op is Op.CONST_ARRAY:
        return a.args[0]
    if a.op is Op.STORE and a.args[1] is index:
        return a.args[2]
    return make(Op.SELECT, (a, index), a.sort.element)


def store(a: Term, index: Term, element: Term) -> Term:
    _require(
        a.sort.is_array and a.sort.index is index.sort and a.sort.element is element.sort, Op.STORE, a, index, element
    )
    return make(Op.STORE, (a, index, element), a.sort)


def const_array(index: Sort, element: Term) -> Term:
    """The array that holds ``element`` everywhere."""
    return make(Op.CONST_ARRAY, (element,), array(index, element.sort))


# --- bit vectors ----------------------------------------------------------------------------------------------------


def signed(value: int, width: int) -> int:
    """An unsigned bit pattern read as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def bv_unary(op: Op, a: Term) -> Term:
    """BV_NOT or BV_NEG."""
    _require(a.sort.is_bitvec, op, a)
    return make(op, (a,), a.sort)


def bv_binary(op: Op, a: Term, b: Term) -> Term:
    """Arithmetic, bitwise or shift: both arguments and the result have one width."""
    _require(a.sort.is_bitvec and a.sort is b.sort, op, a, b)
    return make(op, (a, b), a.sort)


def bv_compare(op: Op, a: Term, b: Term) -> Term:
    """BV_ULT, BV_ULE, BV_SLT or BV_SLE."""
    _require(a.sort.is_bitvec and a.sort is b.sort, op, a, b)
    return make(op, (a, b), BOOL)


def concat(high: Term, low: Term) -> Term:
    _require(high.sort.is_bitvec and low.sort.is_bitvec, Op.CONCAT, high, low)
    if high.op is Op.VALUE and low.op is Op.VALUE:
        return bv(high.value << low.sort.width | low.value, high.sort.width + low.sort.width)
    return make(Op.CONCAT, (high, low), bitvec(high.sort.width + low.sort.width))


def extract(a: Term, high: int, low: int) -> Term:
    """Bits ``high`` down to ``low``, both included."""
    _require(a.sort.is_bitvec and 0 <= low <= high < a.sort.width, Op.EXTRACT, a)
    if low == 0 and high == a.sort.width - 1:
        return a
    if a.op is Op.VALUE:
        return bv(a.value >> low, high - low + 1)
    return make(Op.EXTRACT, (a,), bitvec(high - low + 1), (high, low))


def zero_extend(a: Term, bits: int) -> Term:
    _require(a.sort.is_bitvec and bits >= 0, Op.ZERO_EXTEND, a)
    if bits == 0:
        return a
    if a.op is Op.VALUE:
        return bv(a.value, a.sort.width + bits)
    return make(Op.ZERO_EXTEND, (a,), bitvec(a.sort.width + bits), bits)


def sign_extend(a: Term, bits: int) -> Term:
    _require(a.sort.is_bitvec and bits >= 0, Op.SIGN_EXTEND, a)
    if bits == 0:
        return a
    if a.op is Op.VALUE:
        return bv(signed(a.value, a.sort.width), a.sort.width + bits)
    return make(Op.SIGN_EXTEND, (a,), bitvec(a.sort.width + bits), bits)


def bv_to_int(a: Term) -> Term:
    """The unsigned value."""
    _require(a.sort.is_bitvec, Op.BV_TO_INT, a)
    return integer(a.value) if a.op is Op.VALUE else make(Op.BV_TO_INT, (a,), INT)


def int_to_bv(a: Term, width: int) -> Term:
    """The value modulo two to the width."""
    _require(a.sort is INT, Op.INT_TO_BV, a)
    return bv(a.value, width) if a.op is Op.VALUE else make(Op.INT_TO_BV, (a,), bitvec(width))
