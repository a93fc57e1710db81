"""Exploration that takes what comes first: the paper's naive distribution, for comparison.

States are left out if any other one includes them, whatever its depth, and the first path to an error that is found is
the counterexample. So it depends on which worker is how fast.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from cleave.engines.cegar.exploration import FIRST, Counterexamples, Covered, End, Post, Reached, State, includes


class Naive:
    def __init__(self, post: Post) -> None:
        self._post = post
        self._parents: dict[State, tuple[State, int] | None] = {}
        self._there: dict[int, list[int]] = {}  # by location
        self._queue: deque[State] = deque()
        self._unknown: set[State] = set()
        self._end: End | None = None
        self._reach(FIRST, None)
        self._grow([FIRST])

    def known(self, state: State) -> None:
        if state in self._unknown:
            self._unknown.remove(state)
            self._grow([state])

    def wanted(self) -> State | None:
        return self._queue.popleft() if self._queue and self._end is None else None

    def guess(self) -> State | None:
        return None

    def backlog(self) -> int:
        return len(self._queue)

    def end(self) -> End | None:
        return self._end

    def size(self) -> int:
        return len(self._parents)

    def reached(self) -> Iterator[Reached]:
        numbers = {state: number for number, state in enumerate(self._parents)}
        for state, before in self._parents.items():
            yield Reached(state, numbers[before[0]], before[1]) if before is not None else Reached(state, -1, -1)

    def _grow(self, waiting: list[State]) -> None:
        while waiting and self._end is None:
            state = waiting.pop()
            successors = self._post(state)
            if successors is None:
                self._unknown.add(state)
                self._queue.append(state)
                continue
            for transition, successor in successors:
                if successor.is_error:
                    self._end = Counterexamples((self._path(state, transition),))
                    return
                if not any(includes(bits, successor.bits) for bits in self._there.get(successor.location, ())):
                    self._reach(successor, (state, transition))
                    waiting.append(successor)
        if not self._unknown and self._end is None:
            self._end = Covered(tuple(self._parents))

    def _reach(self, state: State, parent: tuple[State, int] | None) -> None:
        self._parents[state] = parent
        self._there.setdefault(state.location, []).append(state.bits)

    def _path(self, state: State, transition: int) -> tuple[int, ...]:
        path = [transition]
        before = self._parents[state]
        while before is not None:
            path.append(before[1])
            before = self._parents[before[0]]
        return tuple(reversed(path))
