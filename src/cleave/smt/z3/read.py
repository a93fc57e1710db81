"""From Z3's terms back to Cleave's: invariants and ground facts.

    reader = Reader(context, {native constant: term})
    reader.term(ast)

Constants that the reader does not know, and operators that Cleave has no name for, raise `UnsupportedError`. Bound
variables get names of their own (``bound!1``). Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from cleave.errors import UnsupportedError
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, REAL, Sort, array, bitvec
from cleave.logic.terms import Term
from cleave.smt.z3.native import Context, lib, text
from cleave.smt.z3.operators import OPERATORS, Build
from cleave.smt.z3.terms import number

_AST_NUMERAL, _AST_APP, _AST_VAR, _AST_QUANTIFIER = 0, 1, 2, 3
_IS = 0x802


class Reader:
    """Reads terms of one context. ``constants`` and ``functions`` are by the native name; ``sorts`` (those that have a
    name of their own) and ``builders`` (of data types' functions) by native pointer."""

    def __init__(
        self,
        context: Context,
        constants: Mapping[str, Term],
        functions: Mapping[str, t.Function],
        sorts: Mapping[int, Sort],
        builders: Mapping[int, Build] = MappingProxyType({}),
    ) -> None:
        self._context = context
        self._pointer = context.pointer
        self._constants = constants
        self._functions = functions
        self._sorts = dict(sorts)
        self._builders = builders
        self._bound_count = 0

    def term(self, ast: int, bound: Sequence[Term] = ()) -> Term:
        """``bound`` are the terms for the free de Bruijn variables, number 0 first."""
        # One entry for each scope and node, as a node below a quantifier means something else in another scope.
        results: dict[tuple[int, int], Term] = {}
        scopes: list[tuple[Term, ...]] = [tuple(bound)]
        binders: dict[tuple[int, int], int] = {}
        stack = [(0, ast)]
        while stack:
            scope, node = stack[-1]
            if (scope, node) in results:
                stack.pop()
                continue
            kind = lib.Z3_get_ast_kind(self._pointer, node)
            if kind == _AST_QUANTIFIER:
                inner = binders.get((scope, node))
                if inner is None:
                    binders[scope, node] = inner = len(scopes)
                    scopes.append((*reversed(self._bind(node)), *scopes[scope]))
                below = [(inner, lib.Z3_get_quantifier_body(self._pointer, node))]
            else:
                below = [(scope, argument) for argument in self.arguments(node)] if kind == _AST_APP else []
            waiting = [entry for entry in below if entry not in results]
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            args = [results[entry] for entry in below]
            if kind == _AST_QUANTIFIER:
                count = len(scopes[below[0][0]]) - len(scopes[scope])
                results[scope, node] = self._quantifier(node, scopes[below[0][0]][:count], args[0])
            else:
                results[scope, node] = self._leaf_or_application(node, kind, args, scopes[scope])
        return results[0, ast]

    def arguments(self, node: int) -> list[int]:
        count = lib.Z3_get_app_num_args(self._pointer, node)
        return [lib.Z3_get_app_arg(self._pointer, node, place) for place in range(count)]

    def kind(self, node: int) -> int:
        """The number of the operator; 0 for what is no application."""
        if lib.Z3_get_ast_kind(self._pointer, node) not in (_AST_APP, _AST_NUMERAL):
            return 0
        return int(lib.Z3_get_decl_kind(self._pointer, lib.Z3_get_app_decl(self._pointer, node)))

    def name(self, node: int) -> str:
        """The name of the operator of an application."""
        symbol = lib.Z3_get_decl_name(self._pointer, lib.Z3_get_app_decl(self._pointer, node))
        if lib.Z3_get_symbol_kind(self._pointer, symbol) == 0:  # a number, which Z3 prints so
            return f"k!{lib.Z3_get_symbol_int(self._pointer, symbol)}"
        return text(lib.Z3_get_symbol_string(self._pointer, symbol))

    def _bind(self, node: int) -> list[Term]:
        made = []
        for place in range(lib.Z3_get_quantifier_num_bound(self._pointer, node)):
            self._bound_count += 1
            sort = self.sort(lib.Z3_get_quantifier_bound_sort(self._pointer, node, place))
            made.append(t.var(f"bound!{self._bound_count}", sort))
        return made

    def _quantifier(self, node: int, variables: tuple[Term, ...], body: Term) -> Term:
        if lib.Z3_is_lambda(self._pointer, node):
            raise self._unsupported(node)
        is_forall = lib.Z3_is_quantifier_forall(self._pointer, node)
        return (t.forall if is_forall else t.exists)(tuple(reversed(variables)), body)

    def _leaf_or_application(self, node: int, kind: int, args: list[Term], scope: tuple[Term, ...]) -> Term:
        if kind == _AST_VAR:
            index = lib.Z3_get_index_value(self._pointer, node)
            if index >= len(scope):
                raise self._unsupported(node)
            found: Term = scope[index]
            return found
        if kind == _AST_NUMERAL:
            return self._numeral(node)
        if kind != _AST_APP:
            raise self._unsupported(node)
        build = OPERATORS.get(self.kind(node))
        return build(args) if build is not None else self._other(node, args)

    def _numeral(self, node: int) -> Term:
        sort = self.sort(lib.Z3_get_sort(self._pointer, node))
        above, _, below = text(lib.Z3_get_numeral_string(self._pointer, node)).partition("/")
        if sort is REAL:
            return t.real(Fraction(number(above), number(below or "1")))
        return t.value_of(number(above), sort)

    def _other(self, node: int, args: list[Term]) -> Term:
        """Operators with numbers of their own, constants, and functions of the system."""
        match self.kind(node):
            case 0x302:
                return t.const_array(self.sort(lib.Z3_get_sort(self._pointer, node)).index, args[0])
            case 0x421:
                return t.sign_extend(args[0], self._parameter(node))
            case 0x422:
                return t.zero_extend(args[0], self._parameter(node))
            case 0x423:
                return t.extract(args[0], self._parameter(node), self._parameter(node, 1))
            case 0x424:
                return reduce(t.concat, [args[0]] * self._parameter(node))
            case 0x42B:
                return _rotate(args[0], self._parameter(node))
            case 0x42C:
                return _rotate(args[0], -self._parameter(node))
            case 0x42F:
                place = self._parameter(node)
                return t.eq(t.extract(args[0], place, place), t.bv(1, 1))
            case 0x430:
                return t.int_to_bv(args[0], self._parameter(node))
            case 0x20C:
                sign = t.lt(args[1], t.integer(0))
                return t.ite(sign, t.minus(t.mod(*args)), t.mod(*args))
            case 0x212:
                zero = t.value_of(0, args[0].sort)
                return t.ite(t.lt(args[0], zero), t.minus(args[0]), args[0])
            case _:
                return self._named(node, args)

    def _named(self, node: int, args: list[Term]) -> Term:
        build = self._builders.get(self._declaration(node))
        if build is not None:
            return build(args)
        name = self.name(node)
        found = self._constants.get(name) if not args else None
        if found is not None:
            return found
        function = self._functions.get(name)
        if function is None or len(function.arguments) != len(args):
            raise self._unsupported(node)
        return t.apply(function, *args)

    def _declaration(self, node: int) -> int:
        """The function that is applied; for ``(_ is cons)`` the one that `builders` has for it."""
        declaration = int(lib.Z3_get_app_decl(self._pointer, node))
        if self.kind(node) != _IS:
            return declaration
        return -int(lib.Z3_get_decl_func_decl_parameter(self._pointer, declaration, 0))

    def _parameter(self, node: int, place: int = 0) -> int:
        return int(lib.Z3_get_decl_int_parameter(self._pointer, lib.Z3_get_app_decl(self._pointer, node), place))

    def sort(self, sort: int) -> Sort:
        """Recursion is as deep as the sort is nested."""
        found = self._sorts.get(sort)
        if found is not None:
            return found
        match lib.Z3_get_sort_kind(self._pointer, sort):
            case 1:
                return BOOL
            case 2:
                return INT
            case 3:
                return REAL
            case 4:
                return bitvec(lib.Z3_get_bv_sort_size(self._pointer, sort))
            case 5:
                index = lib.Z3_get_array_sort_domain(self._pointer, sort)
                element = lib.Z3_get_array_sort_range(self._pointer, sort)
                return array(self.sort(index), self.sort(element))
            case _:
                raise UnsupportedError(f"a sort of Z3: {text(lib.Z3_ast_to_string(self._pointer, sort))[:200]}")

    def _unsupported(self, node: int) -> UnsupportedError:
        return UnsupportedError(f"a term of Z3: {text(lib.Z3_ast_to_string(self._pointer, node))[:200]}")


def _rotate(a: Term, left: int) -> Term:
    width = a.sort.width
    low = -left % width  # the bits above `low` move down to the bottom
    return a if low == 0 else t.concat(t.extract(a, low - 1, 0), t.extract(a, width - 1, low))
