"""Whether a shape (`ir.shape`) is one of a program within a bound: it is not trusted.

Jumps go forwards to copies of the blocks they lead to, calls and threads run what the program says, and nothing is cut
off before ``unwind`` iterations. A jump that is missing must be impossible: whoever uses the shape proves that
(`unfold` calls it a gap).
"""

from __future__ import annotations

from collections.abc import Mapping

from cleave.ir.program import Call, Program, Spawn
from cleave.ir.shape import CUT, Body, Shape


class WrongShapeError(Exception):
    """The shape is not one of the program within the bound."""


def check_shape(program: Program, entry: str, shape: Shape, unwind: int) -> None:
    """Raises `WrongShapeError`."""
    if not shape or shape[0].procedure != entry:
        raise WrongShapeError("the first thread does not run the entry")
    _Check(program, shape, unwind).run()


class _Check:
    def __init__(self, program: Program, shape: Shape, unwind: int) -> None:
        self._program = program
        self._shape = shape
        self._unwind = unwind
        self._started = {0}

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
                started += self._call(statements.get(place), called, frames, ancestry)
            for place, child in node.spawns.items():
                statement = statements.get(place)
                if not isinstance(statement, Spawn):
                    raise WrongShapeError(f"{node.label} starts no thread there")
                if child != CUT:
                    started.append((child, statement.procedure))
                elif ancestry.count(statement.procedure) <= self._unwind:
                    raise WrongShapeError(f"a thread that runs {statement.procedure} is cut off within the bound")
        return started

    def _call(
        self, statement: object, called: Body | None, frames: tuple[str, ...], ancestry: tuple[str, ...]
    ) -> list[tuple[int, str]]:
        if not isinstance(statement, Call):
            raise WrongShapeError("there is no call")
        if called is None:
            if frames.count(statement.procedure) <= self._unwind:
                raise WrongShapeError(f"a call of {statement.procedure} is cut off within the bound")
            return []
        if called.procedure != statement.procedure:
            raise WrongShapeError(f"a call of {statement.procedure} leads to {called.procedure}")
        if not self._program.procedures[called.procedure].has_body:
            return []
        return self._body(called, (*frames, called.procedure), ancestry)

    def _jumps(self, body: Body) -> None:
        """Forwards, to copies of what they lead to; and cut off only where some block was passed often enough."""
        blocks = self._program.procedures[body.procedure].blocks
        passed: list[Mapping[str, int] | None] = [None] * len(body.nodes)  # how often, on every way to the copy
        passed[0] = {}
        for number, node in enumerate(body.nodes):
            before = passed[number]
            if before is None:
                raise WrongShapeError(f"nothing leads to a copy of {node.label}")
            if node.cut:
                self._is_late(before, node.label)
                continue
            here = {**before, node.label: before.get(node.label, 0) + 1}
            for label, target in node.ways.items():
                if label not in blocks[node.label].successors:
                    raise WrongShapeError(f"{node.label} does not lead to {label}")
                if target == CUT:
                    self._is_late(here, label)
                    continue
                if not number < target < len(body.nodes) or body.nodes[target].label != label:
                    raise WrongShapeError(f"the jump from {node.label} to {label} leads elsewhere")
                known = passed[target]
                passed[target] = here if known is None else _least(known, here)

    def _is_late(self, passed: Mapping[str, int], label: str) -> None:
        if max(passed.values(), default=0) <= self._unwind:
            raise WrongShapeError(f"the jump to {label} is cut off within the bound")


def _least(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {label: min(count, other[label]) for label, count in one.items() if label in other}
