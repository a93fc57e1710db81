"""Which statements are in atomic blocks, as far as the text of a program says.

proc p() { atomic begin; call q(); atomic end; x := 1 }        the call is, and all of q if only p calls it
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from cleave.frontends.boogie.threads.starting import ATOMIC_BEGIN, ATOMIC_END
from cleave.ir import program as ir


class Inside(NamedTuple):
    """Which statements are in atomic blocks, for each procedure; which procedures are called there, and which are not
    only called there."""

    places: dict[str, set[tuple[str, int]]]
    called: set[str]
    outside: set[str]


def inside_blocks(procedures: Mapping[str, ir.Procedure], started: Set[str]) -> Inside:
    places = {name: _places_inside(one) for name, one in procedures.items()}
    called: set[str] = set()
    pending = [name for name in procedures for name in _callees(procedures[name], places[name], inside=True)]
    while pending:
        name = pending.pop()
        if name in procedures and name not in called:
            called.add(name)
            pending += _callees(procedures[name], places[name], inside=True)
            pending += _callees(procedures[name], places[name], inside=False)
    every = {
        name for one in procedures for flag in (True, False) for name in _callees(procedures[one], places[one], flag)
    }
    outside, pending = (
        set[str](),
        [name for name in procedures if name not in every or name not in called or name in started],
    )
    while pending:
        name = pending.pop()
        if name in procedures and name not in outside:
            outside.add(name)
            pending += _callees(procedures[name], places[name], inside=False)
    for name in called - outside:
        places[name] = {(b.label, n) for b in procedures[name].blocks.values() for n in range(len(b.statements))}
    return Inside(places, called, outside)


def _callees(procedure: ir.Procedure, places: set[tuple[str, int]], inside: bool) -> list[str]:
    return [
        one.procedure
        for block in procedure.blocks.values()
        for place, one in enumerate(block.statements)
        if isinstance(one, ir.Call) and ((block.label, place) in places) == inside
    ]


def _places_inside(procedure: ir.Procedure) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    if not procedure.blocks:
        return found
    pending, seen = [(procedure.entry.label, 0, False)], set[str]()
    while pending:
        label, depth, flag = pending.pop()
        if label in seen:
            continue
        seen.add(label)
        for place, one in enumerate(procedure.blocks[label].statements):
            depth += isinstance(one, ir.AtomicBegin)
            depth -= isinstance(one, ir.AtomicEnd)
            if isinstance(one, ir.Call) and one.procedure in (ATOMIC_BEGIN, ATOMIC_END):
                flag = one.procedure == ATOMIC_BEGIN
            if depth or flag:
                found.add((label, place))
        pending += [(following, depth, flag) for following in procedure.blocks[label].successors]
    return found
