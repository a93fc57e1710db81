"""Ways to take a transition that a solver found, and which predicates hold before and after it.

    transition     x < 10; x := x + 1          found with x = 3
    before         x <= 5 holds, x = 0 does not
    after          x <= 3 does not hold

A witness refutes that a predicate follows from any abstract state that it belongs to. Predicates that are learned later
are looked up in the values of its numbers; or, if there are none, in the solver's model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from cleave.records import dataclass

Truth: TypeAlias = Callable[[int], bool | None]
"""Whether a predicate holds, by its number; None: nobody knows."""


@dataclass(slots=True)
class Side:
    """What is known of the predicates before the transition, or after it: those that hold are among ``known``, too. One
    that is not known is looked up by ``truth`` when it is first asked about."""

    truth: Truth
    holding: int = 0
    known: int = 0

    def holds(self, one: int) -> bool | None:
        if not self.known >> one & 1:
            found = self.truth(one)
            if found is None:
                return None
            self.known |= 1 << one
            self.holding |= found << one
        return bool(self.holding >> one & 1)

    def look_up(self, count: int) -> None:
        """The first ``count`` predicates."""
        for one in range(count):
            self.holds(one)


@dataclass(slots=True)
class Witness:
    before: Side
    after: Side

    def belongs(self, bits: int) -> bool:
        """Whether the predicates of ``bits`` hold before the transition."""
        if bits & self.before.known & ~self.before.holding:
            return False
        return all(map(self.before.holds, members(bits & ~self.before.known)))

    def refutes(self, one: int) -> bool:
        """Whether a predicate does not hold after it."""
        return self.after.holds(one) is False


def members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
