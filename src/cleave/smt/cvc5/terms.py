"""From Cleave's terms to cvc5's.

Variables are cvc5's constants. A quantifier needs cvc5's variables instead: they are made with the quantifier and
substituted for the constants in its body, so that a name may be free and bound in one term. Triggers are kept as
patterns.

An array that is constant needs a value as its element here: cvc5 knows no others (`UnsupportedError`).
"""

from __future__ import annotations

from typing import Any

import cvc5

from cleave.errors import UnsupportedError
from cleave.logic.datatypes import groups
from cleave.logic.floats.circuits import circuit
from cleave.logic.floats.operations import FLOATING
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, triggers

native: Any = cvc5  # a compiled module without type annotations
Kind = native.Kind

_KINDS: dict[Op, Any] = {
    Op.NOT: Kind.NOT,
    Op.AND: Kind.AND,
    Op.OR: Kind.OR,
    Op.IMPLIES: Kind.IMPLIES,
    Op.ITE: Kind.ITE,
    Op.EQ: Kind.EQUAL,
    Op.DISTINCT: Kind.DISTINCT,
    Op.ADD: Kind.ADD,
    Op.SUB: Kind.SUB,
    Op.NEG: Kind.NEG,
    Op.MUL: Kind.MULT,
    Op.DIV: Kind.INTS_DIVISION,
    Op.MOD: Kind.INTS_MODULUS,
    Op.REAL_DIV: Kind.DIVISION,
    Op.LE: Kind.LEQ,
    Op.LT: Kind.LT,
    Op.TO_REAL: Kind.TO_REAL,
    Op.TO_INT: Kind.TO_INTEGER,
    Op.SELECT: Kind.SELECT,
    Op.STORE: Kind.STORE,
    Op.CONCAT: Kind.BITVECTOR_CONCAT,
    Op.BV_NOT: Kind.BITVECTOR_NOT,
    Op.BV_NEG: Kind.BITVECTOR_NEG,
    Op.BV_AND: Kind.BITVECTOR_AND,
    Op.BV_OR: Kind.BITVECTOR_OR,
    Op.BV_XOR: Kind.BITVECTOR_XOR,
    Op.BV_ADD: Kind.BITVECTOR_ADD,
    Op.BV_SUB: Kind.BITVECTOR_SUB,
    Op.BV_MUL: Kind.BITVECTOR_MULT,
    Op.BV_UDIV: Kind.BITVECTOR_UDIV,
    Op.BV_UREM: Kind.BITVECTOR_UREM,
    Op.BV_SDIV: Kind.BITVECTOR_SDIV,
    Op.BV_SREM: Kind.BITVECTOR_SREM,
    Op.BV_SMOD: Kind.BITVECTOR_SMOD,
    Op.BV_SHL: Kind.BITVECTOR_SHL,
    Op.BV_LSHR: Kind.BITVECTOR_LSHR,
    Op.BV_ASHR: Kind.BITVECTOR_ASHR,
    Op.BV_ULT: Kind.BITVECTOR_ULT,
    Op.BV_ULE: Kind.BITVECTOR_ULE,
    Op.BV_SLT: Kind.BITVECTOR_SLT,
    Op.BV_SLE: Kind.BITVECTOR_SLE,
    Op.BV_TO_INT: Kind.BITVECTOR_UBV_TO_INT,
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
        made = self._made
        for node in postorder((term,), self._done):
            try:
                made[node] = self._make(node, [made[a] for a in node.args])
            except RuntimeError as error:
                raise UnsupportedError(f"cvc5 does not handle {node.op.value} here: {error}") from error
        return made[term]

    def _make(self, node: Term, args: list[Any]) -> Any:
        kind = _KINDS.get(node.op)
        if kind is not None:
            return self.terms.mkTerm(kind, *args)
        if node.op in FLOATING:
            return self.term(circuit(node))
        match node.op:
            case Op.VAR:
                return self.terms.mkConst(self.sort(node.sort), _printable(node.value))
            case Op.VALUE:
                return self._value(node)
            case Op.APPLY:
                function = self._function(node.value)
                return self.terms.mkTerm(Kind.APPLY_UF, function, *args) if args else function
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(node, args)
            case Op.CONST_ARRAY:
                return self.terms.mkConstArray(self.sort(node.sort), args[0])
            case Op.CONSTRUCT | Op.FIELD | Op.TEST:
                return self._of_datatype(node, args)
            case _:
                return self.terms.mkTerm(self._indexed(node), *args)

    def _of_datatype(self, node: Term, args: list[Any]) -> Any:
        if node.op is Op.CONSTRUCT:
            constructor = self.sort(node.sort).getDatatype()[node.value]
            return self.terms.mkTerm(Kind.APPLY_CONSTRUCTOR, constructor.getTerm(), *args)
        datatype = self.sort(node.args[0].sort).getDatatype()
        if node.op is Op.TEST:
            return self.terms.mkTerm(Kind.APPLY_TESTER, datatype[node.value].getTesterTerm(), *args)
        number, place = node.value
        return self.terms.mkTerm(Kind.APPLY_SELECTOR, datatype[number][place].getTerm(), *args)

    def _indexed(self, node: Term) -> Any:
        match node.op:
            case Op.EXTRACT:
                return self.terms.mkOp(Kind.BITVECTOR_EXTRACT, *node.value)
            case Op.ZERO_EXTEND:
                return self.terms.mkOp(Kind.BITVECTOR_ZERO_EXTEND, node.value)
            case Op.SIGN_EXTEND:
                return self.terms.mkOp(Kind.BITVECTOR_SIGN_EXTEND, node.value)
            case Op.INT_TO_BV:
                return self.terms.mkOp(Kind.INT_TO_BITVECTOR, node.sort.width)
            case _:
                raise UnsupportedError(f"cvc5 does not handle {node.op.value} on {node.sort!r}")

    def _value(self, node: Term) -> Any:
        match node.sort.kind:
            case SortKind.BOOL:
                return self.terms.mkBoolean(node.value)
            case SortKind.INT:
                return self.terms.mkInteger(str(node.value))
            case SortKind.REAL:
                return self.terms.mkReal(f"{node.value.numerator}/{node.value.denominator}")
            case _:
                return self.terms.mkBitVector(node.sort.width, f"{node.value:x}", 16)

    def _quantifier(self, node: Term, args: list[Any]) -> Any:
        constants = [self.term(v) for v in node.value.variables]
        variables = [self.terms.mkVar(self.sort(v.sort), _printable(v.value)) for v in node.value.variables]
        bound = {id(one): one.substitute(constants, variables) for one in args}
        parts = [self.terms.mkTerm(Kind.VARIABLE_LIST, *variables), bound[id(args[0])]]
        rest = iter(args[1:])
        patterns = [
            self.terms.mkTerm(Kind.INST_PATTERN, *(bound[id(next(rest))] for _ in one)) for one in triggers(node)
        ]
        if patterns:
            parts.append(self.terms.mkTerm(Kind.INST_PATTERN_LIST, *patterns))
        return self.terms.mkTerm(Kind.FORALL if node.op is Op.FORALL else Kind.EXISTS, *parts)

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            for group in groups((sort,)):
                self._declare(group)
            found = self._sorts[sort] = self._sorts.get(sort) or self._make_sort(sort)
        return found

    def _declare(self, group: tuple[Sort, ...]) -> None:
        """The data types of one group; those that its fields need from elsewhere are declared."""
        if group[0] in self._sorts:
            return
        inside = {member: self.terms.mkUnresolvedDatatypeSort(_printable(member.name)) for member in group}
        declarations = []
        for member in group:
            declared = self.terms.mkDatatypeDecl(_printable(member.name))
            for constructor in member.constructors:
                made = self.terms.mkDatatypeConstructorDecl(_printable(constructor.name))
                for selector, field in zip(constructor.selectors, constructor.fields, strict=True):
                    made.addSelector(_printable(selector), self._field(field, inside))
                declared.addConstructor(made)
            declarations.append(declared)
        self._sorts.update(zip(group, self.terms.mkDatatypeSorts(declarations), strict=True))

    def _field(self, sort: Sort, inside: dict[Sort, Any]) -> Any:
        """A field's sort, which may be an array of members of the group itself; as deep as arrays are nested."""
        if sort in inside:
            return inside[sort]
        if sort.is_array:
            return self.terms.mkArraySort(self._field(sort.index, inside), self._field(sort.element, inside))
        return self.sort(sort)

    def _make_sort(self, sort: Sort) -> Any:
        match sort.kind:
            case SortKind.BOOL:
                return self.terms.getBooleanSort()
            case SortKind.INT:
                return self.terms.getIntegerSort()
            case SortKind.REAL:
                return self.terms.getRealSort()
            case SortKind.BITVEC:
                return self.terms.mkBitVectorSort(sort.width)
            case SortKind.ARRAY:
                return self.terms.mkArraySort(self.sort(sort.index), self.sort(sort.element))
            case SortKind.UNINTERPRETED:
                return self.terms.mkUninterpretedSort(_printable(sort.name))
            case _:
                raise UnsupportedError(f"cvc5 has no sort {sort!r}")

    def _function(self, function: Function) -> Any:
        """The native constant of a function sort; of its result if there are no arguments."""
        found = self._functions.get(function)
        if found is None:
            sort = self.sort(function.result)
            if function.arguments:
                sort = self.terms.mkFunctionSort([self.sort(s) for s in function.arguments], sort)
            found = self._functions[function] = self.terms.mkConst(sort, _printable(function.name))
        return found


def new_solver(terms: Any, seconds: float) -> Any:
    """A solver for one check, with models, that stops after ``seconds`` (0: never)."""
    solver = native.Solver(terms)
    solver.setLogic("ALL")
    solver.setOption("produce-models", "true")
    if seconds > 0:
        solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    return solver


def _printable(name: str) -> str:
    """cvc5 only shows names; what has no UTF-8 form is replaced."""
    return name.encode("utf-8", "replace").decode()
