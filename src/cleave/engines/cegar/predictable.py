"""Exploration whose result depends on the successors alone, not on when they become known.

The tree is the one that a breadth-first search builds, level by level (the paper's figures 3, 5 and 6):

    - a state is left out if one of a smaller depth, or another one of the same depth, includes it;
    - states of a level are ordered by their least path, paths being compared transition by transition;
    - the first level with an error ends the search, with the least path to it, or with some of the least that differ,
      as many as asked for.

Nobody waits for a level: states are named as soon as they are known to be reached, unless they are included by others
that are, or deeper than an error that is known. Whoever would have to wait begins with guesses. The tree itself only
uses what is sure. A state that turns out to be needed though it seemed to be included is named then; one that was named
and is not needed costs time, no more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from cleave.engines.cegar.exploration import FIRST, Counterexamples, Covered, End, Path, Post, State, includes

_MOST_LOOKED_AT = 256  # errors among which counterexamples are chosen
_LEAST_SHARE = 4  # of the counterexamples that are asked for, one in so many is taken though it is like others


class _Node(NamedTuple):
    """A state of a level, and its least predecessor: its place in the level before, and the transition from there."""

    state: State
    parent: int
    transition: int


class Predictable:
    """``guesses`` are states that may be reached: whoever has nothing else to do looks at these."""

    def __init__(self, post: Post, counterexamples: int = 1, guesses: Iterable[State] = ()) -> None:
        self._post = post
        self._most_errors = counterexamples
        self._levels: list[list[_Node]] = []
        self._kept: dict[int, list[int]] = {}  # by location, of all levels
        self._missing: set[State] = set()  # of the last level, those whose successors are not known
        self._urgent: deque[State] = deque()  # of these, in order, those that were not looked at
        self._end: End | None = None
        self._ahead = _Ahead(post)
        self._guesses = deque(guesses)
        self._named: set[State] = set()
        self._add_level([_Node(FIRST, -1, -1)])
        self._advance()

    def known(self, state: State) -> None:
        self._ahead.known(state)
        if state in self._missing:
            self._missing.remove(state)
            self._advance()

    def wanted(self) -> State | None:
        """What the tree waits for comes first; usually that was named ahead."""
        if self._end is not None:
            return None
        return self._first(self._next_urgent) or self._first(self._ahead.next)

    def _next_urgent(self) -> State | None:
        return self._urgent.popleft() if self._urgent else None

    def guess(self) -> State | None:
        return self._first(self._next_guess) if self._end is None else None

    def _next_guess(self) -> State | None:
        while self._guesses:
            state = self._guesses.popleft()
            if self._post(state) is None:
                return state
        return None

    def _first(self, following: Callable[[], State | None]) -> State | None:
        """The first one that was not named before."""
        while (state := following()) is not None:
            if state not in self._named:
                self._named.add(state)
                return state
        return None

    def backlog(self) -> int:
        return len(self._urgent) + self._ahead.backlog()

    def end(self) -> End | None:
        return self._end

    def size(self) -> int:
        return sum(len(level) for level in self._levels)

    def states(self) -> Iterator[State]:
        """Those of the tree, by depth."""
        return (node.state for level in self._levels for node in level)

    def along(self, path: Path) -> Iterator[State]:
        """The states on the way of a counterexample, but the first and the error."""
        place = 0
        for depth, transition in enumerate(path[:-1], 1):
            nodes = enumerate(self._levels[depth])
            place = next(at for at, node in nodes if (node.parent, node.transition) == (place, transition))
            yield self._levels[depth][place].state

    # --- levels -------------------------------------------------------------------------------------------------------

    def _add_level(self, level: list[_Node]) -> None:
        self._levels.append(level)
        for node in level:
            self._kept.setdefault(node.state.location, []).append(node.state.bits)
        self._missing = {node.state for node in level if self._post(node.state) is None}
        self._urgent = deque(node.state for node in level if node.state in self._missing)

    def _advance(self) -> None:
        while self._end is None and not self._missing:
            errors = self._errors()
            if errors:
                self._end = self._selected(errors)
                return
            level = self._next_level()
            if level:
                self._add_level(level)
            else:
                self._end = Covered(tuple(self.states()))

    def _errors(self) -> list[_Node]:
        """The ways from the last level to the error, the least first."""
        return [
            _Node(state, place, transition)
            for place, node in enumerate(self._levels[-1])
            for transition, state in self._post(node.state) or ()
            if state.is_error
        ]

    def _selected(self, errors: list[_Node]) -> Counterexamples:
        """Those that differ in their locations or in their last transition, as the others are often excluded with them;
        at least some."""
        first: dict[tuple[int, ...], Path] = {}
        others: list[Path] = []
        for error in errors[:_MOST_LOOKED_AT]:
            path, places = self._path(error)
            if (*places, error.transition) in first:
                others.append(path)
            else:
                first[*places, error.transition] = path
        found = list(first.values())
        most, least = self._most_errors, self._most_errors // _LEAST_SHARE
        return Counterexamples((*found[:most], *others[: max(0, least - len(found))]))

    def _next_level(self) -> list[_Node]:
        """In order: parents come in theirs, so the first way to a state is its least."""
        found: dict[State, _Node] = {}
        for place, node in enumerate(self._levels[-1]):
            for transition, state in self._post(node.state) or ():
                if state not in found:
                    found[state] = _Node(state, place, transition)
        together: dict[int, list[int]] = {}
        for state in found:
            together.setdefault(state.location, []).append(state.bits)
        return [node for node in found.values() if not self._is_included(node.state, together)]

    def _is_included(self, state: State, together: dict[int, list[int]]) -> bool:
        location, own = state
        return any(includes(bits, own) for bits in self._kept.get(location, ())) or any(
            bits != own and includes(bits, own) for bits in together[location]
        )

    def _path(self, node: _Node) -> tuple[Path, list[int]]:
        """The way to a node of the level after the last, and the locations on it, backwards."""
        path: list[int] = []
        places: list[int] = []
        for level in reversed(self._levels):
            path.append(node.transition)
            node = level[node.parent]
            places.append(node.state.location)
        return tuple(reversed(path)), places


class _Ahead:
    """What can be reached by all that is known, at which depth at most; the paper's tree, without its deletions."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._depths: dict[State, int] = {}
        self._open: list[tuple[int, int, State]] = []  # a heap, by depth and then by when they were reached
        self._count = 0
        self._reached: dict[int, dict[int, int]] = {}  # by location, the states with their depths
        self._error_depth: int | None = None
        self._reach(FIRST, 0)

    def known(self, state: State) -> None:
        depth = self._depths.get(state)
        if depth is not None:
            self._follow(state, depth)

    def next(self) -> State | None:
        while self._open:
            depth, _, state = heappop(self._open)
            if depth == self._depths[state] and not self._is_too_deep(depth):
                return state
        return None

    def backlog(self) -> int:
        return len(self._open)

    def _is_too_deep(self, depth: int) -> bool:
        """Its successors would be deeper than an error that is known."""
        return self._error_depth is not None and depth >= self._error_depth

    def _follow(self, state: State, depth: int) -> None:
        waiting = [(state, depth)]
        while waiting:
            state, depth = waiting.pop()
            for _, successor in self._post(state) or ():
                if self._reach(successor, depth + 1):
                    waiting.append((successor, depth + 1))

    def _reach(self, state: State, depth: int) -> bool:
        """Whether the state is new at this depth and its successors are known already."""
        if state.is_error:
            self._error_depth = depth if self._error_depth is None else min(depth, self._error_depth)
            return False
        there = self._reached.setdefault(state.location, {})
        if any(at <= depth and includes(bits, state.bits) for bits, at in there.items()):
            return False
        there[state.bits] = self._depths[state] = depth
        if self._post(state) is not None:
            return True
        self._count += 1
        heappush(self._open, (depth, self._count, state))
        return False
