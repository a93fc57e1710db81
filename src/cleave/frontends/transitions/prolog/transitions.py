"""Transition systems in the format of ARMC, InvGen and Threader as Horn clauses: a predicate for each control location.

    start(pc(a)).   error(pc(b)).                                        a(x, y) :- true
    r(p(pc(a), data(X,Y)), p(pc(b), data(X,Z)), [X > Y], [Z = 0], 1).    b(x, 0) :- a(x, y), x > y
                                                                         false :- b(x, y)

A location is any term. It may have variables, as Threader's have for the locations of the other threads:

    r(p(pc([1,A]), data(X)), p(pc([2,A]), data(Y)), [], [Y = X + 1], 1).

stands for a transition at each value that ``A`` takes on the way from the start.

A value after the transition that neither stands before it nor is mentioned in the update is any value. Facts that help
ARMC and InvGen, such as ``preds`` or ``cutpoint``, say nothing about the system and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from cleave.errors import UnsupportedError
from cleave.frontends.transitions.prolog.conditions import Conditions, sort_of
from cleave.frontends.transitions.prolog.statements import Statement
from cleave.frontends.transitions.prolog.syntax import (
    Compound,
    Prolog,
    Variable,
    is_ground,
    match,
    postorder,
    show,
    substitute,
)
from cleave.frontends.transitions.prolog.tokens import Source
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.terms import Term
from cleave.records import dataclass

_HINTS = frozenset(
    (
        *("preds", "trans_preds", "refinement", "cube_size", "cutpoint", "strengthening", "invgen_template"),
        *("var2names", "globals", "stmtsrc", "transition_access", "dec_data", "bound_var", "bounding_vars"),
        "cfg_exit_relation",
    )
)
_ANNOUNCED = re.compile(r"^%\s*(\d{1,9}) transitions\s*$", re.MULTILINE)
MAX_LOCATIONS, MAX_CLAUSES = 5_000, 100_000


@dataclass(frozen=True, slots=True)
class _State:
    """``p(pc(L), data(X))``, or ``pc(L)`` alone, with what is asked of the data."""

    location: Prolog
    data: tuple[Prolog, ...] | None
    condition: Prolog | None
    offset: int


@dataclass(frozen=True, slots=True)
class _Rule:
    """A transition, its data as terms and its locations as they are written."""

    source: Prolog
    target: Prolog
    before: tuple[Term, ...]
    after: tuple[Term, ...]
    constraint: Term
    offset: int


def _variables(term: Prolog) -> Iterator[Variable]:
    return (part for part in postorder(term) if isinstance(part, Variable))


def holds_transitions(statements: list[Statement]) -> bool:
    """Whether a file is for this module."""
    return any(_is_transition(statement.head) or _is_location(statement.head) for statement in statements)


def _is_transition(head: Compound) -> bool:
    first = head.arguments[0] if head.has("r", 5) else None
    return isinstance(first, Compound) and first.has("p", 2)


def _is_location(head: Compound) -> bool:
    first = head.arguments[0] if head.name in ("start", "error") and head.arguments else None
    return isinstance(first, Compound) and (first.has("pc", 1) or first.has("p", 2))


def transition_clauses(source: Source, statements: list[Statement]) -> HornSystem:
    """Raises `InputError` at what does not fit the format."""
    system = _Reader(source)
    for statement in statements:
        system.add(statement)
    return _Unfolding(system.rules(), system).horn()


@dataclass(slots=True)
class _Reader:
    """The facts of a file, sorted."""

    source: Source
    starts: list[_State] = field(default_factory=list)
    errors: list[_State] = field(default_factory=list)
    transitions: list[tuple[_State, _State, Prolog, Prolog]] = field(default_factory=list)

    def add(self, statement: Statement) -> None:
        head = statement.head
        if head.name in _HINTS:
            return
        if statement.body:
            message = "a transition system is made of facts, without bodies"
            raise self.source.unsupported(statement.body[0].offset, message)
        match head.name, len(head.arguments):
            case "r", 5:
                before, after, guard, update, _ = head.arguments
                self._check_data(before, after)
                self.transitions.append((self._state(before), self._state(after), guard, update))
            case "start", 1 | 2:
                self.starts.append(self._state(*head.arguments[:2]))
            case "error", 1 | 2 | 3:
                self.errors.append(self._state(*head.arguments[:2]))
            case "implicit_updates", _:
                message = "implicit_updates is not supported: write all values after a transition"
                raise self.source.unsupported(head.offset, message)
            case name, count:
                message = f"{name}/{count} is not known as a fact about a transition system"
                raise self.source.unsupported(head.offset, message)

    def _check_data(self, *states: Prolog) -> None:
        for state in states:
            if not isinstance(state, Compound) or not state.has("p", 2):
                raise self.source.error(state.offset, "a state expected, as in p(pc(a), data(X))")

    def _state(self, term: Prolog, condition: Prolog | None = None) -> _State:
        place, data = term, None
        if isinstance(term, Compound) and term.has("p", 2):
            place, values = term.arguments
            if not isinstance(values, Compound) or values.name != "data":
                raise self.source.error(values.offset, "data(...) expected as the second part of a state")
            data = values.arguments
        if isinstance(place, Compound) and place.has("pc", 1):
            place = place.arguments[0]
        elif not isinstance(place, Variable):
            raise self.source.error(place.offset, "pc(...) expected as the location of a state")
        return _State(place, data, condition, term.offset)

    def rules(self) -> list[_Rule]:
        """The transitions as terms. All of the file is read, also what no run reaches."""
        self._check_complete()
        width = self.width()
        conditions = self.conditions()
        rules = []
        for before, after, guard, update in self.transitions:
            self._check_apart(before, after, guard, update)
            rules.append(
                _Rule(
                    before.location,
                    after.location,
                    self.values(before, width, conditions),
                    self.values(after, width, conditions),
                    t.conj(conditions.condition(guard), conditions.condition(update)),
                    before.offset,
                )
            )
        return rules

    def _check_apart(self, before: _State, after: _State, guard: Prolog, update: Prolog) -> None:
        """A variable is one of the locations or of the data."""
        places = {part.name for state in (before, after) for part in _variables(state.location)}
        for term in (*(before.data or ()), *(after.data or ()), guard, update) if places else ():
            for part in _variables(term):
                if part.name in places:
                    message = f"{part.name} is a part of the location, which is no number"
                    raise self.source.unsupported(part.offset, message)

    def _check_complete(self) -> None:
        for found, what in ((self.starts, "start"), (self.errors, "error")):
            if not found:
                raise UnsupportedError(f"the transition system has no {what} location", file=self.source.file)
        announced = _ANNOUNCED.search(self.source.text)
        if announced is not None and int(announced.group(1)) > len(self.transitions):
            message = f"the file is cut off: it has {len(self.transitions)} of these transitions"
            raise self.source.error(announced.start(), message)

    def width(self) -> int:
        """The number of values in a state."""
        states = [*self.starts, *self.errors, *(s for before, after, _, _ in self.transitions for s in (before, after))]
        return next((len(state.data) for state in states if state.data is not None), 0)

    def conditions(self) -> Conditions:
        states = [*self.starts, *self.errors]
        terms = [state.condition for state in states if state.condition is not None]
        for before, after, guard, update in self.transitions:
            terms += [*(before.data or ()), *(after.data or ()), guard, update]
        return Conditions(self.source, sort_of(terms))

    def values(self, state: _State, width: int, conditions: Conditions) -> tuple[Term, ...]:
        if state.data is None:
            return tuple(t.var(f"_{place}", conditions.sort) for place in range(width))
        if len(state.data) != width:
            message = f"{len(state.data)} values in a state, where others have {width}"
            raise self.source.error(state.offset, message)
        return tuple(conditions.number(value) for value in state.data)


class _Unfolding:
    """Follows the transitions from the start, to make a predicate of each location that has no variables left."""

    def __init__(self, rules: list[_Rule], system: _Reader) -> None:
        self._source = system.source
        self._system = system
        self._width = system.width()
        self._conditions = system.conditions()
        self._fixed: dict[str, list[_Rule]] = {}
        self._schemas: list[_Rule] = []
        for rule in rules:
            if is_ground(rule.source):
                self._fixed.setdefault(show(rule.source), []).append(rule)
            else:
                self._schemas.append(rule)
        self._locations: dict[str, Prolog] = {}
        self._order: list[str] = []
        self._clauses: list[Clause] = []

    def horn(self) -> HornSystem:
        for start in self._system.starts:
            head = Atom(self._enter(start.location, start.offset), self._values(start))
            self._add(head, (), self._condition(start), start.offset)
        for name in self._order:  # it grows meanwhile
            for rule, target in self._leaving(name):
                head = Atom(self._enter(target, rule.offset), rule.after)
                self._add(head, (Atom(name, rule.before),), rule.constraint, rule.offset)
        for error in self._system.errors:
            self._add_queries(error)
        sorts = (self._conditions.sort,) * self._width
        return HornSystem(
            predicates={name: Predicate(name, sorts) for name in self._locations}, clauses=tuple(self._clauses)
        )

    def _leaving(self, name: str) -> Iterator[tuple[_Rule, Prolog]]:
        """The transitions at a location, with where they lead."""
        for rule in self._fixed.get(name, ()):
            yield rule, rule.target
        for rule in self._schemas:
            values = match(rule.source, self._locations[name])
            if values is not None:
                yield rule, substitute(rule.target, values)

    def _add_queries(self, error: _State) -> None:
        values, condition = self._values(error), self._condition(error)
        if is_ground(error.location):
            self._enter(error.location, error.offset)
        for name, location in self._locations.items():
            if match(error.location, location) is not None:
                self._add(None, (Atom(name, values),), condition, error.offset)

    def _enter(self, location: Prolog, offset: int) -> str:
        name = show(location)
        if name not in self._locations:
            if not is_ground(location):
                raise self._source.unsupported(offset, f"which location {name[:60]} is meant here is not said")
            self._locations[name] = location
            self._order.append(name)
            if len(self._locations) > MAX_LOCATIONS:
                message = f"the locations of all threads together are more than {MAX_LOCATIONS:,}"
                raise self._source.unsupported(offset, message)
        return name

    def _add(self, head: Atom | None, body: tuple[Atom, ...], constraint: Term, offset: int) -> None:
        location = Location(self._source.file, *self._source.place(offset))
        self._clauses.append(Clause(head, body, constraint, location))
        if len(self._clauses) > MAX_CLAUSES:
            raise self._source.unsupported(offset, f"the transitions stand for more than {MAX_CLAUSES:,} clauses")

    def _values(self, state: _State) -> tuple[Term, ...]:
        return self._system.values(state, self._width, self._conditions)

    def _condition(self, state: _State) -> Term:
        return t.TRUE if state.condition is None else self._conditions.condition(state.condition)
