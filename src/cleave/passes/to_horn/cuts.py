"""Cut points, and the acyclic regions between them.

    a: x := 0; goto h             regions:  start -> h    {a}
    h: goto body, out                       h -> h        {h, body}
    body: x := x + 1; goto h                h -> return   {h, out}
    out: return

Every cycle has a cut point, also where control flow is irreducible: of each strongly connected part without one, a
block that is entered from outside becomes one. Calls are cut points. A region goes from one cut point to another one
(or from the procedure's start, or to its return), and holds all paths between them that pass no other. As many joins
become cut points, too, as keep the number of regions near the number of blocks: without them, n calls on branches
followed by n other ones would be n * n regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cleave.ir.program import Block, Procedure
from cleave.passes.flow import predecessors, reachable, strongly_connected
from cleave.passes.to_horn.calls import leading_call
from cleave.records import dataclass

END = ""
"""Where a region ends, as the successor of its last blocks; no block is called so."""


@dataclass(frozen=True, slots=True)
class Region:
    """``source`` None is the start of the procedure, ``target`` None its return. ``successors`` gives for each of the
    blocks, which are in topological order, those that are on a path to the target. A region without blocks goes from
    the start to a cut point that is there."""

    source: str | None
    target: str | None
    successors: Mapping[str, tuple[str, ...]]

    @property
    def blocks(self) -> tuple[str, ...]:
        return tuple(self.successors)

    @property
    def is_chain(self) -> bool:
        return all(len(following) == 1 for following in self.successors.values())


def cut_points(procedure: Procedure) -> set[str]:
    blocks = procedure.blocks
    entry = procedure.entry.label
    found = reachable(blocks, entry)
    before = predecessors(blocks, [label for label in blocks if label in found])
    # At a call that nothing jumps to, the start of the procedure is the cut point.
    cuts = {label for label in before if leading_call(blocks[label]) is not None and before[label]}
    _cut_cycles(blocks, entry, before, cuts)
    _cut_products(blocks, entry, before, cuts)
    return cuts


def _cut_cycles(blocks: Mapping[str, Block], entry: str, before: Mapping[str, list[str]], cuts: set[str]) -> None:
    pending = [set(before) - cuts]
    while pending:
        part = pending.pop()
        graph = {label: [s for s in blocks[label].successors if s in part] for label in blocks if label in part}
        for component in strongly_connected(graph):
            if len(component) == 1 and component[0] not in graph[component[0]]:
                continue
            inside = set(component)
            headers = [b for b in graph if b in inside and (b == entry or not inside.issuperset(before[b]))]
            cuts.add(headers[0])
            pending.append(inside - {headers[0]})


def _cut_products(blocks: Mapping[str, Block], entry: str, before: Mapping[str, list[str]], cuts: set[str]) -> None:
    """Cuts at a join when that makes fewer regions: sources + targets instead of sources * targets."""
    order = _order(blocks, (entry, *(label for label in blocks if label in cuts)), cuts)
    ends: dict[str, set[str]] = {}
    for label in reversed(order):
        following = blocks[label].successors
        ends[label] = {END} if not following else set()
        for successor in following:
            ends[label] |= {successor} if successor in cuts else ends[successor]
    starts: dict[str, set[str]] = {}
    for label in order:
        if label in cuts or label == entry:
            starts[label] = {label}
            continue
        starts[label] = set().union(*(starts[p] for p in before[label] if p in starts))
        sources, targets = len(starts[label]), len(ends[label])
        if len(before[label]) > 1 and sources * targets > 2 * (sources + targets):
            cuts.add(label)
            starts[label] = {label}


def _order(blocks: Mapping[str, Block], roots: Iterable[str], cuts: set[str]) -> list[str]:
    """The blocks that ``roots`` reach without passing a cut point, each before its successors."""
    order: list[str] = []
    done: set[str] = set()
    for root in roots:
        work = [(root, 0)]
        while work:
            label, position = work.pop()
            if position == 0:
                if label in done:
                    continue
                done.add(label)
            following = blocks[label].successors
            for place in range(position, len(following)):
                if following[place] not in done and following[place] not in cuts:
                    work += [(label, place + 1), (following[place], 0)]
                    break
            else:
                order.append(label)
    order.reverse()
    return order


def regions(procedure: Procedure, cuts: set[str]) -> Iterator[Region]:
    """All regions, by source and target in the order of the blocks."""
    blocks, entry = procedure.blocks, procedure.entry.label
    if entry in cuts:
        yield Region(None, entry, {})
    else:
        yield from _from(blocks, None, entry, cuts)
    for label in blocks:
        if label in cuts:
            yield from _from(blocks, label, label, cuts)


def _from(blocks: Mapping[str, Block], source: str | None, first: str, cuts: set[str]) -> Iterator[Region]:
    order = _order(blocks, (first,), cuts)
    reaching: dict[str, set[str | None]] = {}  # the targets that each block reaches
    for label in reversed(order):
        following = blocks[label].successors
        reaching[label] = {None} if not following else set()
        for successor in following:
            reaching[label] |= {successor} if successor in cuts else reaching[successor]
    place = {label: number for number, label in enumerate(blocks)}
    for target in sorted(reaching[first], key=lambda t: len(place) if t is None else place[t]):
        successors = {}
        for label in order:
            if target in reaching[label]:
                following = blocks[label].successors
                kept = [
                    END if s == target else s for s in following if s == target or _goes_on(s, target, reaching, cuts)
                ]
                successors[label] = tuple(dict.fromkeys(kept)) if following else (END,)
        yield Region(source, target, successors)


def _goes_on(label: str, target: str | None, reaching: Mapping[str, set[str | None]], cuts: set[str]) -> bool:
    return label not in cuts and target in reaching[label]
