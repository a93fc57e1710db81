"""Atomic blocks as the ir wants them: closed on every way out of the procedure that opened them.

A way that ends inside, by ``abort()`` or after a violation, is closed where it ends; one that goes back out of the
procedure inside an atomic block is refused.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.frontends.c.llvm.debug import unsupported
from cleave.ir.program import Assume, AtomicBegin, AtomicEnd, Block, Location, Procedure, Statement
from cleave.logic.terms import FALSE


def balanced(procedure: Procedure) -> Procedure:
    if not any(isinstance(statement, AtomicBegin | AtomicEnd) for statement in procedure.statements()):
        return procedure
    first = procedure.entry.label
    depths = {first: 0}
    pending = [first]
    blocks: dict[str, Block] = {}
    while pending:
        block, depth = _closed(procedure.blocks[pending.pop()], depths)
        blocks[block.label] = block
        for label in block.successors:
            if label not in depths:
                depths[label] = depth
                pending.append(label)
            elif depths[label] != depth:
                raise _refused(procedure.blocks[label].location or procedure.location)
        if not block.successors and depth:
            raise _refused(block.location or procedure.location)
    ordered = {label: blocks[label] for label in procedure.blocks if label in blocks}  # the others are never reached
    return replace(procedure, blocks=ordered)


def _closed(block: Block, depths: dict[str, int]) -> tuple[Block, int]:
    """The block up to where executions end in it, and how many atomic blocks are open after it."""
    depth = depths[block.label]
    kept: list[Statement] = []
    for statement in block.statements:
        kept.append(statement)
        depth += isinstance(statement, AtomicBegin) - isinstance(statement, AtomicEnd)
        if depth < 0:
            raise _refused(statement.location)
        if isinstance(statement, Assume) and statement.condition is FALSE:
            kept += [AtomicEnd(statement.location)] * depth
            return replace(block, statements=tuple(kept), successors=()), 0
    return replace(block, statements=tuple(kept)), depth


def _refused(location: Location | None) -> Exception:
    return unsupported(
        "__VERIFIER_atomic_begin and __VERIFIER_atomic_end must come in pairs, on every way through a function",
        location,
    )
