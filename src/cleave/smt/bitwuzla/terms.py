"""From Cleave's terms to Bitwuzla's.

Variables are Bitwuzla's constants. A quantifier needs Bitwuzla's variables instead, each bound once: they are made with
the quantifier and substituted for the constants in its body. Triggers are dropped, as Bitwuzla has none.

There are no unbounded numbers in Bitwuzla, and its uninterpreted sorts end the process in some cases (version 0.9.1):
terms with Int, Real or such a sort are refused with `UnsupportedError`.
"""

from __future__ import annotations

from typing import Any

import bitwuzla
from bitwuzla import Kind

from cleave.errors import UnsupportedError
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder

_KINDS: dict[Op, Any] = {
    Op.NOT: Kind.NOT,
    Op.AND: Kind.AND,
    Op.OR: Kind.OR,
    Op.IMPLIES: Kind.IMPLIES,
    Op.ITE: Kind.ITE,
    Op.EQ: Kind.EQUAL,
    Op.DISTINCT: Kind.DISTINCT,
    Op.SELECT: Kind.ARRAY_SELECT,
    Op.STORE: Kind.ARRAY_STORE,
    Op.CONCAT: Kind.BV_CONCAT,
    Op.BV_NOT: Kind.BV_NOT,
    Op.BV_NEG: Kind.BV_NEG,
    Op.BV_AND: Kind.BV_AND,
    Op.BV_OR: Kind.BV_OR,
    Op.BV_XOR: Kind.BV_XOR,
    Op.BV_ADD: Kind.BV_ADD,
    Op.BV_SUB: Kind.BV_SUB,
    Op.BV_MUL: Kind.BV_MUL,
    Op.BV_UDIV: Kind.BV_UDIV,
    Op.BV_UREM: Kind.BV_UREM,
    Op.BV_SDIV: Kind.BV_SDIV,
    Op.BV_SREM: Kind.BV_SREM,
    Op.BV_SMOD: Kind.BV_SMOD,
    Op.BV_SHL: Kind.BV_SHL,
    Op.BV_LSHR: Kind.BV_SHR,
    Op.BV_ASHR: Kind.BV_ASHR,
    Op.BV_ULT: Kind.BV_ULT,
    Op.BV_ULE: Kind.BV_ULE,
    Op.BV_SLT: Kind.BV_SLT,
    Op.BV_SLE: Kind.BV_SLE,
}
_INDEXED: dict[Op, Any] = {
    Op.EXTRACT: Kind.BV_EXTRACT,
    Op.ZERO_EXTEND: Kind.BV_ZERO_EXTEND,
    Op.SIGN_EXTEND: Kind.BV_SIGN_EXTEND,
}


class Translator:
    """Translates terms, sorts and functions for one term manager, and remembers them."""

    def __init__(self, terms: Any) -> None:
        self.terms = terms
        self._made: dict[Term, Any] = {}
        self._done: set[Term] = set()  # the keys of _made, as `postorder` wants them
        self._sorts: dict[Sort, Any] = {}
        self._functions: dict[Function, Any] = {}

    def term(self, term: Term) -> Any:
        """The native form of ``term``."""
        found = self._made.get(term)
        if found is not None:
            return found
        made = self._made
        for node in postorder((term,), self._done):
            try:
                made[node] = self._make(node, [made[a] for a in node.args])
            except bitwuzla.BitwuzlaException as error:
                self._done.discard(node)
                raise UnsupportedError(f"Bitwuzla does not handle {node.op.value} here: {error}") from error
            except BaseException:
                self._done.discard(node)
                raise
        return made[term]

    def _make(self, node: Term, args: list[Any]) -> Any:
        kind = _KINDS.get(node.op)
        if kind is not None:
            return self.terms.mk_term(kind, args)
        if node.op in FLOATING:
            return self.term(circuit(node))
        match node.op:
            case Op.VAR:
                return self.terms.mk_const(self.sort(node.sort), _printable(node.value))
            case Op.VALUE:
                return self._value(node)
            case Op.APPLY:
                function = self.function(node.value)
                return self.terms.mk_term(Kind.APPLY, [function, *args]) if args else function
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(node, args[0])
            case Op.CONST_ARRAY:
                return self.terms.mk_const_array(self.sort(node.sort), args[0])
            case Op.EXTRACT:
                return self.terms.mk_term(_INDEXED[node.op], args, list(node.value))
            case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
                return self.terms.mk_term(_INDEXED[node.op], args, [node.value])
            case _:
                raise UnsupportedError(f"Bitwuzla does not handle {node.op.value} on {node.sort!r}")

    def _value(self, node: Term) -> Any:
        if node.sort.is_bool:
            return self.terms.mk_true() if node.value else self.terms.mk_false()
        return self.terms.mk_bv_value(self.sort(node.sort), f"{node.value:x}", 16)

    def _quantifier(self, node: Term, body: Any) -> Any:
        variables = {
            self.term(v): self.terms.mk_var(self.sort(v.sort), _printable(v.value)) for v in node.value.variables
        }
        replaced = self.terms.substitute_term(body, variables)
        kind = Kind.FORALL if node.op is Op.FORALL else Kind.EXISTS
        return self.terms.mk_term(kind, [*variables.values(), replaced])

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._make_sort(sort)
        return found

    def _make_sort(self, sort: Sort) -> Any:
        match sort.kind:
            case SortKind.BOOL:
                return self.terms.mk_bool_sort()
            case SortKind.BITVEC:
                return self.terms.mk_bv_sort(sort.width)
            case SortKind.ARRAY:
                return self.terms.mk_array_sort(self.sort(sort.index), self.sort(sort.element))
            case _:
                raise UnsupportedError(f"Bitwuzla has no sort {sort!r}")

    def function(self, function: Function) -> Any:
        """The native constant of a function sort; of its result if there are no arguments."""
        found = self._functions.get(function)
        if found is None:
            sort = self.sort(function.result)
            if function.arguments:
                sort = self.terms.mk_fun_sort([self.sort(s) for s in function.arguments], sort)
            found = self._functions[function] = self.terms.mk_const(sort, _printable(function.name))
        return found


def _printable(name: str) -> str:
    """Bitwuzla only shows names; what has no UTF-8 form is replaced."""
    return name.encode("utf-8", "replace").decode()
