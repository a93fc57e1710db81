"""A concrete machine for programs with threads: it holds one state, and takes one step of one thread at a time.

    machine = Machine(program, "main", chooser)
    machine.step(0)           # MOVED | BLOCKED, or raises `Ended`: an assertion failed, or the entry returned

A step is one statement, with the jumps and returns that follow it: control always rests before a statement, or before a
return that assigns to a global, or with which the entry, and so the program, ends. The first step of a thread only
brings it there, so that a thread has begun, and can have ended, only after it was chosen to run.

Nothing is said here about who runs when: `concurrent` follows a schedule, `interleavings` tries them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from cleave.errors import UnsupportedError
from cleave.ir.path import IllegalPathError
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Havoc,
    Join,
    Location,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
)
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.events import Event, Finished, Subject, Violated
from cleave.validate.semantics.judge import Ended, Judge, View, check_text

MAIN = 0
_NO_FRAME = -1


class Moved(Enum):
    """Whether a step could be taken. A blocked thread stays where it was, and nothing has changed."""

    MOVED = "moved"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class ThreadChooser:
    """Decides what the program leaves open in each thread: values, successors of blocks, and (``first``, if that is
    another matter) the values that variables have to begin with."""

    value: Callable[[int, Term], Value]
    successor: Callable[[int, Procedure, Block], str]
    first: Callable[[int, Term], Value] | None = None

    def first_value(self, thread: int, variable: Term) -> Value:
        return (self.first or self.value)(thread, variable)


@dataclass(slots=True)
class Frame:
    """One activation; ``position`` is that of the next statement in ``block``."""

    number: int
    procedure: Procedure
    variables: dict[Term, Value]
    call: Call | None
    block: Block
    position: int = 0


@dataclass(slots=True)
class Thread:
    """``begin`` holds what a thread starts with, until it takes its first step."""

    begin: tuple[Procedure, dict[Term, Value], int] | None
    frames: list[Frame] = field(default_factory=list)
    atomic: int = 0  # blocks that are open

    @property
    def has_ended(self) -> bool:
        return self.begin is None and not self.frames


class _Blocked(Exception):  # noqa: N818 (no error)
    """The statement can't be executed now."""


class Machine:
    def __init__(self, program: Program, entry: str, chooser: ThreadChooser) -> None:
        if any(procedure.requires or procedure.ensures for procedure in program.procedures.values()):
            raise UnsupportedError("contracts of procedures are not handled in a program with threads")
        if program.axioms:
            raise UnsupportedError("axioms are not handled in a program with threads")
        self.program = program
        self.chooser = chooser
        self.judge = Judge(program, World())
        self.threads: list[Thread] = []
        self.events: list[tuple[int, Event]] = []  # with the thread
        self.activations = 0
        self.shared: dict[Term, Value] = {}
        self.shared.update((v, chooser.first_value(MAIN, v)) for v in (*program.constants, *program.globals))
        main = program.procedures[entry]
        self._add_thread(main, {v: chooser.value(MAIN, v) for v in main.parameters})

    def copy(self, chooser: ThreadChooser, number: int) -> Machine:
        """The same state, without the events that led to it, for a step of thread ``number``: the others are shared."""
        made = object.__new__(Machine)
        made.program, made.chooser, made.judge = self.program, chooser, self.judge
        made.events, made.activations, made.shared = [], 0, dict(self.shared)
        made.threads = list(self.threads)
        own = self.threads[number]
        frames = [Frame(f.number, f.procedure, dict(f.variables), f.call, f.block, f.position) for f in own.frames]
        made.threads[number] = Thread(own.begin, frames, own.atomic)
        return made

    def take_up(self, shared: dict[Term, Value], frames: list[Frame], events: Iterable[Event]) -> None:
        """Goes on from a state of the only thread that was written down elsewhere, anywhere between two statements."""
        self.shared, self.activations = shared, len(frames)
        self.threads = [Thread(None, frames)]
        self.events = [(MAIN, event) for event in events]
        self._settle(MAIN, self.threads[MAIN])

    def step(self, number: int) -> Moved:
        """Raises `Ended` where the program ends, and `IllegalPathError` for a thread that is not there any more."""
        if number >= len(self.threads) or self.threads[number].has_ended:
            raise IllegalPathError(f"thread {number} can't run: it has not been started, or has ended")
        thread = self.threads[number]
        try:
            if thread.begin is not None:
                self._begin(number, thread)
            else:
                frame = thread.frames[-1]
                if frame.position == len(frame.block.statements):
                    self._leave(number, thread)
                else:
                    self._execute(number, frame, frame.block.statements[frame.position])
        except _Blocked:
            return Moved.BLOCKED
        self._settle(number, thread)
        return Moved.MOVED

    # --- control ----------------------------------------------------------------------------------------------------

    def _add_thread(self, procedure: Procedure, parameters: dict[Term, Value]) -> int:
        frame = self._new_number()
        self.threads.append(Thread((procedure, parameters, frame)))
        return frame

    def _new_number(self) -> int:
        self.activations += 1
        return self.activations - 1

    def _begin(self, number: int, thread: Thread) -> None:
        assert thread.begin is not None
        procedure, parameters, frame = thread.begin
        if number == MAIN:
            self._record(number, "call", frame, procedure, procedure.location, None, parameters.items())
        thread.begin = None
        self._enter(number, frame, procedure, parameters, None)

    def _enter(
        self, number: int, frame: int, procedure: Procedure, parameters: dict[Term, Value], call: Call | None
    ) -> None:
        if not procedure.has_body:
            raise IllegalPathError(f"{procedure.name} has no body")
        own = {v: self.chooser.first_value(number, v) for v in (*procedure.returns, *procedure.locals)}
        entered = Frame(frame, procedure, {**parameters, **own}, call, procedure.entry)
        self.threads[number].frames.append(entered)
        self._visited(number, entered)

    def _settle(self, number: int, thread: Thread) -> None:
        """Jumps and returns until a statement is next, or the thread has ended."""
        while thread.frames:
            frame = thread.frames[-1]
            if frame.position < len(frame.block.statements):
                return
            if not frame.block.successors:
                if self._returns_in_a_step(frame):
                    return
                self._leave(number, thread)
                continue
            label = self.chooser.successor(number, frame.procedure, frame.block)
            if label not in frame.block.successors:
                raise IllegalPathError(f"block {frame.block.label} of {frame.procedure.name} does not lead to {label}")
            frame.block, frame.position = frame.procedure.blocks[label], 0
            self._visited(number, frame)
        if number == MAIN:
            raise Ended(Finished())

    def _returns_in_a_step(self, frame: Frame) -> bool:
        if frame.call is None:
            main = self.threads[MAIN].frames
            return bool(main) and frame is main[0]
        results = frame.call.results
        return any(result in self.program.globals for result in results)

    def _leave(self, number: int, thread: Thread) -> None:
        frame = thread.frames.pop()
        procedure = frame.procedure
        if frame.call is None:
            self._record(number, "return", frame.number, procedure, procedure.location, None)
        else:
            self._return(number, frame.number, procedure, frame.variables, frame.call)

    def _return(self, number: int, frame: int, callee: Procedure, variables: dict[Term, Value], call: Call) -> None:
        caller = self.threads[number].frames[-1]
        results = list(zip(call.results, (variables[v] for v in callee.returns), strict=True))
        self._write(caller, results)
        self._record(number, "return", frame, callee, call.location, call, results, caller.number)

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(self, number: int, frame: Frame, statement: Statement) -> None:
        view = View(frame.variables, self.shared)
        match statement:
            case Assume(condition):
                self._wait_for(self.judge.holds(condition, view, "an assume", statement.location))
                self._note(number, frame, "assume", statement)
            case Assert():
                self._check(number, frame, statement, view)
            case Assign(targets, values):
                self._set(number, frame, "assign", statement, targets, [self.judge.value(v, view) for v in values])
            case Havoc(targets):
                chosen = [self.chooser.value(number, target) for target in targets]
                self._set(number, frame, "havoc", statement, targets, chosen)
            case Call():
                self._call(number, frame, statement)
                return
            case Spawn():
                self._spawn(number, frame, statement)
            case Join(thread):
                other = self.judge.value(thread, view)
                self._wait_for(any(other == _as(n, thread) and t.has_ended for n, t in enumerate(self.threads)))
                self._note(number, frame, "assume", statement)
            case Self(target):
                self._set(number, frame, "assign", statement, (target,), (_as(number, target),))
            case AtomicBegin() | AtomicEnd():
                self.threads[number].atomic += 1 if isinstance(statement, AtomicBegin) else -1
        frame.position += 1

    def _wait_for(self, condition: bool) -> None:
        if not condition:
            raise _Blocked

    def _call(self, number: int, caller: Frame, call: Call) -> None:
        callee, view = self.program.procedures[call.procedure], View(caller.variables, self.shared)
        values = [self.judge.value(argument, view) for argument in call.arguments]
        parameters = dict(zip(callee.parameters, values, strict=True))
        frame = self._new_number()
        self._record(number, "call", caller.number, caller.procedure, call.location, call, parameters.items(), frame)
        caller.position += 1
        if callee.has_body:
            self._enter(number, frame, callee, parameters, call)
            return
        self.shared.update((v, self.chooser.value(number, v)) for v in callee.modifies)
        chosen = {v: self.chooser.value(number, v) for v in callee.returns}
        self._return(number, frame, callee, {**parameters, **chosen}, call)

    def _spawn(self, number: int, frame: Frame, spawn: Spawn) -> None:
        view = View(frame.variables, self.shared)
        started = self.program.procedures[spawn.procedure]
        values = [self.judge.value(argument, view) for argument in spawn.arguments]
        parameters = dict(zip(started.parameters, values, strict=True))
        new = len(self.threads)
        first = self._add_thread(started, parameters)
        self._record(number, "call", frame.number, frame.procedure, spawn.location, spawn, parameters.items(), first)
        if spawn.result is not None:
            self._set(number, frame, "assign", spawn, (spawn.result,), (_as(new, spawn.result),))

    def _check(self, number: int, frame: Frame, subject: Assert, view: View) -> None:
        what = check_text(subject, "assert", frame.procedure.name)
        if not self.judge.holds(subject.condition, view, what, subject.location):
            self._record(number, "violation", frame.number, frame.procedure, subject.location, subject)
            raise Ended(Violated(what, subject.location, subject.condition))

    # --- state and events -------------------------------------------------------------------------------------------

    def _write(self, frame: Frame, values: Iterable[tuple[Term, Value]]) -> None:
        for target, value in values:
            (frame.variables if target in frame.variables else self.shared)[target] = value

    def _set(
        self,
        number: int,
        frame: Frame,
        kind: str,
        statement: Assign | Havoc | Self | Spawn,
        targets: Sequence[Term],
        values: Sequence[Value],
    ) -> None:
        written = list(zip(targets, values, strict=True))
        self._write(frame, written)
        self._record(number, kind, frame.number, frame.procedure, statement.location, statement, written)

    def _note(self, number: int, frame: Frame, kind: str, statement: Assume | Join) -> None:
        self._record(number, kind, frame.number, frame.procedure, statement.location, statement)

    def _visited(self, number: int, frame: Frame) -> None:
        self._record(number, "block", frame.number, frame.procedure, frame.block.location, frame.block)

    def _record(
        self,
        number: int,
        kind: str,
        frame: int,
        procedure: Procedure,
        location: Location | None,
        subject: Subject,
        values: Iterable[tuple[Term, Value]] = (),
        other: int = _NO_FRAME,
    ) -> None:
        depth = max(0, len(self.threads[number].frames) - (kind != "return"))
        self.events.append((number, Event(kind, procedure.name, depth, frame, location, subject, tuple(values), other)))


def _as(number: int, variable: Term) -> int:
    """A thread's number in the sort of ``variable``."""
    return number % (1 << variable.sort.width) if variable.sort.is_bitvec else number
