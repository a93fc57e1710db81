"""Where the next iteration will probably come along: states that need not wait until it gets there.

    tree               start --0--> {} --1--> {} --2--> error
    predicates         x >= 0 of the first state, x > 0 of the second
    guesses            {x >= 0}, {x > 0}; and {}, {}

The predicates that exclude a path hold along it. The other states of the tree often stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cleave.engines.cegar.exploration import Path, State
from cleave.engines.cegar.messages import Learned
from cleave.engines.cegar.predictable import Predictable


def guesses(
    tree: Predictable, refined: Iterable[tuple[Path, Iterable[Learned]]], numbers: Mapping[Learned, int]
) -> Iterator[State]:
    """``numbers`` are those of predicates among the ones of their locations."""
    for path, predicates in refined:
        gained: dict[int, int] = {}
        for one in predicates:
            gained[one.location] = gained.get(one.location, 0) | 1 << numbers[one]
        for state in tree.along(path):
            yield State(state.location, state.bits | gained.get(state.location, 0))
    yield from tree.states()
