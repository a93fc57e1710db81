"""Whether a shape (`ir.shape`) is one of a program within a bound: it is not trusted.

Jumps go forwards to copies of the blocks they lead to, and calls and threads run what the program says. A jump or a
call that is missing, or is cut off within the bound, must be impossible: the user of the shape proves that (`unfold`
calls it a gap). No thread is cut off within the bound.
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.ir.loops import LoopBounds, Place, named_loops, places
from cleave.ir.program import Call, Program, Spawn
from cleave.ir.shape import CUT, Body, Shape


class WrongShapeError(Exception):
    """The shape is not one of the program within the bound."""


Cut = tuple[int, str | int]
"""The identity of a node, and where it is cut off: before a block of that label, or a call of that number."""


def check_shape(program: Program, entry: str, shape: Shape, unwind: LoopBounds | int) -> frozenset[Cut]:
    """What is cut off within the bound. Raises `WrongShapeError`."""
    if not shape or shape[0].procedure != entry:
        raise WrongShapeError("the first thread does not run the entry")
    check = _Check(program, shape, LoopBounds(unwind) if isinstance(unwind, int) else unwind)
    check.run()
    return frozenset(check.early)


class _Check:
    def __init__(self, program: Program, shape: Shape, unwind: LoopBounds) -> None:
        self._program = program
        self._shape = shape
        self._unwind = unwind
        self._loops = {(loop.procedure, loop.head): loop.name for loop in named_loops(program)}
        self._places: dict[str, Mapping[str, Place]] = {}
        self._started = {0}
        self.early: set[Cut] = set()

    def run(self) -> None:
        pending: list[tuple[int, tuple[str, ...]]] = [(0, (self._shape[0].procedure,))]
        while pending:
            number, ancestry = pending.pop()
            for child, procedure in self._body(self._shape[number], (self._shape[number].procedure,), ancestry):
                if child in self._started or not 0 < child < len(self._shape):
                    raise WrongShapeError(f"thread {child} is started twice, or is not there")
                if self._shape[child].procedure != procedure:
                    raise WrongShapeError(f"thread {child} runs another procedure")
                self._started.add(child)
                pending.append((child, (*ancestry, procedure)))

    def _body(self, body: Body, frames: tuple[str, ...], ancestry: tuple[str, ...]) -> list[tuple[int, str]]:
        """The threads that an activation starts."""
        procedure = self._program.procedures.get(body.procedure)
        if procedure is None or not procedure.has_body or not body.nodes:
            raise WrongShapeError(f"{body.procedure} has no body")
        if body.nodes[0].label != procedure.entry.label:
            raise WrongShapeError(f"{body.procedure} does not begin at its entry")
        if any(node.label not in procedure.blocks for node in body.nodes):
            raise WrongShapeError(f"{body.procedure} has other blocks")
        self._jumps(body)
        started: list[tuple[int, str]] = []
        for node in body.nodes:
            statements = dict(enumerate(procedure.blocks[node.label].statements))
            for place, called in node.calls.items():
                if called is None and self._is_early(statements.get(place), frames):
                    self.early.add((id(node), place))
                started += self._call(statements.get(place), called, frames, ancestry)
            for place, child in node.spawns.items():
                statement = statements.get(place)
                if not isinstance(statement, Spawn):
                    raise WrongShapeError(f"{node.label} starts no thread there")
                if child != CUT:
                    started.append((child, statement.procedure))
                elif ancestry.count(statement.procedure) <= self._unwind.of(statement.procedure):
                    raise WrongShapeError(f"a thread that runs {statement.procedure} is cut off within the bound")
        return started

    def _call(
        self, statement: object, called: Body | None, frames: tuple[str, ...], ancestry: tuple[str, ...]
    ) -> list[tuple[int, str]]:
        if not isinstance(statement, Call):
            raise WrongShapeError("there is no call")
        if called is None:
            return []
        if called.procedure != statement.procedure:
            raise WrongShapeError(f"a call of {statement.procedure} leads to {called.procedure}")
        if not self._program.procedures[called.procedure].has_body:
            return []
        return self._body(called, (*frames, called.procedure), ancestry)

    def _is_early(self, statement: object, frames: tuple[str, ...]) -> bool:
        """Whether a call that is cut off is within the bound on recursion."""
        return isinstance(statement, Call) and frames.count(statement.procedure) <= self._unwind.of(statement.procedure)

    def _jumps(self, body: Body) -> None:
        """Forwards, to copies of what they lead to."""
        blocks = self._program.procedures[body.procedure].blocks
        passed: list[Mapping[str, int] | None] = [None] * len(body.nodes)  # how often, on every way to the copy
        passed[0] = {}
        for number, node in enumerate(body.nodes):
            before = passed[number]
            if before is None:
                raise WrongShapeError(f"nothing leads to a copy of {node.label}")
            if node.cut:
                if not self._is_late(before, body.procedure, node.label):
                    self.early.add((id(node), node.label))
                continue
            here = {**before, node.label: before.get(node.label, 0) + 1}
            for label, target in node.ways.items():
                if label not in blocks[node.label].successors:
                    raise WrongShapeError(f"{node.label} does not lead to {label}")
                if target == CUT:
                    if not self._is_late(here, body.procedure, label):
                        self.early.add((id(node), label))
                    continue
                if not number < target < len(body.nodes) or body.nodes[target].label != label:
                    raise WrongShapeError(f"the jump from {node.label} to {label} leads elsewhere")
                known = passed[target]
                passed[target] = here if known is None else _least(known, here)

    def _is_late(self, passed: Mapping[str, int], procedure: str, label: str) -> bool:
        """Whether a loop around the block was passed more often than its bound says: as often as one of the blocks that
        are in it, and in no loop inside it."""
        if procedure not in self._places:
            self._places[procedure] = places(self._program.procedures[procedure])
        known = self._places[procedure]
        around = {loop.head: self._unwind.of(self._loops[procedure, loop.head]) for loop in known[label].loops}
        for one, count in passed.items():
            inner = known[one].loops[-1].head if known[one].loops else None
            if inner in around and count > around[inner]:
                return True
        return False


def _least(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {label: min(count, other[label]) for label, count in one.items() if label in other}
