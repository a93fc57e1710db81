"""The abstract successors that are known, in this iteration and from earlier ones, and what is missing of them.

    posts.begin(state)                      # the transitions to look at, and from which of the target's predicates on
    posts.add(state, asked, taken)          # some of the answers
    posts.lookup(state)                     # all of its successors, or None

Predicates of a location are only ever added, so a set of them means the same in every iteration; of a state that was
met before, only the new predicates of its successors have to be found out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from cleave.engines.cegar.exploration import State, Successor
from cleave.records import dataclass

Asked = tuple[int, int]
"""A transition, and the number of the first predicate of its target that is asked for."""


@dataclass(slots=True)
class _Gathering:
    """Answers that are still coming in: how many are missing, what came, and how many predicates each target had."""

    missing: set[int]
    counts: dict[int, int]
    taken: dict[int, int] = field(default_factory=dict)


class Posts:
    """``transitions`` are pairs of source and target, in order."""

    def __init__(self, transitions: Sequence[tuple[int, int]]) -> None:
        self._targets = [target for _, target in transitions]
        self._outgoing: dict[int, list[int]] = {}
        for number, (source, _) in enumerate(transitions):
            self._outgoing.setdefault(source, []).append(number)
        self._counts: dict[int, int] = {}  # of predicates, by location
        self._rows: dict[State, dict[int, tuple[int, int]]] = {}  # by transition, what holds after it and the count
        self._gathering: dict[State, _Gathering] = {}

    def learn(self, location: int) -> int:
        """One more predicate. Its number."""
        number = self._counts.get(location, 0)
        self._counts[location] = number + 1
        return number

    def lookup(self, state: State) -> list[Successor] | None:
        row = self._rows.get(state)
        if row is None:
            return None if state.location in self._outgoing else []
        if any(count < self._count(number) for number, (_, count) in row.items()):
            return None
        return [Successor(number, State(self._targets[number], bits)) for number, (bits, _) in row.items()]

    def begin(self, state: State) -> list[Asked]:
        """Nothing if it is under way or known already."""
        if state in self._gathering:
            return []
        row = self._rows.get(state)
        if row is None:
            asked = [(number, 0) for number in self._outgoing[state.location]]
        else:
            asked = [(number, count) for number, (_, count) in row.items() if count < self._count(number)]
        if asked:
            counts = {number: self._count(number) for number, _ in asked}
            self._gathering[state] = _Gathering(set(counts), counts)
        return asked

    def add(self, state: State, asked: Sequence[Asked], taken: Sequence[tuple[int, int]]) -> bool:
        """Takes in what holds after those of the transitions asked about that can be taken. Whether that was all."""
        gathering = self._gathering[state]
        gathering.missing.difference_update(number for number, _ in asked)
        gathering.taken.update(taken)
        if gathering.missing:
            return False
        del self._gathering[state]
        row = self._rows.setdefault(state, {})
        for number in sorted(gathering.taken):
            held, _ = row.get(number, (0, 0))
            row[number] = held | gathering.taken[number], gathering.counts[number]
        return True

    def _count(self, number: int) -> int:
        return self._counts.get(self._targets[number], 0)
