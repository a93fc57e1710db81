"""One execution of a program, thread by thread, which remembers what it takes to repeat it.

    execution = Execution(compiler, "main", values, most=5_000)
    execution.advance(0)          # MOVED | BLOCKED, or raises `AssertionFailed`, `Over`

`advance` takes a thread from one place where others could notice a difference to the next: one visible statement, or
an atomic block, and all that is hidden after it. An atomic block that gets stuck is undone: it was entered too early.
Steps are counted as `validate.semantics.machine` counts them.
"""

from __future__ import annotations

from enum import Enum

from cleave.engines.executions.code import Code, Compiler, Instruction, Kind, Target
from cleave.engines.executions.state import MAIN, Frame, Saved, Thread
from cleave.engines.executions.values import Source
from cleave.ir.schedule import Context, Schedule
from cleave.logic.terms import Term
from cleave.logic.values import Value


class Moved(Enum):
    """A blocked thread stays where it is until another one has done something."""

    MOVED = "moved"
    BLOCKED = "blocked"


class AssertionFailed(Exception):  # noqa: N818 (no error)
    """An assertion failed."""


class Over(Exception):  # noqa: N818 (no error)
    """The program has ended, or this execution is too long."""


class _Stuck(Exception):  # noqa: N818 (no error)
    """The statement can't be executed now."""


_MOST_THREADS = 150
_MOST_TRIES = 30


class Execution:
    """It is over after ``most`` steps, or as many turns of threads."""

    def __init__(self, compiler: Compiler, entry: str, values: Source, most: int) -> None:
        self._compiler = compiler
        self._values = values
        self._most = most
        self.steps = 0
        self.jumps = 0  # which are no steps
        self.undone = 0  # steps that are taken no more, since an atomic block got stuck after them
        self._switches = 0  # of threads
        self.is_too_long = False  # it was cut off
        self.has_choices = False  # of inputs, blocks or threads
        self.turns: list[int] = []  # whose they were
        self.threads: list[Thread] = []
        self._contexts: list[Context] = []
        main = compiler.code(entry)
        self._shared = [values(MAIN, variable) for variable in compiler.shared]
        arguments = [values(MAIN, variable) for variable in main.parameters]
        self.threads.append(Thread(MAIN, (main, arguments)))
        chosen = ((compiler.shared, tuple(self._shared)), (main.parameters, tuple(arguments)))
        self.threads[MAIN].values.extend(chosen)

    def schedule(self) -> Schedule:
        """What led here."""
        values = {number: thread.named_values() for number, thread in enumerate(self.threads)}
        successors = {number: tuple(thread.successors) for number, thread in enumerate(self.threads)}
        return Schedule(tuple(self._contexts), values, successors)

    def advance(self, number: int) -> Moved:
        self._switches += bool(self.turns) and self.turns[-1] != number
        self.turns.append(number)
        if len(self.turns) > self._most or len(self.threads) > _MOST_THREADS:
            raise Over
        before = self.steps
        try:
            return self._advance(number, self.threads[number])
        finally:
            self._note(number, self.steps - before)

    def _note(self, number: int, steps: int) -> None:
        if steps and self._contexts and self._contexts[-1].thread == number:
            self._contexts[-1] = Context(number, self._contexts[-1].steps + steps)
        elif steps:
            self._contexts.append(Context(number, steps))

    # --- control ------------------------------------------------------------------------------------------------------

    def _advance(self, number: int, thread: Thread) -> Moved:
        before: Saved | None = None  # an atomic block
        visible = True  # one such statement may be executed
        if thread.begin is not None:
            self._begin(number, thread, thread.begin)
            visible = False
        for _ in range(self._most):  # jumps may go on for ever
            if not thread.frames:
                return Moved.MOVED
            frame = thread.frames[-1]
            if frame.position == len(frame.stretch.instructions):
                if frame.stretch.successors:
                    self._jump(thread, frame)
                elif frame.returns_in_a_step and not (visible or thread.atomic):
                    return Moved.MOVED
                else:
                    visible = visible and not frame.returns_in_a_step
                    self._return(number, thread, frame)
                continue
            instruction = frame.stretch.instructions[frame.position]
            if not (instruction.hidden or visible or thread.atomic):
                return Moved.MOVED
            if instruction.kind is Kind.BEGIN and not thread.atomic:
                before = self._saved(thread)
            try:
                self._execute(number, thread, frame, instruction)
            except _Stuck:
                if self._goes_back(thread, before if thread.atomic else thread.saved, thread.atomic > 0):
                    continue
                return Moved.BLOCKED if visible else Moved.MOVED
            visible = visible and (thread.atomic > 0 or instruction.hidden)
            if self.steps > self._most:
                break
        self.is_too_long = True
        raise Over

    def _begin(self, number: int, thread: Thread, begin: tuple[Code, list[Value]]) -> None:
        thread.begin = None
        self.steps += 1
        self._enter(thread, begin[0], begin[1], None, number == MAIN)

    def _enter(
        self, thread: Thread, code: Code, arguments: list[Value], results: tuple[Target, ...] | None, is_seen: bool
    ) -> None:
        fresh = self._values.first(thread.number, code)
        thread.values.append((code.fresh, fresh))
        assert code.entry is not None
        thread.frames.append(Frame(arguments + fresh, code, code.entry, 0, results, is_seen))

    def _jump(self, thread: Thread, frame: Frame) -> None:
        """To a successor whose first condition holds, where there is one."""
        self.jumps += 1
        stretch = frame.stretch
        successors = stretch.successors
        if len(successors) > 1:
            own, shared = frame.own, self._shared
            holding = [
                successor
                for successor, condition in zip(successors, stretch.conditions, strict=True)
                if condition is None or condition(own, shared)
            ]
            self.has_choices |= len(holding) > 1
            frame.stretch = holding[0] if len(holding) == 1 else self._values.one_of(holding or successors)
            thread.successors.append(frame.stretch.label)
        else:
            frame.stretch = successors[0]
        frame.position = 0

    def _return(self, number: int, thread: Thread, frame: Frame) -> None:
        self.steps += frame.returns_in_a_step
        thread.frames.pop()
        if frame.results is not None:
            chosen = [frame.own[index] for index in frame.code.returns]
            self._put(thread.frames[-1], frame.results, chosen)
        elif number == MAIN:
            raise Over

    # --- going back ---------------------------------------------------------------------------------------------------

    def _saved(self, thread: Thread) -> Saved:
        return Saved(
            [frame.copy() for frame in thread.frames],
            list(self._shared),
            len(self.threads),
            len(thread.values),
            len(thread.successors),
            self.steps,
            self._switches,
        )

    def _goes_back(self, thread: Thread, saved: Saved | None, from_atomic: bool) -> bool:
        """Whether it is worth to go on from there with other values. Out of an atomic block the thread has to go."""
        if saved is None or saved.switches != self._switches:
            return False
        may_differ = thread.tries < _MOST_TRIES and any(chosen for _, chosen in thread.values[saved.values :])
        if may_differ or from_atomic:
            self._restore(thread, saved)
        thread.tries = thread.tries + 1 if may_differ else 0
        return may_differ

    def _restore(self, thread: Thread, saved: Saved) -> None:
        thread.frames = [frame.copy() for frame in saved.frames]
        thread.atomic = 0
        self._shared = list(saved.shared)
        del self.threads[saved.threads :]
        del thread.values[saved.values :]
        del thread.successors[saved.successors :]
        self.undone += self.steps - saved.steps
        self.steps = saved.steps

    # --- statements ---------------------------------------------------------------------------------------------------

    def _execute(self, number: int, thread: Thread, frame: Frame, instruction: Instruction) -> None:
        """The most frequent kinds first."""
        kind = instruction.kind
        value = instruction.function(frame.own, self._shared)
        if kind is Kind.ASSIGN:
            pass
        elif kind is Kind.ASSUME:
            if not value:
                raise _Stuck
        elif kind is Kind.CALL:
            self._call(thread, frame, instruction, value)
        elif kind is Kind.BEGIN:
            thread.atomic += 1
        elif kind is Kind.END:
            thread.atomic -= 1
        elif kind is Kind.ASSERT:
            if not value:
                self.steps += 1
                raise AssertionFailed
        elif kind is Kind.HAVOC:
            self._put(frame, instruction.targets, self._any(thread, instruction.variables))
        else:
            self._execute_on_threads(number, frame, instruction, value)
        frame.position += 1
        self.steps += 1

    def _execute_on_threads(self, number: int, frame: Frame, instruction: Instruction, value: Value) -> None:
        if instruction.kind is Kind.SPAWN:
            assert isinstance(value, list)
            number = len(self.threads)
            self.threads.append(Thread(number, (self._compiler.code(instruction.procedure), value)))
            self._put_number(frame, instruction.targets, number)
        elif instruction.kind is Kind.SELF:
            self._put_number(frame, instruction.targets, number)
        else:
            width = instruction.width
            if not any(_as_bits(n, width) == value and thread.has_ended for n, thread in enumerate(self.threads)):
                raise _Stuck

    def _call(self, thread: Thread, frame: Frame, instruction: Instruction, arguments: list[Value]) -> None:
        code = self._compiler.code(instruction.procedure)
        if code.entry is not None:
            is_seen = any(target.is_global for target in instruction.targets)
            self._enter(thread, code, arguments, instruction.targets, is_seen)
            return
        modified = tuple(target.variable for target in code.modifies)
        self._put(frame, code.modifies, self._any(thread, modified))
        self._put(frame, instruction.targets, self._any(thread, code.fresh))

    def _any(self, thread: Thread, variables: tuple[Term, ...]) -> list[Value]:
        if not thread.atomic and (thread.saved is None or thread.saved.steps != self.steps):
            thread.saved, thread.tries = self._saved(thread), 0
        self.has_choices |= bool(variables)
        chosen = [self._values(thread.number, variable, thread.tries > 0) for variable in variables]
        thread.values.append((variables, chosen))
        return chosen

    def _put(self, frame: Frame, targets: tuple[Target, ...], values: list[Value]) -> None:
        for target, value in zip(targets, values, strict=True):
            (self._shared if target.is_global else frame.own)[target.index] = value

    def _put_number(self, frame: Frame, targets: tuple[Target, ...], number: int) -> None:
        self._put(frame, targets, [_as_bits(number, target.variable.sort.width) for target in targets])


def _as_bits(thread: int, width: int) -> int:
    """A thread's number as a bit vector of that width; 0: as an integer."""
    return thread % (1 << width) if width else thread
