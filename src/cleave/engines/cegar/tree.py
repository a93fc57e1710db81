"""The tree of abstract states that a breadth-first search builds, level by level (the paper's figures 3, 5 and 6).

- a state is left out if one of a smaller depth, or another one of the same depth, includes it;
- states of a level are ordered by their least path, paths being compared transition by transition;
- the first level with an error ends the search, with the least path to it, or with some of the least that differ,
  as many as asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cleave.engines.cegar.exploration import FIRST, Counterexamples, Path, Post, Reached, State, includes

_MOST_LOOKED_AT = 256  # errors among which counterexamples are chosen
_LEAST_SHARE = 4  # of the counterexamples that are asked for, one in so many is taken though it is like others


class Node(NamedTuple):
    """A state of a level, and its least predecessor: its place in the level before, and the transition from there."""

    state: State
    parent: int
    transition: int


class Tree:
    """It is grown by whoever knows the successors of all states of the last level."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._levels: list[list[Node]] = []
        self._kept: dict[int, list[int]] = {}  # by location, of all levels
        self.add([Node(FIRST, -1, -1)])

    @property
    def last(self) -> list[Node]:
        return self._levels[-1]

    @property
    def depth(self) -> int:
        return len(self._levels) - 1

    @property
    def size(self) -> int:
        return sum(len(level) for level in self._levels)

    def states(self) -> Iterator[State]:
        """By depth."""
        return (node.state for level in self._levels for node in level)

    def reached(self) -> Iterator[Reached]:
        """By depth, each with the number of its predecessor."""
        begin = 0  # of the level before
        for depth, level in enumerate(self._levels):
            for state, parent, transition in level:
                yield Reached(state, begin + parent if depth else -1, transition)
            begin += len(self._levels[depth - 1]) if depth else 0

    def along(self, path: Path) -> Iterator[State]:
        """The states on the way of a counterexample, but the first and the error."""
        place = 0
        for depth, transition in enumerate(path[:-1], 1):
            nodes = enumerate(self._levels[depth])
            place = next(at for at, node in nodes if (node.parent, node.transition) == (place, transition))
            yield self._levels[depth][place].state

    def add(self, level: list[Node]) -> None:
        self._levels.append(level)
        for node in level:
            self._kept.setdefault(node.state.location, []).append(node.state.bits)

    def next_level(self) -> list[Node]:
        """In order: parents come in theirs, so the first way to a state is its least."""
        found: dict[State, Node] = {}
        for place, node in enumerate(self.last):
            for transition, state in self._post(node.state) or ():
                if state not in found:
                    found[state] = Node(state, place, transition)
        together: dict[int, list[int]] = {}
        for state in found:
            together.setdefault(state.location, []).append(state.bits)
        return [node for node in found.values() if not self._is_included(node.state, together)]

    def _is_included(self, state: State, together: dict[int, list[int]]) -> bool:
        location, own = state
        return any(includes(bits, own) for bits in self._kept.get(location, ())) or any(
            bits != own and includes(bits, own) for bits in together[location]
        )

    # --- errors -------------------------------------------------------------------------------------------------------

    def counterexamples(self, most: int) -> Counterexamples | None:
        """Of the ways from the last level to the error, the least that differ in their locations or in their last
        transition, as the others are often excluded with them; at least some. None if there are no errors."""
        errors = self._errors()
        if not errors:
            return None
        first: dict[tuple[int, ...], Path] = {}
        others: list[Path] = []
        for error in errors[:_MOST_LOOKED_AT]:
            path, places = self._path(error)
            if (*places, error.transition) in first:
                others.append(path)
            else:
                first[*places, error.transition] = path
        found = list(first.values())
        return Counterexamples((*found[:most], *others[: max(0, most // _LEAST_SHARE - len(found))]))

    def _errors(self) -> list[Node]:
        """The least first."""
        return [
            Node(state, place, transition)
            for place, node in enumerate(self.last)
            for transition, state in self._post(node.state) or ()
            if state.is_error
        ]

    def _path(self, node: Node) -> tuple[Path, list[int]]:
        """The way to a node of the level after the last, and the locations on it, backwards."""
        path: list[int] = []
        places: list[int] = []
        for level in reversed(self._levels):
            path.append(node.transition)
            node = level[node.parent]
            places.append(node.state.location)
        return tuple(reversed(path)), places
