"""Atomic blocks that begin and end in one procedure, as the ir wants them.

    call corral_atomic_begin(); ...; call corral_atomic_end();        atomic begin; ...; atomic end

Corral's blocks do not nest: a second begin does nothing, nor does an end where none is open. What a thread leaves open
ends with it. Ultimate's blocks nest, and a return ends those around it. Code that is reached inside and outside of an
atomic block is there twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.starting import ATOMIC_BEGIN, ATOMIC_END
from cleave.ir import program as ir
from cleave.records import dataclass

_MOST_NESTED = 20


@dataclass(frozen=True, slots=True)
class _Depth:
    blocks: int = 0  # of Ultimate's
    flag: bool = False  # of Corral's

    @property
    def open(self) -> int:
        return self.blocks + self.flag


def closed(procedures: Mapping[str, ir.Procedure], roots: set[str]) -> dict[str, ir.Procedure]:
    """The procedures with their blocks closed; ``roots`` are those that threads run."""
    if not any(_uses(p) for p in procedures.values()):
        return dict(procedures)
    called = {s.procedure for p in procedures.values() for s in p.statements() if isinstance(s, ir.Call)}
    made: dict[str, ir.Procedure] = {}
    inside: dict[str, ir.Call] = {}  # what is called inside of Corral's blocks
    for name, procedure in procedures.items():
        made[name] = _Closing(procedure, name in roots and name not in called, inside).result()
    _refuse_inner(procedures, inside)
    return made


def _uses(procedure: ir.Procedure) -> bool:
    return any(isinstance(s, ir.AtomicBegin) or _is_flag(s) for s in procedure.statements())


def _is_flag(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Call) and statement.procedure in (ATOMIC_BEGIN, ATOMIC_END)


class _Closing:
    def __init__(self, procedure: ir.Procedure, is_root: bool, inside: dict[str, ir.Call]) -> None:
        self._procedure = procedure
        self._is_root = is_root
        self._inside = inside

    def result(self) -> ir.Procedure:
        if not _uses(self._procedure):
            return self._procedure
        names = Names(self._procedure.blocks.keys())
        labels = {(self._procedure.entry.label, _Depth()): self._procedure.entry.label}
        first_depths = {self._procedure.entry.label: _Depth()}
        blocks: dict[str, ir.Block] = {}
        pending = list(labels)
        while pending:
            at = pending.pop()
            block = self._procedure.blocks[at[0]]
            statements, depth = self._statements(block, at[1])
            if depth.blocks > _MOST_NESTED:
                raise _refused(block, "begins again and again before it ends")
            for label in block.successors:
                if (label, depth) not in labels:
                    is_first = first_depths.setdefault(label, depth) == depth
                    labels[label, depth] = label if is_first else names.fresh(label)
                    pending.append((label, depth))
            ways = tuple(labels[label, depth] for label in block.successors)
            blocks[labels[at]] = replace(block, label=labels[at], statements=tuple(statements), successors=ways)
        ordered = [label for label in self._procedure.blocks if label in blocks]
        ordered += [label for label in blocks if label not in self._procedure.blocks]
        return replace(self._procedure, blocks={label: blocks[label] for label in ordered})

    def _statements(self, block: ir.Block, depth: _Depth) -> tuple[list[ir.Statement], _Depth]:
        found: list[ir.Statement] = []
        for statement in block.statements:
            match statement:
                case ir.Call(procedure) if procedure == ATOMIC_BEGIN:
                    found += [] if depth.flag else [ir.AtomicBegin(statement.location)]
                    depth = _Depth(depth.blocks, True)
                    continue
                case ir.Call(procedure) if procedure == ATOMIC_END:
                    found += [ir.AtomicEnd(statement.location)] if depth.flag else []
                    depth = _Depth(depth.blocks, False)
                    continue
                case ir.AtomicBegin():
                    depth = _Depth(depth.blocks + 1, depth.flag)
                case ir.AtomicEnd():
                    depth = _Depth(depth.blocks - 1, depth.flag)
                case ir.Call(procedure) if depth.flag:
                    self._inside.setdefault(procedure, statement)
                case _:
                    pass
            found.append(statement)
        if not block.successors and depth.open:
            if depth.flag and not self._is_root:
                raise _refused(block, f"is still open where {self._procedure.name} returns to its caller")
            found += [ir.AtomicEnd()] * depth.open
        return found, depth


def _refuse_inner(procedures: Mapping[str, ir.Procedure], inside: dict[str, ir.Call]) -> None:
    """Corral's inner end would end the outer block, too."""
    pending = list(inside)
    seen = set(pending)
    while pending:
        procedure = procedures.get(pending.pop())
        for statement in procedure.statements() if procedure is not None else ():
            if _is_flag(statement):
                place = statement.location
                where = {"file": place.file, "line": place.line, "column": place.column} if place else {}
                raise UnsupportedError("an atomic block inside of another one is not supported", **where)  # type: ignore[arg-type]
            if isinstance(statement, ir.Call) and statement.procedure not in seen:
                seen.add(statement.procedure)
                pending.append(statement.procedure)


def _refused(block: ir.Block, why: str) -> UnsupportedError:
    place = next((s.location for s in reversed(block.statements) if s.location), block.location)
    text = f"an atomic block {why}, which is not supported"
    if place is None:
        return UnsupportedError(text)
    return UnsupportedError(text, file=place.file, line=place.line, column=place.column)
