"""The state of the checker's symbolic execution of a thread, and how two ways meet.

    way 1: a, c          x = 1                  a        x = ite c 1 2
    way 2: a, not c      x = 2

A way is the conditions under which it is taken. Two ways that meet exclude each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from cleave.logic.terms import FALSE, Op, Term, conj_all, disj, neg
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Cell
from cleave.validate.proofs.schedules.fold import choice

Key = TypeVar("Key")
Way = tuple[Term, ...]
"""In the order in which they were met."""
_NEVER: Way = (FALSE,)


@dataclass(slots=True)
class State:
    """``shared``: other threads may be there. ``block`` counts the atomic blocks that are open; ``known`` is what the
    current event has read or written, as long as it lasts."""

    way: Way = ()
    globals: dict[Term, Term] = field(default_factory=dict)
    locals: dict[Term, Term] = field(default_factory=dict)
    shared: bool = False
    block: int = 0
    event: int = 0
    known: dict[Cell, Term] = field(default_factory=dict)

    @property
    def guard(self) -> Term:
        return conj_all(self.way)

    @property
    def is_dead(self) -> bool:
        return self.way == _NEVER

    def copy(self) -> State:
        return State(
            self.way, dict(self.globals), dict(self.locals), self.shared, self.block, self.event, dict(self.known)
        )

    def restrict(self, condition: Term) -> None:
        known = set(self.way)
        parts = condition.args if condition.op is Op.AND else (condition,)
        added = [part for part in parts if not part.is_true and part not in known]
        if any(part.is_false or neg(part) in known for part in added):
            self.way = _NEVER
        else:
            self.way = (*self.way, *dict.fromkeys(added))


def merged(states: Sequence[State]) -> State:
    """One state for all ways: those with most in common meet first."""
    rest = list(states)
    while len(rest) > 1:
        sets = [frozenset(state.way) for state in rest]
        pairs = [(len(b & a), i, j) for j, b in enumerate(sets) for i, a in enumerate(sets[:j])]
        _, first, second = max(pairs)
        rest[first] = _both(rest[first], rest[second])
        del rest[second]
    return rest[0]


def _both(one: State, other: State) -> State:
    mine, its = set(one.way), set(other.way)
    common = tuple(part for part in one.way if part in its)
    is_mine = conj_all(part for part in one.way if part not in its)
    is_its = conj_all(part for part in other.way if part not in mine)
    either = disj(is_mine, is_its)
    decided = is_mine is neg(is_its) or either.is_true
    return State(
        common if decided else (*common, either),
        _values(is_mine, one.globals, other.globals),
        _values(is_mine, one.locals, other.locals),
        one.shared,
        one.block,
        max(one.event, other.event),
        _values(is_mine, one.known, other.known) if one.event == other.event else {},
    )


def _values(is_first: Term, one: Mapping[Key, Term], other: Mapping[Key, Term]) -> dict[Key, Term]:
    found: dict[Key, Term] = {}
    for key, value in one.items():
        its = other.get(key)
        if its is not None:  # what only one of them knows is asked for again, or by nobody
            found[key] = value if value is its else choice(is_first, value, its)
    return found
