"""In which order the copies of a procedure's blocks are executed when its loops are unwound.

    a -> h    h -> b, x    b -> h            a, h, b, h', b', h'', x        with two iterations

A block's place is a path through the loops around it. A copy's key puts the number of the iteration behind the place of
each loop (`ir.loops`); sorted by key, every copy comes after all copies that lead to it. How many iterations there are,
`trips` decides.
"""

from __future__ import annotations

from cleave.ir.loops import Loop, places
from cleave.ir.program import Procedure
from cleave.records import dataclass

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Copy:
    """A block in certain iterations of the loops around it."""

    label: str
    iterations: tuple[int, ...]


class Unwinding:
    """The copies of one procedure's blocks."""

    def __init__(self, procedure: Procedure) -> None:
        self._places = places(procedure)
        self._successors = {label: block.successors for label, block in procedure.blocks.items()}
        self.entry = Copy(procedure.entry.label, (0,) * len(self._places[procedure.entry.label].loops))

    def key(self, copy: Copy) -> Key:
        place = self._places[copy.label]
        key: list[int] = []
        for level, number in enumerate(place.order):
            key.append(number)
            if level < len(copy.iterations):
                key.append(copy.iterations[level])
        return tuple(key)

    def loops(self, label: str) -> tuple[Loop, ...]:
        """Those around a block, from the outermost."""
        return self._places[label].loops

    def is_head(self, label: str) -> bool:
        loops = self.loops(label)
        return bool(loops) and loops[-1].head == label

    def loops_of_both(self, one: str, other: str) -> list[Loop]:
        """Those around both of two blocks, from the outermost."""
        return [mine for mine, its in zip(self.loops(one), self.loops(other), strict=False) if mine is its]

    def ways_out(self, label: str, loop: Loop) -> frozenset[str]:
        """Where a jump from a block leads out of a loop around it."""
        return frozenset(successor for successor in self._successors[label] if successor not in loop.blocks)

    def following(self, copy: Copy, label: str) -> Copy:
        """The copy that a jump to ``label`` leads to."""
        iterations: list[int] = []
        for level, loop in enumerate(self.loops_of_both(copy.label, label)):
            iterations.append(copy.iterations[level] + (label == loop.head))
            if label == loop.head:
                break
        iterations += [0] * (len(self.loops(label)) - len(iterations))
        return Copy(label, tuple(iterations))
