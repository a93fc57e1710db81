"""Exploration whose result depends on the successors alone, not on when they become known.

Nobody waits for a level of the tree (`tree`): states are named as soon as they are known to be reached, unless they are
included by others that are, or deeper than an error that is known. A worker that would have to wait begins with
guesses. The tree itself only uses what is sure. A state that turns out to be needed though it seemed to be included is
named then; one that was named and is not needed costs time, no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush

from cleave.engines.cegar.exploration import FIRST, Covered, End, Path, Post, Reached, State, includes
from cleave.engines.cegar.tree import Tree


class Predictable:
    """``guesses`` are states that may be reached: whoever has nothing else to do looks at these. One worker need not
    look ``ahead``, as it does not wait for others."""

    def __init__(
        self, post: Post, counterexamples: int = 1, guesses: Iterable[State] = (), *, ahead: bool = True
    ) -> None:
        self._post = post
        self._most_errors = counterexamples
        self._tree = Tree(post)
        self._missing: set[State] = set()  # of the last level, those whose successors are not known
        self._urgent: deque[State] = deque()  # of these, in order, those that were not looked at
        self._end: End | None = None
        self._ahead = _Ahead(post) if ahead else None
        self._guesses = deque(guesses)
        self._named: set[State] = set()
        self._await_level()
        self._advance()

    def known(self, state: State) -> None:
        if self._ahead is not None:
            self._ahead.known(state)
        if state in self._missing:
            self._missing.remove(state)
            self._advance()

    def wanted(self) -> State | None:
        """What the tree waits for comes first; usually that was named ahead."""
        if self._end is not None:
            return None
        return self._first(self._next_urgent) or self._first(self._next_ahead)

    def _next_urgent(self) -> State | None:
        return self._urgent.popleft() if self._urgent else None

    def _next_ahead(self) -> State | None:
        """At most one level ahead of the tree: what is further away is too often not needed."""
        return self._ahead.next(self._tree.depth + 1) if self._ahead is not None else None

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
        return len(self._urgent)

    def end(self) -> End | None:
        return self._end

    def size(self) -> int:
        return self._tree.size

    def reached(self) -> Iterator[Reached]:
        return self._tree.reached()

    def states(self) -> Iterator[State]:
        """Those of the tree, by depth."""
        return self._tree.states()

    def along(self, path: Path) -> Iterator[State]:
        """The states on the way of a counterexample, but the first and the error."""
        return self._tree.along(path)

    def _await_level(self) -> None:
        states = [node.state for node in self._tree.last if self._post(node.state) is None]
        self._missing = set(states)
        self._urgent = deque(states)

    def _advance(self) -> None:
        while self._end is None and not self._missing:
            self._end = self._tree.counterexamples(self._most_errors)
            if self._end is not None:
                return
            level = self._tree.next_level()
            if level:
                self._tree.add(level)
                self._await_level()
            else:
                self._end = Covered(tuple(self.states()))


class _Ahead:
    """What can be reached by all that is known, at which depth at most; the paper's tree, without its deletions."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._depths: dict[State, int] = {}
        self._open: list[tuple[int, int, State]] = []  # a heap, by depth and then by when they were reached
        self._count = 0
        self._reached: dict[int, dict[int, int]] = {}  # by location, the states with their depths
        self._error_depth: int | None = None
        if self._reach(FIRST, 0):
            self._follow(FIRST, 0)

    def known(self, state: State) -> None:
        depth = self._depths.get(state)
        if depth is not None:
            self._follow(state, depth)

    def next(self, most: int) -> State | None:
        """One whose successors are not known, of depth ``most`` at most."""
        while self._open and self._open[0][0] <= most:
            depth, _, state = heappop(self._open)
            if depth == self._depths[state] and not self._is_too_deep(depth) and self._post(state) is None:
                return state
        return None

    def _is_too_deep(self, depth: int) -> bool:
        """Its successors would be deeper than an error that is known."""
        return self._error_depth is not None and depth >= self._error_depth

    def _follow(self, state: State, depth: int) -> None:
        waiting = deque([(state, depth)])
        while waiting:
            state, depth = waiting.popleft()
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
