"""The abstract states that can be reached, and what an exploration of them ends with.

An exploration gets the successors of states, in whatever order they become known, and says of which states it needs
them next. What a *predictable* one concludes does not depend on the order (`predictable`); a *naive* one's does
(`naive`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeAlias

from cleave.ir.transition_system import ERROR, START
from cleave.records import dataclass


class State(NamedTuple):
    """A location, and the set of its predicates that hold, as bits: the more, the fewer concrete states it has."""

    location: int
    bits: int

    @property
    def is_error(self) -> bool:
        return self.location == ERROR


FIRST = State(START, 0)


class Successor(NamedTuple):
    transition: int
    state: State


class Reached(NamedTuple):
    """A state of the tree, the number of its predecessor in the order of reaching, and the transition from there."""

    state: State
    parent: int
    transition: int


Post: TypeAlias = Callable[[State], Iterable[Successor] | None]
"""The successors of a state, in the order of the transitions; None if they are not known yet."""


Path: TypeAlias = tuple[int, ...]
"""Transitions, by their numbers."""


@dataclass(frozen=True, slots=True)
class Covered:
    """The error is not reached. Whatever can be is in one of these states."""

    states: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class Counterexamples:
    """Paths of transitions to the error, the least first."""

    paths: tuple[Path, ...]


End: TypeAlias = Covered | Counterexamples


class Exploration(Protocol):
    """One iteration. ``post`` is what it looks successors up with."""

    def known(self, state: State) -> None:
        """The successors of ``state`` have become known."""

    def wanted(self) -> State | None:
        """A state whose successors are needed, the most urgent one; each is named once, here or as a guess."""

    def guess(self) -> State | None:
        """One whose successors may be needed later."""

    def backlog(self) -> int:
        """How many states it could name at once that are needed for sure."""

    def end(self) -> End | None:
        """What it concludes, once it can."""

    def size(self) -> int:
        """How many states the tree has by now."""

    def reached(self) -> Iterator[Reached]:
        """The states of the tree, each after its predecessor."""


def includes(larger: int, smaller: int) -> bool:
    """Whether a state with the predicates ``larger`` has all concrete states of one with ``smaller``."""
    return larger & smaller == larger
