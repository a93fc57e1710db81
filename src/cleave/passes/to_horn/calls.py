"""Every call becomes the first statement of a block, so that what cuts a body in pieces is always a block.

    b: x := 1; call f(x) -> (y); y := y + 1; return

becomes

    b: x := 1; goto b'1
    b'1: call f(x) -> (y); y := y + 1; return
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.path import WayBack
from cleave.ir.program import Block, Call, Procedure, Program, Statement
from cleave.passes.fresh import FreshNames


def calls_first(program: Program) -> tuple[Program, WayBack]:
    added: dict[tuple[str, str], str | None] = {}
    procedures: dict[str, Procedure] = {}
    for procedure in program.procedures.values():
        labels = FreshNames(procedure.blocks)
        blocks: dict[str, Block] = {}
        for block in procedure.blocks.values():
            for part in _parts(block, labels):
                blocks[part.label] = part
                if part.label != block.label:
                    added[procedure.name, part.label] = None
        procedures[procedure.name] = replace(procedure, blocks=blocks)
    return replace(program, procedures=procedures), WayBack(added)


def _parts(block: Block, labels: FreshNames) -> list[Block]:
    parts: list[Block] = []
    label, done = block.label, list[Statement]()
    for statement in block.statements:
        if isinstance(statement, Call) and done:
            rest = labels.like(block.label)
            parts.append(Block(label, tuple(done), (rest,), block.location))
            label, done = rest, []
        done.append(statement)
    parts.append(Block(label, tuple(done), block.successors, block.location))
    return parts


def leading_call(block: Block) -> Call | None:
    """The call of a block, if it has one."""
    first = block.statements[0] if block.statements else None
    return first if isinstance(first, Call) else None
