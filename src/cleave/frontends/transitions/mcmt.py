"""The front end for Sally's transition systems (MCMT): formulas in SMT-LIB in, `ir.horn.HornSystem` out.

    (define-state-type counter ((x Int)) ((by Int)))
    (define-states start counter (= x 0))
    (define-transition step counter (and (> input.by 0) (= next.x (+ state.x input.by))))
    (define-transition-system T counter start step)
    (assume T (< x 100))
    (query T (>= x 0))

In a transition, ``x`` and ``x'`` are further names of ``state.x`` and ``next.x``. The second list of a state type are
inputs: they take any value in each step. An assumption holds in all states of a run. All queries are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from cleave.errors import UnsupportedError
from cleave.frontends.transitions.symbolic_system import Bad, SymbolicSystem
from cleave.ir.horn import Clause, HornSystem, Predicate
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sexpr import Node, Script, decode_text, read_script
from cleave.logic.smtlib_reader import Frame, TermReader
from cleave.logic.smtlib_scope import Scope
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import Term
from cleave.logic.walk import substitute
from cleave.records import dataclass

__all__ = ["read_mcmt"]


def read_mcmt(file: str, content: bytes) -> HornSystem:
    """The systems in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    return _McmtReader(read_script(decode_text(content, file), file)).horn()


@dataclass(slots=True)
class _StateType:
    """Variables, and what words mean in a formula about one state (``now``) and about a step."""

    state: list[Term] = field(default_factory=list)
    following: list[Term] = field(default_factory=list)
    now: dict[str, Term] = field(default_factory=dict)
    step: dict[str, Term] = field(default_factory=dict)


@dataclass(slots=True)
class _System:
    name: str
    type: _StateType
    initial: Term
    step: Term
    location: Location
    assumed: list[Term] = field(default_factory=list)
    bad: list[Bad] = field(default_factory=list)


class _Terms(TermReader):
    """Sally's own operators beside those of SMT-LIB: ``(/= a b)``, ``(cond (c a) (d b) (else e))``. In a ``let`` a name
    may be used in the values of those after it."""

    def application(self, node: list[Node], args: list[Term]) -> Term:
        if self.script.word(node[1]) != "/=":
            return super().application(node, args)
        if len(args) != 2:
            raise self.script.error(node, "two terms expected after /=")
        return t.neg(self._applied(node, "=", args))

    def _enter(self, node: list[Node]) -> Frame:
        if len(node) < 2 or self.script.word(node[1]) != "cond":
            return super()._enter(node)
        parts: list[Node] = [0]
        for case in node[2:]:
            if isinstance(case, int) or len(case) != 3:
                raise self.script.error(case, "a condition with its value expected, as in (else 0)")
            parts += case[1:]
        if len(parts) < 3 or self.script.word(parts[-2]) != "else":
            raise self.script.error(node, "an else expected at the end of cond")
        del parts[-2]

        def leave(_: list[Node], args: list[Term]) -> Term:
            made = args[-1]
            for place in range(len(args) - 3, -1, -2):
                made = self._applied(node, "ite", [args[place], args[place + 1], made])
            return made

        return parts, 1, [], leave

    def _enter_let(self, node: list[Node]) -> Frame:
        if len(node) != 4 or isinstance(node[2], int) or len(node[2]) < 3:
            return super()._enter_let(node)
        nested: list[Node] = node
        for pair in reversed(node[2][1:]):
            body = node[3] if nested is node else nested
            nested = [node[0], node[1], [node[2][0], pair], body]
        return super()._enter_let(nested)


class _McmtReader:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._reader = _Terms(script, Scope())
        self._types: dict[str, _StateType] = {}
        self._systems: dict[str, _System] = {}

    def horn(self) -> HornSystem:
        for node in self._script.expressions:
            if isinstance(node, int) or len(node) < 2:
                raise self._script.error(node, f"a command expected, not {self._script.show(node)}")
            word = self._script.word(node[1])
            if word not in _COMMANDS:
                raise self._script.unsupported(node, f"the command {word} is not supported in an MCMT file")
            _COMMANDS[word](self, node)
        asked = [system for system in self._systems.values() if system.bad]
        if not asked:
            raise UnsupportedError("the file has no query, so there is nothing to check", file=self._script.file)
        predicates: dict[str, Predicate] = {}
        clauses: list[Clause] = []
        for system in asked:
            made = _symbolic(system, "state" if len(asked) == 1 else system.name).horn()
            predicates.update(made.predicates)
            clauses += made.clauses
        return HornSystem(predicates=predicates, clauses=tuple(clauses))

    # --- commands ---------------------------------------------------------------------------------------------------

    def _define_constant(self, node: list[Node]) -> None:
        self._need(node, 2, 2, "(define-constant name value)")
        word = self._new_name(node[2], self._reader.scope.table)
        if any(word in state_type.step for state_type in self._types.values()):
            raise self._script.error(node[2], f"{word} is a variable of a state type")
        self._reader.scope.table[word] = self._reader.read(node[3])

    def _define_state_type(self, node: list[Node]) -> None:
        self._need(node, 2, 3, "(define-state-type name (variables) (inputs))")
        name = self._new_name(node[2], self._types)
        made = _StateType()
        for word, sort, at in self._variables(node[3]):
            now, following = self._variable(word, sort), self._variable(f"{word}'", sort)
            made.state.append(now)
            made.following.append(following)
            self._enter(made.now, at, {word: now, f"state.{word}": now})
            self._enter(
                made.step, at, {word: now, f"state.{word}": now, f"{word}'": following, f"next.{word}": following}
            )
        for word, sort, at in self._variables(node[4]) if len(node) > 4 else ():
            self._enter(made.step, at, {f"input.{word}": self._variable(f"input.{word}", sort)})
        self._types[name] = made

    def _define_states(self, node: list[Node]) -> None:
        self._need(node, 3, 3, "(define-states name type formula)")
        state_type = self._type(node[3])
        made = self._formula(node[4], state_type.now)
        name = self._new_name(node[2], state_type.step)
        state_type.now[name] = state_type.step[name] = made

    def _define_transition(self, node: list[Node]) -> None:
        self._need(node, 3, 3, "(define-transition name type formula)")
        state_type = self._type(node[3])
        made = self._formula(node[4], state_type.step)
        state_type.step[self._new_name(node[2], state_type.step)] = made

    def _define_system(self, node: list[Node]) -> None:
        self._need(node, 4, 4, "(define-transition-system name type initial step)")
        name = self._new_name(node[2], self._systems)
        state_type = self._type(node[3])
        initial = self._formula(node[4], state_type.now)
        step = self._formula(node[5], state_type.step)
        self._systems[name] = _System(name, state_type, initial, step, self._place(node))

    def _assume(self, node: list[Node]) -> None:
        self._need(node, 2, 2, "(assume system formula)")
        system = self._system(node[2])
        if system.bad:
            raise self._script.unsupported(node, "an assumption after a query of the same system is not supported")
        system.assumed.append(self._formula(node[3], system.type.now))

    def _query(self, node: list[Node]) -> None:
        self._need(node, 2, 2, "(query system formula)")
        system = self._system(node[2])
        system.bad.append(Bad(t.neg(self._formula(node[3], system.type.now)), self._place(node)))

    # --- parts of commands ------------------------------------------------------------------------------------------

    def _need(self, node: list[Node], least: int, most: int, shape: str) -> None:
        if not least <= len(node) - 2 <= most:
            raise self._script.error(node, f"{shape} expected")

    def _new_name(self, node: Node, taken: object) -> str:
        word = self._script.word(node)
        if not word or word[0] in '0123456789#":':
            raise self._script.error(node, "a name expected")
        if isinstance(taken, dict) and word in taken:
            raise self._script.error(node, f"{word} is defined twice")
        return word

    def _variables(self, node: Node) -> list[tuple[str, Sort, Node]]:
        if isinstance(node, int):
            raise self._script.error(node, "a list of variables with their sorts expected")
        found = []
        for pair in node[1:]:
            if isinstance(pair, int) or len(pair) != 3:
                raise self._script.error(pair, "a variable with its sort expected, as in (x Int)")
            found.append((self._new_name(pair[1], None), self._reader.scope.sort(self._script, pair[2]), pair))
        return found

    def _variable(self, word: str, sort: Sort) -> Term:
        """A variable that the reader knows of, so that it gives bound ones other names, but not under its word."""
        table = self._reader.scope.table
        before = table.get(word)
        made = self._reader.declare_variable(word, sort)
        if before is None:
            del table[word]
        else:
            table[word] = before
        return made

    def _enter(self, words: dict[str, Term], at: Node, meanings: dict[str, Term]) -> None:
        for word, meaning in meanings.items():
            if word in words or word in self._reader.scope.table:
                raise self._script.error(at, f"{word} would have two meanings")
            words[word] = meaning

    def _formula(self, node: Node, words: dict[str, Term]) -> Term:
        table = self._reader.scope.table
        saved = dict(table)
        table.update(words)
        try:
            return self._reader.read_of_sort(node, BOOL)
        finally:
            table.clear()
            table.update(saved)

    def _type(self, node: Node) -> _StateType:
        found = self._types.get(self._script.word(node))
        if found is None:
            raise self._script.error(node, f"the state type {self._script.show(node)} is not defined")
        return found

    def _system(self, node: Node) -> _System:
        found = self._systems.get(self._script.word(node))
        if found is None:
            raise self._script.error(node, f"the transition system {self._script.show(node)} is not defined")
        return found

    def _place(self, node: Node) -> Location:
        return Location(self._script.file, *self._script.place(node))


def _symbolic(system: _System, name: str) -> SymbolicSystem:
    """With what is assumed of the first state and of the state after each step."""
    state, following = tuple(system.type.state), tuple(system.type.following)
    assumed = t.conj_all(system.assumed)
    afterwards = substitute(assumed, dict(zip(state, following, strict=True)))
    return SymbolicSystem(
        state=state,
        first=state,
        initial=t.conj(system.initial, assumed),
        following=following,
        step=t.conj(system.step, afterwards),
        bad=system.bad,
        location=system.location,
        name=name,
    )


_COMMANDS: dict[str, Callable[[_McmtReader, list[Node]], None]] = {
    "define-constant": _McmtReader._define_constant,
    "define-state-type": _McmtReader._define_state_type,
    "define-states": _McmtReader._define_states,
    "define-transition": _McmtReader._define_transition,
    "define-transition-system": _McmtReader._define_system,
    "assume": _McmtReader._assume,
    "query": _McmtReader._query,
}
