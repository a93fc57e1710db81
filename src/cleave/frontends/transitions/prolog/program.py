r"""Prolog clauses over numbers as Horn clauses, as HSF, RAHFT, VeriMAP and others write them.

    p(X) :- X = 0.                     p(x) :- x = 0
    p(X+1) :- p(X), X < 9.             p(x + 1) :- p(x), x < 9
    false :- p(X), X =\= 3.            false :- p(x), x != 3

Safe means that no clause with the head ``false`` can be used. ``unsafe`` and ``incorrect`` as heads mean the same,
unless some body uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cleave.errors import UnsupportedError
from cleave.frontends.transitions.prolog.conditions import Conditions, is_condition, sort_of
from cleave.frontends.transitions.prolog.statements import Statement
from cleave.frontends.transitions.prolog.syntax import Compound, Prolog, show
from cleave.frontends.transitions.prolog.tokens import Source
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.records import dataclass

_GOALS = ("false", "unsafe", "incorrect")
_BUILT_IN = frozenset(
    (
        *("!", "->", "*->", ";", "\\+", "not", "call", "once", "ignore", "forall", "findall", "bagof", "setof", ":"),
        *(
            "var",
            "nonvar",
            "integer",
            "number",
            "float",
            "atom",
            "atomic",
            "compound",
            "ground",
            "=..",
            "functor",
            "arg",
        ),
        *("@<", "@>", "@=<", "@>=", "copy_term", "member", "append", "length", "repeat", "between"),
        *("write", "writeln", "print", "format", "nl", "read", "assert", "asserta", "assertz", "retract", "halt"),
    )
)


def program_clauses(source: Source, statements: list[Statement]) -> HornSystem:
    """Raises `InputError` at what is no Horn clause over numbers."""
    called = {_key(goal) for statement in statements for goal in statement.body if isinstance(goal, Compound)}
    goals = {name for name in _GOALS if name == "false" or (name, 0) not in called}
    if not any(_is_goal(statement.head, goals) for statement in statements):
        message = "no clause has the head false (or unsafe, or incorrect), so there is nothing to check"
        raise UnsupportedError(message, file=source.file)
    program = _Program(source, Conditions(source, sort_of(_numeric(statements))), goals, _names(statements, goals))
    clauses = tuple(program.clause(statement) for statement in statements)
    return HornSystem(predicates=program.predicates(), clauses=clauses)


@dataclass(frozen=True, slots=True)
class _Program:
    source: Source
    conditions: Conditions
    goals: set[str]
    names: dict[tuple[str, int], str]

    def predicates(self) -> dict[str, Predicate]:
        sort = self.conditions.sort
        return {name: Predicate(name, (sort,) * count) for (_, count), name in self.names.items()}

    def clause(self, statement: Statement) -> Clause:
        head = None if _is_goal(statement.head, self.goals) else self._atom(statement.head)
        atoms, constraints = [], []
        for goal in statement.body:
            if is_condition(goal):
                constraints.append(self.conditions.condition(goal))
            else:
                atoms.append(self._atom(goal))
        location = Location(self.source.file, *self.source.place(statement.head.offset))
        return Clause(head, tuple(atoms), t.conj_all(constraints), location)

    def _atom(self, goal: Prolog) -> Atom:
        if not isinstance(goal, Compound):
            raise self.source.error(goal.offset, f"a predicate or a condition expected, not {show(goal)[:40]}")
        if goal.name in _BUILT_IN or is_condition(goal):
            raise self.source.unsupported(goal.offset, f"{goal.name} is not supported here")
        arguments = tuple(self.conditions.number(argument) for argument in goal.arguments)
        return Atom(self.names[_key(goal)], arguments)


def _is_goal(head: Compound, goals: set[str]) -> bool:
    return not head.arguments and head.name in goals


def _key(term: Compound) -> tuple[str, int]:
    return term.name, len(term.arguments)


def _names(statements: list[Statement], goals: set[str]) -> dict[tuple[str, int], str]:
    """A name for each predicate: its own, or with the number of its arguments where two share that."""
    keys = dict.fromkeys(
        _key(term)
        for statement in statements
        for term in (statement.head, *statement.body)
        if isinstance(term, Compound) and not is_condition(term) and not _is_goal(term, goals)
    )
    shared = Counter(name for name, _ in keys)
    taken = set(shared)
    names: dict[tuple[str, int], str] = {}
    for name, count in keys:
        made = name
        if shared[name] > 1:
            made = f"{name}/{count}"
            while made in taken:
                made += "'"
            taken.add(made)
        names[name, count] = made
    return names


def _numeric(statements: list[Statement]) -> Iterable[Prolog]:
    return (term for statement in statements for term in (statement.head, *statement.body))
