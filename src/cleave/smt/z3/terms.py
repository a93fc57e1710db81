"""From Cleave's terms to Z3's.

    translator = Translator(Context())
    translator.ast(lt(x, integer(3)))       # the native (< x 3), the same pointer each time

Each node is translated once and kept as long as the translator. Nothing recurses, so that depth does not matter.

Variables are Z3 constants, bound ones too: making a quantifier abstracts the constants of its variables from its body.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from cleave.errors import InternalError
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import REAL, Sort, SortKind
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, triggers
from cleave.smt.z3.datatypes import Datatypes
from cleave.smt.z3.native import Context, array, lib

_FIXED: dict[Op, Any] = {
    Op.NOT: lib.Z3_mk_not,
    Op.IMPLIES: lib.Z3_mk_implies,
    Op.ITE: lib.Z3_mk_ite,
    Op.EQ: lib.Z3_mk_eq,
    Op.NEG: lib.Z3_mk_unary_minus,
    Op.DIV: lib.Z3_mk_div,
    Op.MOD: lib.Z3_mk_mod,
    Op.REAL_DIV: lib.Z3_mk_div,
    Op.LE: lib.Z3_mk_le,
    Op.LT: lib.Z3_mk_lt,
    Op.TO_REAL: lib.Z3_mk_int2real,
    Op.TO_INT: lib.Z3_mk_real2int,
    Op.SELECT: lib.Z3_mk_select,
    Op.STORE: lib.Z3_mk_store,
    Op.CONCAT: lib.Z3_mk_concat,
    Op.BV_NOT: lib.Z3_mk_bvnot,
    Op.BV_NEG: lib.Z3_mk_bvneg,
    Op.BV_AND: lib.Z3_mk_bvand,
    Op.BV_OR: lib.Z3_mk_bvor,
    Op.BV_XOR: lib.Z3_mk_bvxor,
    Op.BV_ADD: lib.Z3_mk_bvadd,
    Op.BV_SUB: lib.Z3_mk_bvsub,
    Op.BV_MUL: lib.Z3_mk_bvmul,
    Op.BV_UDIV: lib.Z3_mk_bvudiv,
    Op.BV_UREM: lib.Z3_mk_bvurem,
    Op.BV_SDIV: lib.Z3_mk_bvsdiv,
    Op.BV_SREM: lib.Z3_mk_bvsrem,
    Op.BV_SMOD: lib.Z3_mk_bvsmod,
    Op.BV_SHL: lib.Z3_mk_bvshl,
    Op.BV_LSHR: lib.Z3_mk_bvlshr,
    Op.BV_ASHR: lib.Z3_mk_bvashr,
    Op.BV_ULT: lib.Z3_mk_bvult,
    Op.BV_ULE: lib.Z3_mk_bvule,
    Op.BV_SLT: lib.Z3_mk_bvslt,
    Op.BV_SLE: lib.Z3_mk_bvsle,
}

_VARIADIC: dict[Op, Any] = {
    Op.AND: lib.Z3_mk_and,
    Op.OR: lib.Z3_mk_or,
    Op.DISTINCT: lib.Z3_mk_distinct,
    Op.ADD: lib.Z3_mk_add,
    Op.SUB: lib.Z3_mk_sub,
    Op.MUL: lib.Z3_mk_mul,
}

_SMALL = 1 << 62  # numbers below fit the quick way to make a numeral


class Translator:
    """Translates terms, sorts and functions into one context, and remembers them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._asts: dict[Term, int] = {}
        self._done: set[Term] = set()  # the keys of _asts, as `postorder` wants them
        self._sorts: dict[Sort, int] = {}
        self._functions: dict[Function, int] = {}
        self.datatypes = Datatypes(context, self.sort)

    def ast(self, term: Term) -> int:
        """The native form of ``term``; the translator owns it."""
        found = self._asts.get(term)
        if found is not None:
            return found
        asts, context = self._asts, self.context
        for node in postorder((term,), self._done):
            try:
                asts[node] = context.own(self._make(node, [asts[a] for a in node.args]))
            except BaseException:
                self._done.discard(node)
                raise
        return asts[term]

    def _make(self, node: Term, args: list[int]) -> int | None:
        """A new native node, not counted yet; None where Z3 refuses."""
        pointer, op = self.context.pointer, node.op
        fixed = _FIXED.get(op)
        if fixed is not None:
            return fixed(pointer, *args)  # type: ignore[no-any-return]
        variadic = _VARIADIC.get(op)
        if variadic is not None:
            return variadic(pointer, len(args), array(args))  # type: ignore[no-any-return]
        if op in FLOATING:
            return self.ast(circuit(node))
        made: int | None
        match op:
            case Op.VAR:
                made = lib.Z3_mk_const(pointer, self.context.symbol(node.value), self.sort(node.sort))
            case Op.VALUE:
                made = self._value(node)
            case Op.APPLY:
                made = lib.Z3_mk_app(pointer, self.function(node.value), len(args), array(args))
            case Op.FORALL | Op.EXISTS:
                made = self._quantifier(node, args[0])
            case Op.CONST_ARRAY:
                made = lib.Z3_mk_const_array(pointer, self.sort(node.sort.index), args[0])
            case Op.EXTRACT:
                made = lib.Z3_mk_extract(pointer, *node.value, args[0])
            case Op.ZERO_EXTEND:
                made = lib.Z3_mk_zero_ext(pointer, node.value, args[0])
            case Op.SIGN_EXTEND:
                made = lib.Z3_mk_sign_ext(pointer, node.value, args[0])
            case Op.BV_TO_INT:
                made = lib.Z3_mk_bv2int(pointer, args[0], False)
            case Op.INT_TO_BV:
                made = lib.Z3_mk_int2bv(pointer, node.sort.width, args[0])
            case Op.CONSTRUCT | Op.FIELD | Op.TEST:
                made = lib.Z3_mk_app(pointer, self._datatype_function(node), len(args), array(args))
            case _:
                raise InternalError(f"no translation of {op} to Z3")
        return made

    def _datatype_function(self, node: Term) -> int:
        if node.op is Op.CONSTRUCT:
            return self.datatypes.constructor(node.sort, node.value)
        if node.op is Op.TEST:
            return self.datatypes.tester(node.args[0].sort, node.value)
        return self.datatypes.selector(node.args[0].sort, *node.value)

    def _value(self, node: Term) -> int | None:
        pointer, value = self.context.pointer, node.value
        made: int | None
        if node.sort.is_bool:
            made = lib.Z3_mk_true(pointer) if value else lib.Z3_mk_false(pointer)
        elif node.sort is not REAL and -_SMALL < value < _SMALL:
            made = lib.Z3_mk_int64(pointer, value, self.sort(node.sort))
        else:
            made = lib.Z3_mk_numeral(pointer, numeral(value).encode(), self.sort(node.sort))
        return made

    def _quantifier(self, node: Term, body: int) -> int | None:
        pointer = self.context.pointer
        bound = [self.ast(variable) for variable in node.value.variables]
        patterns = [pattern for trigger in triggers(node) if (pattern := self._pattern(trigger)) is not None]
        for kept in (patterns, []):
            # Z3 refuses a trigger that misses a variable or holds a connective. A trigger is only advice, so that the
            # quantifier without any means the same.
            made: int | None = lib.Z3_mk_quantifier_const_ex(
                pointer, node.op is Op.FORALL, 1, None, None, len(bound), array(bound), len(kept), array(kept), 0, None,
                body,
            )  # fmt: skip
            if made is not None:
                break
        if made is not None:
            self.context.own(made)  # before the patterns are released
        for pattern in patterns:
            self.context.release(pattern)
        return made

    def _pattern(self, trigger: Sequence[Term]) -> int | None:
        made = lib.Z3_mk_pattern(self.context.pointer, len(trigger), array([self._asts[term] for term in trigger]))
        return None if made is None else self.context.keep(made)

    def sort(self, sort: Sort) -> int:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self.context.own(self._make_sort(sort))
        return found

    def _make_sort(self, sort: Sort) -> int | None:
        pointer = self.context.pointer
        made: int | None
        match sort.kind:
            case SortKind.BOOL:
                made = lib.Z3_mk_bool_sort(pointer)
            case SortKind.INT:
                made = lib.Z3_mk_int_sort(pointer)
            case SortKind.REAL:
                made = lib.Z3_mk_real_sort(pointer)
            case SortKind.BITVEC:
                made = lib.Z3_mk_bv_sort(pointer, sort.width)
            case SortKind.ARRAY:
                made = lib.Z3_mk_array_sort(pointer, self.sort(sort.index), self.sort(sort.element))
            case SortKind.UNINTERPRETED:
                made = lib.Z3_mk_uninterpreted_sort(pointer, self.context.symbol(sort.name))
            case SortKind.DATATYPE:
                made = self.datatypes.sort(sort)
        return made

    def function(self, function: Function) -> int:
        """The native declaration. A function without arguments gets a name of its own: to Z3 it would be the same as
        the variable of that name."""
        found = self._functions.get(function)
        if found is None:
            domain = [self.sort(s) for s in function.arguments]
            signature = (len(domain), array(domain), self.sort(function.result))
            if domain:
                made = lib.Z3_mk_func_decl(self.context.pointer, self.context.symbol(function.name), *signature)
            else:
                made = lib.Z3_mk_fresh_func_decl(self.context.pointer, b"constant", *signature)
            found = self._functions[function] = self.context.own(made)
        return found


def numeral(value: int | Fraction) -> str:
    """Decimal digits, or ``p/q``. Through Decimal, because Python refuses to print integers of over 4,300 digits."""
    if isinstance(value, Fraction):
        return f"{numeral(value.numerator)}/{numeral(value.denominator)}"
    return str(value) if -_SMALL < value < _SMALL else format(Decimal(value), "f")


def number(digits: str) -> int:
    """The other way."""
    return int(digits) if len(digits) < 20 else int(Decimal(digits))
