"""Executions that are too long for the interpreter, in machine code, and the end of a violating one in the interpreter.

    only_execution(program, "main")             # a Confirmation: the program asks for no input, ends, violates nothing
    long_violation(program, "main", inputs)     # a Confirmation with the trace of the last steps

Both execute the program as it was read. The state shortly before a violation is handed to `semantics.machine`, which
executes the rest as it does every violation, so that the trace is that of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from cleave.errors import CleaveError
from cleave.frontends.c.clang.machine_code import Run as NativeRun
from cleave.frontends.c.clang.machine_code import built
from cleave.ir.path import IllegalPathError
from cleave.ir.program import Assume, Block, Call, Havoc, Procedure, Program, Property
from cleave.logic.terms import TRUE, Term
from cleave.logic.values import MapValue, Value, default_value
from cleave.records import dataclass
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.native.translation import Translation
from cleave.validate.semantics.events import Event, Run, Violated
from cleave.validate.semantics.judge import Ended, View
from cleave.validate.semantics.machine import MAIN, Frame, Machine, Moved, ThreadChooser
from cleave.verdict import TraceStep

Check = Callable[[], None]

_LAST_STEPS = 400  # of a violation that the interpreter executes; one is a stretch of statements without a jump
_NEVER = (1 << 64) - 1


def only_execution(program: Program, entry: str, *, seconds: int, check: Check) -> Confirmation:
    """Whether there is one execution, which ends and violates nothing."""
    try:
        _supported(program)
        with built(Translation(program, entry).text(), check) as run:
            word, _ = _answer(run, True, (), seconds)
    except CleaveError as error:
        return rejected(str(error), undecided=True)
    if word == "ended":
        told = "its only execution was run to its end twice, by two translations, one into machine code"
        return Confirmation(True, f"the program reads no input; {told}")
    return rejected(f"the execution was not confirmed: {word}", undecided=word != "failed")


def long_violation(program: Program, entry: str, inputs: Sequence[int], *, seconds: int, check: Check) -> Confirmation:
    """Whether the execution with these inputs violates an assertion."""
    try:
        _supported(program)
        translation = Translation(program, entry)
        with built(translation.text(), check) as run:
            word, steps = _answer(run, False, inputs, seconds)
            if word != "failed":
                return rejected(f"the execution violates nothing: {word}")
            before = max(0, steps - _LAST_STEPS)
            if before and _has_doubts(program):  # the trace would not show whether the violation depends on them
                return rejected("a function without a body may take part in what is left out", undecided=True)
            lines = run(_given(False, before, inputs), seconds=seconds).output.decode("ascii").splitlines()
        return _End(translation, entry, inputs, lines).confirmed(before)
    except CleaveError as error:
        return rejected(str(error), undecided=True)


def _supported(program: Program) -> None:
    if program.property is not Property.ASSERTIONS or program.axioms or program.functions:
        raise CleaveError("only assertions of programs without axioms and functions are executed in machine code")
    if any(procedure.requires or procedure.ensures for procedure in program.procedures.values()):
        raise CleaveError("contracts are not executed in machine code")


def _has_doubts(program: Program) -> bool:
    statements = (one for procedure in program.procedures.values() for one in procedure.statements())
    return any(isinstance(one, Havoc) and one.function for one in statements)


def _given(strict: bool, stop: int, inputs: Sequence[int]) -> bytes:
    return "".join(f"{number:x}\n" for number in (int(strict), stop, len(inputs), *inputs)).encode()


def _answer(run: NativeRun, strict: bool, inputs: Sequence[int], seconds: int) -> tuple[str, int]:
    """What became of the execution, and after how many stretches."""
    done = run(_given(strict, _NEVER, inputs), seconds=seconds)
    words = done.output.decode("ascii", "replace").split()
    if done.code or len(words) != 3:
        raise CleaveError(f"the program ended early: {words[0] if words else f'code {done.code}'}")
    return words[0], int(words[1], 16)


@dataclass(slots=True)
class _End:
    """The last steps of a violating execution, from a written state on."""

    translation: Translation
    entry: str
    inputs: Sequence[int]
    lines: list[str]
    _made: Machine | None = None
    _next: int = 0  # input

    def confirmed(self, before: int) -> Confirmation:
        program = self.translation.program
        machine = self._made = Machine(program, self.entry, ThreadChooser(self._value, self._successor, _first))
        try:
            self._take_up(machine)
            while machine.step(MAIN) is Moved.MOVED:
                pass
        except IllegalPathError as error:
            return rejected(str(error))
        except Ended as end:
            outcome = machine.judge.last_look(end.outcome)
            if isinstance(outcome, Violated):
                events = tuple(event for _, event in machine.events)
                from cleave.explain.trace import trace_of  # large, and only for violations

                trace = trace_of(program, Run(outcome, (), events, ()), ())
                first = TraceStep("skipped", self.entry, 0, None, f"… {before} earlier stretches of statements")
                steps = (first, *trace.steps) if before else trace.steps
                told = "executed again in machine code, its last steps by the interpreter"
                return Confirmation(True, told, notes=machine.judge.notes, trace=replace(trace, steps=steps))
        return rejected("the interpreter meets no violation after the state that machine code gave it")

    def _take_up(self, machine: Machine) -> None:
        """The written state."""
        left = iter(self.lines)
        words = next(left, "").split()
        if len(words) != 3 or words[0] != "state":
            raise CleaveError("machine code wrote no state")
        self._next = int(words[2], 16)
        shared = {variable: _read(variable, next(left)) for variable in self.translation.shared}
        frames: list[Frame] = []
        for line in left:
            stretch = self.translation.stretches[int(line.split()[1], 16)]
            variables = {v: _read(v, next(left)) for v in self.translation.own(stretch.procedure)}
            frames.append(Frame(len(frames), stretch.procedure, variables, None, stretch.block, stretch.position))
        frames.reverse()
        for number, frame in enumerate(frames):
            frame.number = number
        for below, frame in pairwise(frames):
            call = below.block.statements[below.position - 1]
            assert isinstance(call, Call)
            frame.call = call
        machine.take_up(shared, frames, _stack(frames))

    def _value(self, thread: int, variable: Term) -> Value:
        if self._made is None:
            return default_value(variable.sort)  # replaced by the written state
        if self._next >= len(self.inputs):
            raise IllegalPathError(f"no input is left for {variable.name}")
        self._next += 1
        return _number(variable, self.inputs[self._next - 1])

    def _successor(self, thread: int, procedure: Procedure, block: Block) -> str:
        if len(block.successors) == 1:
            return block.successors[0]
        assert self._made is not None
        frame = self._made.threads[MAIN].frames[-1]
        view = View(frame.variables, self._made.shared)
        holding = []
        for label in block.successors:
            first = next(iter(procedure.blocks[label].statements), None)
            condition = first.condition if isinstance(first, Assume) else TRUE
            if self._made.judge.holds(condition, view, "an assume", None):
                holding.append(label)
        if not holding:
            raise IllegalPathError(f"no successor of block {block.label} can be entered")
        if len(holding) == 1:
            return holding[0]
        self._next += 1
        return holding[self.inputs[self._next - 1] % len(holding)]


def _stack(frames: Sequence[Frame]) -> Iterator[Event]:
    """The calls that the written state is in, as a trace begins with them."""
    for depth, frame in enumerate(frames):
        caller = frames[max(0, depth - 1)]
        values = tuple((variable, frame.variables[variable]) for variable in frame.procedure.parameters)
        location = frame.call.location if frame.call is not None else frame.procedure.location
        other = frame.number if frame.call is not None else -1
        at = max(0, depth - 1)
        yield Event("call", caller.procedure.name, at, caller.number, location, frame.call, values, other)
        yield Event("block", frame.procedure.name, depth, frame.number, frame.block.location, frame.block, (), -1)


def _first(thread: int, variable: Term) -> Value:
    """Of what is not initialised, as in machine code."""
    return default_value(variable.sort)


def _number(variable: Term, value: int) -> Value:
    if variable.sort.is_bool:
        return bool(value & 1)
    return value % (1 << variable.sort.width)


def _read(variable: Term, line: str) -> Value:
    numbers = [int(word, 16) for word in line.split()]
    sort = variable.sort
    if not sort.is_array:
        return bool(numbers[0]) if sort.is_bool else numbers[0]

    def value(number: int, is_bool: bool) -> Value:
        return bool(number) if is_bool else number

    usual = value(numbers[0], sort.element.is_bool)
    pairs = zip(numbers[2::2], numbers[3::2], strict=True)
    found = {value(key, sort.index.is_bool): value(element, sort.element.is_bool) for key, element in pairs}
    return MapValue(usual, {key: element for key, element in found.items() if element != usual})
