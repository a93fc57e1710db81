"""Whether pointers pass through something where the points-to analysis does not follow them.

    for (i = 0; i < sizeof p; i++) ((char *)&q)[i] = ((char *)&p)[i];   *q = 1;         q holds p's bytes

Such a program stores integers where it loads a pointer, or loads integers where it stored one and makes pointers of
integers; or it makes pointers of integers, and cuts integers that may hold addresses. If it may, the analysis is done
again with every integer followed.
"""

from __future__ import annotations

from cleave.frontends.c.analysis.accesses import Access, Content
from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.cells import Cell, MemoryMap
from cleave.frontends.c.analysis.points_to import PointsTo
from cleave.frontends.c.llvm import module as l

_NAMES = {
    Content.POINTER: "pointer",
    Content.OTHER: "other",
    Content.CONSTANT: "constant",
    Content.FOLLOWED: "followed",
}


def hides_pointers(module: l.Module, facts: CallFacts, points_to: PointsTo, memories: MemoryMap) -> bool:
    found = _found(memories)
    return _cuts_pointers(module, facts, points_to) or any(
        {"pointer read", "other written"} <= roles
        or (points_to.converts and {"pointer written", "other read"} <= roles)
        for roles in found.values()
    )


def parts_of_pointers(memories: MemoryMap) -> frozenset[Cell]:
    """The cells in which pointers are stored, and nothing else, and of which parts are read as numbers."""
    return frozenset(
        cell
        for cell, roles in _found(memories).items()
        if {"pointer written", "other read"} <= roles
        and roles.isdisjoint(("other written", "constant written", "followed written"))
    )


def _found(memories: MemoryMap) -> dict[Cell, set[str]]:
    """What is read from each cell, and what is written."""
    found: dict[Cell, set[str]] = {}
    for access in memories.accesses:
        for cell, _ in memories.of(access.region).pieces(access.offset[0], access.size):
            found.setdefault(cell, set()).update(_roles(access))
    _spread(memories, found)
    return found


def _cuts_pointers(module: l.Module, facts: CallFacts, points_to: PointsTo) -> bool:
    """Whether the parts of an address may be put together again: not each of them is wide enough to be followed."""
    instructions = [(name, one) for name in facts.reachable for one in module.functions[name].instructions()]
    return any(one.opcode == "inttoptr" for _, one in instructions) and any(
        one.opcode == "trunc"
        and not points_to.tracked(one.type)
        and points_to.find(points_to.region(name, one.operands[0])).objects
        for name, one in instructions
    )


def _roles(access: Access) -> set[str]:
    name = _NAMES[access.content]
    return {f"{name} {done}" for done, really in (("read", access.reads), ("written", access.writes)) if really}


def _spread(memories: MemoryMap, roles: dict[Cell, set[str]]) -> None:
    """What is written on one side of a copy may be read on the other."""
    changed = True
    while changed:
        changed = False
        for copy in memories.copies:
            for to, source in memories.pairs(copy):
                both = roles.get(to, set()) | roles.get(source, set())
                for cell in (to, source):
                    if both - roles.get(cell, set()):
                        roles[cell] = set(both)
                        changed = True
