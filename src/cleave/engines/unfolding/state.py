"""The state of a thread's symbolic execution, and how two ways meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from heapq import heapify, heappop, heappush

from cleave.engines.unfolding.guards import chain, depth_in_common, joined
from cleave.engines.unfolding.simplify import choice
from cleave.logic.terms import TRUE, Term
from cleave.records import dataclass


@dataclass(slots=True)
class State:
    """``published``: other threads may be there, so that shared variables are no longer in ``globals``. ``atomic``
    counts the atomic blocks that are open, ``position`` is the last one passed."""

    guard: Term = TRUE
    globals: dict[Term, Term] = field(default_factory=dict)
    locals: dict[Term, Term] = field(default_factory=dict)
    published: bool = False
    atomic: int = 0
    position: int = 0

    def copy(self, guard: Term) -> State:
        return State(guard, dict(self.globals), dict(self.locals), self.published, self.atomic, self.position)


def merged(states: Sequence[State], publish: Callable[[State], None]) -> State:
    """One state for several ways; ``publish`` makes one that is not published so, where another one is."""
    if any(state.published for state in states):
        for state in states:
            if not state.published:
                publish(state)
    if len(states) == 1:
        return states[0]
    rest = dict(enumerate(states))
    chains = {number: chain(state.guard) for number, state in rest.items()}
    pairs = [(-depth_in_common(chains[i], chains[j]), -i, -j) for j in rest for i in range(j)]
    heapify(pairs)
    while len(rest) > 1:
        _, first, second = (-one for one in heappop(pairs))
        if first not in rest or second not in rest:
            continue  # they have met others
        # The new one has a new number, below all others, so that what is said of the old ones is not said of it.
        one, other = rest.pop(first), rest.pop(second)
        number = min(rest, default=0) - 1
        rest[number] = _merged(one, other)
        chains[number] = chain(rest[number].guard)
        for third in rest:
            if third != number:
                heappush(pairs, (-depth_in_common(chains[number], chains[third]), -number, -third))
    return next(iter(rest.values()))


def _merged(one: State, other: State) -> State:
    guard, is_first = joined(one.guard, other.guard)
    return State(
        guard,
        _values(is_first, one.globals, other.globals),
        _values(is_first, one.locals, other.locals),
        one.published,
        one.atomic,
        max(one.position, other.position),
    )


def _values(is_first: Term, one: dict[Term, Term], other: dict[Term, Term]) -> dict[Term, Term]:
    found = {}
    for variable, value in one.items():
        its = other.get(variable)
        if its is not None:  # what only one of them knows, nobody will ask for
            found[variable] = value if value is its else choice(is_first, value, its)
    return found
