"""Runs an ir program on concrete values: whatever it leaves open is random, branches are decided by their assumptions.

Where two successors are possible the program is not deterministic, which no C program without nondet functions is.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cleave.ir.program import Assert, Assign, Assume, Block, Call, Havoc, Procedure, Program
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term
from cleave.logic.values import Value, map_value
from cleave.validate.semantics.evaluate import World, evaluate


@dataclass(slots=True)
class _Frame:
    procedure: Procedure
    values: dict[Term, Value]
    block: Block
    position: int = 0


class Execution:
    def __init__(self, program: Program, seed: int = 0) -> None:
        self.program = program
        self.shared: dict[Term, Value] = {}
        self.frames: list[_Frame] = []
        self._random = random.Random(seed)
        self._world = World()
        self.violated = ""  # the last assertion that was looked at

    def run(self, entry: str, max_steps: int = 2_000_000) -> str:
        """``finished``, ``violated`` or ``blocked``."""
        for variable in (*self.program.constants, *self.program.globals):
            self.shared[variable] = self._any(variable.sort)
        main = self.program.procedures[entry]
        self._enter(main, tuple(self._any(parameter.sort) for parameter in main.parameters))
        for _ in range(max_steps):
            outcome = self._step()
            if outcome is not None:
                return outcome
        raise AssertionError("too many steps")

    def _any(self, sort: Sort) -> Value:
        if sort.is_array:
            element = self._any(sort.element)
            return map_value(sort.index, element, {})
        return bool(self._random.getrandbits(1)) if sort.is_bool else self._random.getrandbits(sort.width)

    def _enter(self, procedure: Procedure, arguments: tuple[Value, ...]) -> None:
        values = dict(zip(procedure.parameters, arguments, strict=True))
        for variable in (*procedure.returns, *procedure.locals):
            values[variable] = self._any(variable.sort)
        self.frames.append(_Frame(procedure, values, procedure.entry))

    def _value(self, term: Term) -> Value:
        values, shared = self.frames[-1].values, self.shared
        found = evaluate(term, lambda v: values[v] if v in values else shared[v], self._world)
        assert isinstance(found, Value)
        return found

    def _set(self, target: Term, value: Value) -> None:
        values = self.frames[-1].values
        (values if target in values else self.shared)[target] = value

    def _step(self) -> str | None:
        frame = self.frames[-1]
        if frame.position == len(frame.block.statements):
            return self._leave_block(frame)
        statement = frame.block.statements[frame.position]
        frame.position += 1
        match statement:
            case Assume(condition):
                return None if self._value(condition) else "blocked"
            case Assert(condition, message):
                self.violated = message
                return None if self._value(condition) else "violated"
            case Assign(targets, terms):
                for target, value in zip(targets, [self._value(term) for term in terms], strict=True):
                    self._set(target, value)
            case Havoc(targets):
                for target in targets:
                    self._set(target, self._any(target.sort))
            case Call(name, arguments):
                self._enter(self.program.procedures[name], tuple(self._value(argument) for argument in arguments))
        return None

    def _leave_block(self, frame: _Frame) -> str | None:
        if frame.block.successors:
            possible = [s for s in map(frame.procedure.blocks.__getitem__, frame.block.successors) if self._open(s)]
            if not possible:
                return "blocked"
            assert len(possible) == 1, f"{frame.procedure.name}: {frame.block.label} leads to {len(possible)} blocks"
            frame.block, frame.position = possible[0], 0
            return None
        results = [frame.values[variable] for variable in frame.procedure.returns]
        self.frames.pop()
        if not self.frames:
            return "finished"
        caller = self.frames[-1]
        call = caller.block.statements[caller.position - 1]
        assert isinstance(call, Call)
        for target, value in zip(call.results, results, strict=True):
            self._set(target, value)
        return None

    def _open(self, block: Block) -> bool:
        first = block.statements[0] if block.statements else None
        return not isinstance(first, Assume) or bool(self._value(first.condition))
