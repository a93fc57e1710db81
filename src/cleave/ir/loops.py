"""Loops of a procedure, how they are nested, and what they are called.

    a -> h    h -> b, x    b -> h            one loop: head h, blocks h and b; it is called main.0

Loops of a procedure are numbered in the order of their heads in the program, from 0. A loop that is entered at several
blocks has one of them as its head; the others are inside. Bounds are on loops by name, and so is what a verdict says
about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from cleave.ir.program import Block, Location, Procedure, Program
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Loop:
    head: str
    blocks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """``order`` is a block's number on each level; ``loops`` those around it, from the outermost."""

    order: tuple[int, ...]
    loops: tuple[Loop, ...]


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


def places(procedure: Procedure) -> Mapping[str, Place]:
    """Of each block of a procedure."""
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


# --- names ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedLoop:
    """A loop of a program. ``location`` is that of its head, where the source tells."""

    name: str
    procedure: str
    head: str
    location: Location | None = None

    def __str__(self) -> str:
        return self.name if self.location is None else f"{self.name} at {self.location.file}:{self.location.line}"


def named_loops(program: Program) -> list[NamedLoop]:
    """All loops, procedure by procedure."""
    found: list[NamedLoop] = []
    for procedure in program.procedures.values():
        if procedure.has_body:
            known = places(procedure)
            heads = [label for label in procedure.blocks if (own := known[label].loops) and own[-1].head == label]
            for number, head in enumerate(heads):
                where = _location(procedure.blocks[head])
                found.append(NamedLoop(f"{procedure.name}.{number}", procedure.name, head, where))
    return found


def _location(block: Block) -> Location | None:
    located = (statement.location for statement in block.statements if statement.location is not None)
    return block.location or next(located, None)


# --- bounds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """How often loops and recursion are unfolded: ``most`` times, or as ``own`` says, by the name of a loop or, for
    recursion, of a procedure."""

    most: int
    own: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> int:
        return self.own.get(name, self.most)

    def grown(self, names: Iterable[str], larger: Callable[[int], int]) -> LoopBounds:
        """The same, with larger bounds for these."""
        return LoopBounds(self.most, {**self.own, **{name: larger(self.of(name)) for name in names}})
