"""Memory that is not freed when the program ends, and whether global variables lead to it.

    struct node *list;      not freed, and list is null: lost       list is not null: nobody knows

How many blocks are left is counted; which these are, and how they hang together, is not followed.
"""

from __future__ import annotations

from cleave.frontends.c.analysis.cells import Memory
from cleave.frontends.c.analysis.lives import leading_to_heap
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.context import Context
from cleave.logic.terms import FALSE, TRUE, Term, bv, disj_all

HELD = "whether a global variable leads to memory that is not freed"


def keep_roots(context: Context) -> None:
    """Their values are wanted at the end, also if the program reads none; this comes before cells have variables."""
    for memory in _memories(context):
        if memory.single and not memory.stride:
            for cell in memory.cells.values():
                cell.read |= cell.size == context.module.bits // 8


def roots(context: Context) -> tuple[Term, ...] | None:
    """The global pointers that may lead to memory that was allocated; None if these are not single variables."""
    found: list[Term] = []
    for memory in _memories(context):
        if not memory.single or memory.stride:
            return None
        for cell in memory.cells.values():
            if cell.is_array or cell.size < context.module.bits // 8:
                return None
            if cell.variable is not None and cell.size == context.module.bits // 8:
                found.append(cell.variable)
    return tuple(found)


def _memories(context: Context) -> list[Memory]:
    globals = leading_to_heap(context.points_to)
    return [context.memories.of(context.points_to.region_of_object(made)) for made in globals]


def may_hold(roots: tuple[Term, ...] | None) -> Term:
    """Whether one of them may hold memory when the program ends."""
    if roots is None:
        return TRUE
    return disj_all([bits.differ(root, bv(0, root.sort.width)) for root in roots]) if roots else FALSE
