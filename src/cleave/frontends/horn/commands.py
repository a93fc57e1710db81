"""The commands of a Horn file, one by one.

    (set-logic HORN)                          (declare-rel Inv (Int))
    (declare-fun Inv (Int) Bool)              (declare-rel Bad ())
    (assert (Inv 0))                          (declare-var x Int)
    (assert (forall ((x Int))                 (rule (Inv 0))
      (=> (Inv x) (Inv (+ x 1)))))            (rule (=> (Inv x) (Inv (+ x 1))))
    (assert (forall ((x Int))                 (rule (=> (and (Inv x) (< x 0)) Bad))
      (=> (and (Inv x) (< x 0)) false)))
    (check-sat)                               (query Bad)

On the left SMT-LIB's form, where ``sat`` means safe. On the right that of Z3's fixedpoints, where the query asks what
can be reached, so that Z3 prints ``sat`` when it is unsafe, and a file's ``:status`` says so too.

A function that is declared with sort Bool is a predicate to be found. Other functions and constants are uninterpreted:
their meaning is to be found too, which only some engines can."""

from __future__ import annotations

from collections.abc import Callable

from cleave.errors import InputError
from cleave.frontends.horn.normalise import Normaliser, NotHornError
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sexpr import Node, Script
from cleave.logic.smtlib_declarations import DECLARING, declare, new_name, sort_list
from cleave.logic.smtlib_reader import TermReader
from cleave.logic.smtlib_scope import Scope
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Function, Term

_IGNORED = frozenset(
    (
        *("set-logic", "set-option", "get-model", "get-proof", "get-info", "get-option", "get-assignment", "get-value"),
        *("get-unsat-core", "get-assertions", "get-statistics", "echo", "exit", "display"),
    )
)
_CLAUSES = frozenset(("assert", "rule", "query", "check-sat"))


class HornReader:
    """Reads one script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._reader = TermReader(script, _PredicateScope())
        self._predicates: dict[Function, Predicate] = {}
        self._functions: list[Function] = []
        self._clauses: list[Clause] = []
        self._normaliser = Normaliser(self._predicates, set(script.tokens))
        self._status: str | None = None
        self._asked: Node | None = None
        self._uses_queries = False
        self._is_about_something = False

    def system(self) -> HornSystem:
        for node in self._script.expressions:
            if isinstance(node, int) or len(node) < 2 or not isinstance(node[1], int):
                raise self._script.error(node, f"a command expected, not {self._script.show(node)}")
            self._command(node)
        if not self._is_about_something:
            raise InputError("the file has no clauses, so there is nothing to check", file=self._script.file)
        declared = [*self._predicates.values(), *self._normaliser.new_predicates]
        return HornSystem(
            predicates={predicate.name: predicate for predicate in declared},
            clauses=tuple(self._clauses),
            functions=tuple(self._functions),
            expected=self._expected(),
        )

    def _expected(self) -> str | None:
        words = ("unsafe", "safe") if self._uses_queries else ("safe", "unsafe")
        return {"sat": words[0], "unsat": words[1]}.get(self._status or "")

    def _command(self, node: list[Node]) -> None:
        word = self._script.word(node[1])
        self._is_about_something |= word in _CLAUSES
        if word in DECLARING:
            function = declare(self._reader, node)
            if function is not None:
                self._declared(function)
        elif word in _COMMANDS:
            _COMMANDS[word](self, node)
        elif word not in _IGNORED:
            raise self._script.unsupported(node, f"the command {word} is not supported")

    def _declared(self, function: Function) -> None:
        if function.result is BOOL:
            self._predicates[function] = Predicate(function.name, function.arguments)
        else:
            self._functions.append(function)

    def _location(self, node: Node) -> Location:
        return Location(self._script.file, *self._script.place(node))

    def _info(self, node: list[Node]) -> None:
        if len(node) == 4 and self._script.word(node[2]) == ":status":
            self._status = self._script.word(node[3])

    # --- SMT-LIB ----------------------------------------------------------------------------------------------------

    def _assert(self, node: list[Node]) -> None:
        if len(node) != 3:
            raise self._script.error(node, "(assert formula) expected")
        if self._asked is not None:
            raise self._script.unsupported(node, "an assertion after check-sat: one problem a file is supported")
        self._add(node, node[2])

    def _add(self, node: Node, formula: Node) -> None:
        self._clauses += self._normalised(node, self._reader.read_of_sort(formula, BOOL))

    def _normalised(self, node: Node, formula: Term) -> list[Clause]:
        try:
            return self._normaliser.clauses(formula, self._location(node))
        except NotHornError as error:
            raise self._script.unsupported(self._where(node, error.predicate), error.message) from None

    def _where(self, node: Node, predicate: str) -> Node:
        """The one place below ``node`` where the predicate is named; if there are several, ``node``."""
        words = {w for w, m in self._reader.scope.table.items() if isinstance(m, Function) and m.name == predicate}
        found: list[Node] = []
        stack: list[Node] = [node]
        while stack:
            top = stack.pop()
            if not isinstance(top, int):
                stack += top[1:]
            elif self._script.word(top) in words:
                found.append(top)
        return found[0] if len(found) == 1 else node

    def _check(self, node: list[Node]) -> None:
        if len(node) > 2:
            raise self._script.unsupported(node, "check-sat with assumptions is not supported")
        self._asked = node

    # --- Z3's fixedpoints -------------------------------------------------------------------------------------------

    def _declare_relation(self, node: list[Node]) -> None:
        if len(node) < 4:
            raise self._script.error(node, "(declare-rel name (sorts)) expected")
        word = new_name(self._reader, node[2])
        self._declared(self._reader.scope.declare_function(word, sort_list(self._reader, node[3]), BOOL))

    def _declare_variable(self, node: list[Node]) -> None:
        if len(node) != 4:
            raise self._script.error(node, "(declare-var name sort) expected")
        word = new_name(self._reader, node[2])
        self._reader.declare_variable(word, self._reader.scope.sort(self._script, node[3]))

    def _rule(self, node: list[Node]) -> None:
        if len(node) < 3:
            raise self._script.error(node, "(rule formula) expected")
        self._add(node, node[2])

    def _query(self, node: list[Node]) -> None:
        """``(query P)`` asks for any fact of P, ``(query formula)`` whether the formula can be true."""
        if len(node) < 3:
            raise self._script.error(node, "(query predicate) expected")
        self._uses_queries = True
        meaning = self._reader.scope.table.get(self._script.word(node[2]))
        if isinstance(meaning, Function) and meaning.arguments:
            arguments = tuple(t.var(f"x{place}", sort) for place, sort in enumerate(meaning.arguments))
            self._clauses.append(Clause(None, (Atom(meaning.name, arguments),), t.TRUE, self._location(node)))
        else:
            self._clauses += self._normalised(node, t.neg(self._reader.read_of_sort(node[2], BOOL)))


class _PredicateScope(Scope):
    """Predicates are told apart by their names alone."""

    def declare_function(self, word: str, arguments: tuple[Sort, ...], result: Sort) -> Function:
        if result is not BOOL:
            return super().declare_function(word, arguments, result)
        function = Function(self.name(word, "predicate"), arguments, result)
        self.table[word] = function
        return function


_COMMANDS: dict[str, Callable[[HornReader, list[Node]], None]] = {
    "set-info": HornReader._info,
    "assert": HornReader._assert,
    "check-sat": HornReader._check,
    "declare-rel": HornReader._declare_relation,
    "declare-var": HornReader._declare_variable,
    "rule": HornReader._rule,
    "query": HornReader._query,
}
