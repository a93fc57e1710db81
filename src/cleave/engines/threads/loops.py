"""In which order the copies of a procedure's blocks are executed when its loops are unwound.

    a -> h    h -> b, x    b -> h            a, h, b, h', b', h'', x        with two iterations

A block's place is a path through the loops around it. A copy's key puts the number of the iteration behind the place of
each loop; sorted by key, every copy comes after all copies that lead to it. Loops that are entered at several blocks
have one of them as their head; the others are inside. How many iterations there are, `trips` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from cleave.ir.program import Procedure

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    head: str
    blocks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """``order`` is a block's number on each level; ``loops`` those around it, from the outermost."""

    order: tuple[int, ...]
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Copy:
    """A block in certain iterations of the loops around it."""

    label: str
    iterations: tuple[int, ...]


class Unwinding:
    """The copies of one procedure's blocks."""

    def __init__(self, procedure: Procedure) -> None:
        self._places = _places(procedure)
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


@lru_cache(maxsize=1024)
def _shape(edges: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[str, Place]:
    graph = dict(edges)
    places: dict[str, Place] = {}
    pending: list[_Part] = [_Part(list(graph), next(iter(graph)), graph, Place((), ()))]
    while pending:
        part = pending.pop()
        for number, component in enumerate(_components(part)):
            order = (*part.place.order, number)
            head = component[0]
            inside = set(component)
            if len(component) == 1 and head not in part.graph[head]:
                places[head] = Place(order, part.place.loops)
                continue
            loop = Loop(head, frozenset(component))
            rest = {one: tuple(s for s in part.graph[one] if s in inside and s != head) for one in component}
            pending.append(_Part(component, head, rest, Place(order, (*part.place.loops, loop))))
    return places


def _places(procedure: Procedure) -> Mapping[str, Place]:
    return _shape(tuple((label, block.successors) for label, block in procedure.blocks.items()))


@dataclass(slots=True)
class _Part:
    """Blocks to be ordered: those of a loop without the jumps to its head, or all."""

    labels: Sequence[str]
    entry: str
    graph: Mapping[str, tuple[str, ...]]
    place: Place


@dataclass(slots=True)
class _Tarjan:
    index: dict[str, int] = field(default_factory=dict)
    low: dict[str, int] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)
    found: list[list[str]] = field(default_factory=list)

    def enter(self, label: str) -> None:
        self.index[label] = self.low[label] = len(self.index)
        self.open[label] = None

    def leave(self, label: str) -> None:
        if self.low[label] != self.index[label]:
            return
        component = []
        while True:
            member, _ = self.open.popitem()
            component.append(member)
            if member == label:
                break
        self.found.append(sorted(component, key=self.index.__getitem__))  # the first is the one that was met first


def _components(part: _Part) -> Iterable[list[str]]:
    """Strongly connected, in an order in which jumps go forwards; each starts with the block that is entered first."""
    tarjan = _Tarjan()
    for root in (part.entry, *part.labels):
        if root in tarjan.index:
            continue
        tarjan.enter(root)
        stack = [(root, iter(part.graph[root]))]
        while stack:
            label, successors = stack[-1]
            following = next(successors, None)
            if following is None:
                stack.pop()
                tarjan.leave(label)
                if stack:
                    above = stack[-1][0]
                    tarjan.low[above] = min(tarjan.low[above], tarjan.low[label])
            elif following not in tarjan.index:
                tarjan.enter(following)
                stack.append((following, iter(part.graph[following])))
            elif following in tarjan.open:
                tarjan.low[label] = min(tarjan.low[label], tarjan.index[following])
    return reversed(tarjan.found)
