"""A program that is unsafe just if an execution reaches a check.

    assert x > 0                        assert false                    the place of a check
    if (c) reach_error();               assert false; if (c) …          the branch that decides it

A call of an error function is no check by itself: what leads to it, or past it, is. That is the last branch before it,
in its function or in those that call it; where constants decide that one, the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cleave.ir.program import Assert, Block, Call, Procedure, Spawn, Statement
from cleave.logic.terms import FALSE

_Where = tuple[str, str]  # a procedure and a block


def all_violated(procedures: Mapping[str, Procedure]) -> dict[str, Procedure]:
    deciding = _Deciding(procedures)
    return {
        name: replace(one, blocks={label: _block(deciding, name, block) for label, block in one.blocks.items()})
        for name, one in procedures.items()
    }


def _block(deciding: _Deciding, name: str, block: Block) -> Block:
    statements = [_violated(statement) for statement in block.statements]
    if (name, block.label) in deciding.branches:
        statements.append(Assert(FALSE, "a check", block.location, deciding.branches[name, block.label].check))
    return replace(block, statements=tuple(statements))


def _violated(statement: Statement) -> Statement:
    return replace(statement, condition=FALSE, values=()) if isinstance(statement, Assert) else statement


class _Deciding:
    """``branches``: the blocks at whose end it is decided whether a call of an error function is reached."""

    def __init__(self, procedures: Mapping[str, Procedure]) -> None:
        self._before: dict[_Where, list[_Where]] = {}
        self._callers: dict[str, list[_Where]] = {}
        self.branches: dict[_Where, Assert] = {}
        self._procedures = procedures
        self._note()
        for where, failing in self._failing():
            self._climb(where, failing)

    def _note(self) -> None:
        for name, procedure in self._procedures.items():
            for block in procedure.blocks.values():
                for label in block.successors:
                    self._before.setdefault((name, label), []).append((name, block.label))
                for statement in block.statements:
                    if isinstance(statement, Call | Spawn):
                        self._callers.setdefault(statement.procedure, []).append((name, block.label))

    def _failing(self) -> Iterator[tuple[_Where, Assert]]:
        for name, procedure in self._procedures.items():
            for block in procedure.blocks.values():
                for statement in block.statements:
                    if isinstance(statement, Assert) and statement.condition is FALSE:
                        yield (name, block.label), statement

    def _climb(self, where: _Where, failing: Assert) -> None:
        seen, pending = {where}, [where]
        while pending:
            name, label = pending.pop()
            before = self._before.get((name, label), [])
            entry = self._procedures[name].entry.label
            if not before and label != entry:  # constants decide the branch
                self.branches.setdefault((name, entry), failing)
                continue
            for one in before or self._callers.get(name, []):
                if before and len(self._procedures[one[0]].blocks[one[1]].successors) > 1:
                    self.branches.setdefault(one, failing)
                elif one not in seen:
                    seen.add(one)
                    pending.append(one)
