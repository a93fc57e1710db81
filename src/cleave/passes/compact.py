"""Fewer, longer blocks: what can't be reached goes, what can't return goes, and straight lines become one block.

    a: x := 1; goto b          a: x := 1; assume x > 0; return
    b: assume x > 0; goto c    becomes
    c: return

A block that can only end in ``assume false`` takes part in no execution. Empty choices between blocks (a block without
statements that only jumps) stay: they are joins that the conditions need anyway.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.ir.program import Assume, Block, Call, Procedure, Program
from cleave.logic.terms import FALSE
from cleave.passes.flow import predecessors, reachable


class MergedBlocks:
    """The way back: a visit of a merged block was a visit of each of its parts, with the calls of each in between."""

    def __init__(self, parts: dict[tuple[str, str], tuple[tuple[str, int], ...]]) -> None:
        self._parts = parts  # (procedure, block) -> ((label, calls in that part), ...)

    def __call__(self, path: Path) -> Path:
        lifted: list[PathStep] = []
        stack: list[tuple[str, list[tuple[str, int]]]] = []  # procedure, parts of its block not visited yet
        for step in path:
            match step:
                case Enter(procedure):
                    if stack:
                        self._reach_call(lifted, stack[-1][1])
                    stack.append((procedure, []))
                    lifted.append(step)
                case Visit(block):
                    procedure, parts = stack[-1]
                    self._finish(lifted, parts)
                    parts.extend(self._parts.get((procedure, block), ((block, 0),)))
                    lifted.append(Visit(parts[0][0]))
                case Leave():
                    self._finish(lifted, stack.pop()[1])
                    lifted.append(step)
        for _, parts in stack:
            self._finish(lifted, parts)
        return tuple(lifted)

    def _reach_call(self, lifted: list[PathStep], parts: list[tuple[str, int]]) -> None:
        """Visits parts until one that has a call left, and takes that call."""
        while parts and parts[0][1] == 0 and len(parts) > 1:
            parts.pop(0)
            lifted.append(Visit(parts[0][0]))
        if parts:
            label, calls = parts[0]
            parts[0] = (label, calls - 1)

    def _finish(self, lifted: list[PathStep], parts: list[tuple[str, int]]) -> None:
        lifted.extend(Visit(label) for label, _ in parts[1:])
        parts.clear()


def compact_blocks(program: Program) -> tuple[Program, MergedBlocks]:
    procedures: dict[str, Procedure] = {}
    parts: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
    for procedure in program.procedures.values():
        blocks, merged = _merge(_live_blocks(procedure), procedure.entry.label)
        procedures[procedure.name] = replace(procedure, blocks=blocks)
        for label, labels in merged.items():
            parts[procedure.name, label] = tuple((part, _calls(procedure.blocks[part])) for part in labels)
    return replace(program, procedures=procedures), MergedBlocks(parts)


def _calls(block: Block) -> int:
    return sum(isinstance(s, Call) for s in block.statements)


def _live_blocks(procedure: Procedure) -> dict[str, Block]:
    """Without blocks that nothing reaches or that reach no return."""
    blocks = procedure.blocks
    entry = procedure.entry.label
    found = reachable(blocks, entry)
    before = predecessors(blocks, [label for label in blocks if label in found])
    pending = [label for label in before if not blocks[label].successors and not _blocked(blocks[label])]
    returning = set(pending)
    while pending:
        for predecessor in before[pending.pop()]:
            if predecessor not in returning and not _blocked(blocks[predecessor]):
                returning.add(predecessor)
                pending.append(predecessor)
    if entry not in returning:
        return {entry: Block(entry, (Assume(FALSE),), (), blocks[entry].location)}
    return {label: _jumping_to(returning, block) for label, block in blocks.items() if label in returning}


def _jumping_to(labels: set[str], block: Block) -> Block:
    """The block, with each of its successors once, and only if it is one of ``labels``."""
    successors = tuple(dict.fromkeys(s for s in block.successors if s in labels))
    if successors == block.successors:
        return block
    return Block(block.label, block.statements, successors, block.location)


def _blocked(block: Block) -> bool:
    return any(isinstance(s, Assume) and s.condition.is_false for s in block.statements)


def _merge(blocks: dict[str, Block], entry: str) -> tuple[dict[str, Block], dict[str, list[str]]]:
    before = predecessors(blocks, blocks)
    merged: dict[str, list[str]] = {}
    result: dict[str, Block] = {}
    starts = [
        label
        for label in blocks
        if label == entry or len(before[label]) != 1 or len(blocks[before[label][0]].successors) != 1
    ]
    for start in starts:
        chain = [start]
        statements = list(blocks[start].statements)
        last = blocks[start]
        while len(last.successors) == 1 and len(before[last.successors[0]]) == 1 and last.successors[0] != entry:
            last = blocks[last.successors[0]]
            chain.append(last.label)
            statements.extend(last.statements)
        result[start] = Block(start, tuple(statements), last.successors, blocks[start].location)
        if len(chain) > 1:
            merged[start] = chain
    return result, merged
