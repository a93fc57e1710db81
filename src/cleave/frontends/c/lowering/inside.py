"""Inside an atomic block nothing is announced: no other thread can see it, and it would cover what others announced.

    atomic begin                                    atomic begin
      seen, x.writing := x.writing, 1                 seen := x.writing
      assert not seen                                 assert not seen
      x, x.writing := 1, 0                            x := 1
      call f()                                        call f.inside()
    atomic end                                      atomic end

An access inside still looks whether another thread has announced one. A procedure that is called inside a block gets a
copy that announces nothing, if it would announce anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from cleave.ir.program import Assign, AtomicBegin, AtomicEnd, Block, Call, Procedure, Statement
from cleave.logic.terms import Term

_INSIDE = ".inside"


def quiet_inside(procedures: Mapping[str, Procedure], marks: Collection[Term]) -> dict[str, Procedure]:
    """``procedures`` are those of a program whose atomic blocks are balanced; ``marks`` hold the announcements."""
    return _Quiet(procedures, frozenset(marks)).procedures()


class _Quiet:
    def __init__(self, procedures: Mapping[str, Procedure], marks: frozenset[Term]) -> None:
        self._given = procedures
        self._marks = marks
        self._announcing = self._find_announcing()
        self._wanted: list[str] = []  # procedures that are called inside a block

    def procedures(self) -> dict[str, Procedure]:
        made = {name: self._rewritten(procedure, inside=False) for name, procedure in self._given.items()}
        for name in self._wanted:  # grows meanwhile
            copy = self._rewritten(self._given[name], inside=True)
            made[name + _INSIDE] = replace(copy, name=name + _INSIDE)
        return made

    def _find_announcing(self) -> set[str]:
        """The procedures that assign to marks, or call one that does."""
        callers: dict[str, list[str]] = {}
        pending: list[str] = []
        for name, procedure in self._given.items():
            for statement in procedure.statements():
                if isinstance(statement, Call):
                    callers.setdefault(statement.procedure, []).append(name)
                elif self._announces(statement):
                    pending.append(name)
        found: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += callers.get(name, ())
        return found

    def _announces(self, statement: Statement) -> bool:
        return isinstance(statement, Assign) and not self._marks.isdisjoint(statement.targets)

    def _rewritten(self, procedure: Procedure, *, inside: bool) -> Procedure:
        if procedure.name not in self._announcing:
            return procedure
        depths = {procedure.entry.label: int(inside)}
        pending = [procedure.entry.label]
        blocks: dict[str, Block] = {}
        while pending:
            block = procedure.blocks[pending.pop()]
            statements, depth = self._statements(block, depths[block.label])
            blocks[block.label] = replace(block, statements=statements)
            for label in block.successors:
                if label not in depths:
                    depths[label] = depth
                    pending.append(label)
        return replace(procedure, blocks={label: blocks.get(label, block) for label, block in procedure.blocks.items()})

    def _statements(self, block: Block, depth: int) -> tuple[tuple[Statement, ...], int]:
        made: list[Statement] = []
        for statement in block.statements:
            depth += isinstance(statement, AtomicBegin) - isinstance(statement, AtomicEnd)
            now = self._quiet(statement) if depth else statement
            if now is not None:
                made.append(now)
        return tuple(made), depth

    def _quiet(self, statement: Statement) -> Statement | None:
        if isinstance(statement, Call) and statement.procedure in self._announcing:
            if statement.procedure not in self._wanted:
                self._wanted.append(statement.procedure)
            return replace(statement, procedure=statement.procedure + _INSIDE)
        if not isinstance(statement, Assign):
            return statement
        pairs = zip(statement.targets, statement.values, strict=True)
        kept = [(target, value) for target, value in pairs if target not in self._marks]
        if not kept:
            return None
        return replace(statement, targets=tuple(t for t, _ in kept), values=tuple(v for _, v in kept))
