"""A concrete machine for programs: it holds one state, and takes one step of one thread at a time.

    machine = Machine(program, "main", chooser)
    machine.step(0)           # MOVED | BLOCKED, or raises `Ended`: an assertion failed, or the entry returned

A step is one statement, with the jumps and returns that follow it: control always rests before a statement, or before a
return that assigns to a global, or with which the entry, and so the program, ends. The first step of a thread only
brings it there, so that a thread has begun, and can have ended, only after it was chosen to run.

Where the program has store buffers, a store waits until `commit` takes it to memory. A thread that has ended may still
have stores that wait; only without them others can join it.

Nothing is said here about which thread runs when: `concurrent` follows a schedule, `interleavings` tries them all,
`interpreter` runs the only thread there is. Only where a thread is ``alone`` there are contracts, axioms, and an end
that must not be reached. The meaning of a call is that of `ir.program.Call`; the clauses of a contract are taken in
their order. The entry's requires are assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum

from cleave.errors import UnsupportedError
from cleave.ir.path import Enter, IllegalPathError, Leave, PathStep, Visit
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Clause,
    Fence,
    Havoc,
    Join,
    Location,
    Procedure,
    Program,
    Property,
    Self,
    Spawn,
    Statement,
    old,
)
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value
from cleave.records import dataclass
from cleave.validate.semantics.buffers import Store, Waiting, Written, able, added, all_committed, committed, seen
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.events import Blocked, Event, Finished, Subject, Violated
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
    """``begin`` holds what a thread starts with, until it takes its first step. ``waiting`` are its stores that are not
    in memory yet."""

    begin: tuple[Procedure, dict[Term, Value], int] | None
    frames: list[Frame] = field(default_factory=list)
    atomic: int = 0  # blocks that are open
    steps: int = 0  # taken
    waiting: Waiting = ()

    @property
    def has_ended(self) -> bool:
        return self.begin is None and not self.frames

    @property
    def is_joinable(self) -> bool:
        return self.has_ended and not self.waiting


class _Blocked(Exception):  # noqa: N818 (no error)
    """The statement can't be executed now."""


class Machine:
    def __init__(
        self,
        program: Program,
        entry: str,
        chooser: ThreadChooser,
        *,
        alone: bool = False,
        world: World | None = None,
        follow: Callable[[PathStep], None] | None = None,
    ) -> None:
        """``follow`` is told each step of the control path before it is taken."""
        if not alone:
            _check_threads(program)
        self.program = program
        self.chooser = chooser
        self.alone = alone
        self.follow = follow
        self.judge = Judge(program, World() if world is None else world)
        self.threads: list[Thread] = []
        self.events: list[tuple[int, Event]] = []  # with the thread
        self.views: list[dict[Term, Value]] | None = None  # after each event, of its thread, if somebody asks for them
        self.activations = 0
        self.shared: dict[Term, Value] = {}
        self.shared.update((v, chooser.first_value(MAIN, v)) for v in (*program.constants, *program.globals))
        self._meet(self.shared)
        main = program.procedures[entry]
        parameters = {v: chooser.value(MAIN, v) for v in main.parameters}
        self._meet(parameters)
        self._add_thread(main, parameters)

    def copy(self, chooser: ThreadChooser, number: int) -> Machine:
        """The same state, without the events that led to it, for a step of thread ``number``: the others are shared."""
        made = object.__new__(Machine)
        made.program, made.chooser, made.judge = self.program, chooser, self.judge
        made.alone, made.follow = self.alone, None
        made.events, made.views, made.activations, made.shared = [], None, 0, dict(self.shared)
        made.threads = list(self.threads)
        own = self.threads[number]
        frames = [Frame(f.number, f.procedure, dict(f.variables), f.call, f.block, f.position) for f in own.frames]
        made.threads[number] = Thread(own.begin, frames, own.atomic, own.steps, own.waiting)
        return made

    def can_commit(self, number: int) -> list[int]:
        """Which stores of a thread may get to memory next."""
        buffers, waiting = self.program.store_buffers, self.threads[number].waiting
        return able(waiting, keeps_order=buffers.keeps_order) if buffers is not None and waiting else []

    def commit(self, number: int, store: int) -> None:
        """One of those gets there."""
        thread = self.threads[number]
        self.shared, thread.waiting = committed(self.shared, thread.waiting, store)

    def take_up(self, shared: dict[Term, Value], frames: list[Frame], events: Iterable[Event]) -> None:
        """Goes on from a state of the only thread that was written down elsewhere, anywhere between two statements."""
        self.shared, self.activations = shared, len(frames)
        self.threads = [Thread(None, frames)]
        self.events = [(MAIN, event) for event in events]
        self._settle(MAIN, self.threads[MAIN])

    def step(self, number: int) -> Moved:
        """Raises `Ended` where the program ends, and `IllegalPathError` for a thread that is not there any more."""
        moved = self.advance(number)
        if moved is Moved.MOVED:
            self._settle(number, self.threads[number])
        return moved

    def advance(self, number: int) -> Moved:
        """One statement, jump or return; control may rest at the next jump or return."""
        if number >= len(self.threads) or self.threads[number].has_ended:
            raise IllegalPathError(f"thread {number} can't run: it has not been started, or has ended")
        thread = self.threads[number]
        thread.steps += 1
        try:
            if thread.begin is not None:
                self._begin(number, thread)
            else:
                frame = thread.frames[-1]
                if frame.position == len(frame.block.statements):
                    self._move(number, thread, frame)
                else:
                    self._execute(number, frame, frame.block.statements[frame.position])
        except _Blocked:
            thread.steps -= 1
            return Moved.BLOCKED
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
        parameters |= self._before()
        if number == MAIN:
            for axiom in self.program.axioms:
                self.judge.assume(axiom, View({}, self.shared), "an axiom", None)
            given = [(variable, parameters[variable]) for variable in procedure.parameters]
            self._record(number, "call", frame, procedure, procedure.location, None, given)
            self._assume(procedure.requires, View(parameters, self.shared), "requires", procedure)
        thread.begin = None
        self._enter(number, frame, procedure, parameters, None)

    def _before(self) -> dict[Term, Value]:
        """What ``old`` means in a call that is made now."""
        return {old(variable): self.shared[variable] for variable in self.program.globals} if self.alone else {}

    def _enter(
        self, number: int, frame: int, procedure: Procedure, parameters: dict[Term, Value], call: Call | None
    ) -> None:
        if not procedure.has_body:
            raise IllegalPathError(f"{procedure.name} has no body")
        if self.follow is not None:
            self.follow(Enter(procedure.name))
        own = {v: self.chooser.first_value(number, v) for v in (*procedure.returns, *procedure.locals)}
        self._meet(own)
        entered = Frame(frame, procedure, {**parameters, **own}, call, procedure.entry)
        self.threads[number].frames.append(entered)
        self._visited(number, entered)

    def _settle(self, number: int, thread: Thread) -> None:
        """Jumps and returns until a statement is next, or the thread has ended."""
        while thread.frames:
            frame = thread.frames[-1]
            if frame.position < len(frame.block.statements):
                return
            if not frame.block.successors and self._returns_in_a_step(frame):
                return
            self._move(number, thread, frame)

    def _move(self, number: int, thread: Thread, frame: Frame) -> None:
        """Behind the statements of a block."""
        block, procedure = frame.block, frame.procedure
        if not block.successors:
            self._leave(number, thread)
            return
        label = self.chooser.successor(number, procedure, block)
        if label not in block.successors:
            raise IllegalPathError(f"block {block.label} of {procedure.name} does not lead to block {label}")
        frame.block, frame.position = procedure.blocks[label], 0
        self._visited(number, frame)

    def _returns_in_a_step(self, frame: Frame) -> bool:
        if frame.call is None:
            main = self.threads[MAIN].frames
            return bool(main) and frame is main[0]
        results = frame.call.results
        return any(result in self.program.globals for result in results)

    def _leave(self, number: int, thread: Thread) -> None:
        frame = thread.frames[-1]
        procedure = frame.procedure
        for clause in procedure.ensures:
            if not clause.free:
                self._check(number, frame, clause, self._view(number, frame), "ensures", procedure)
        if self.follow is not None:
            self.follow(Leave())
        thread.frames.pop()
        if frame.call is not None:
            self._return(number, frame.number, procedure, frame.variables, frame.call)
        elif number == MAIN and not thread.frames:
            self._end(frame)
        else:
            self._record(number, "return", frame.number, procedure, procedure.location, None)

    def _end(self, frame: Frame) -> None:
        procedure = frame.procedure
        values = [(variable, frame.variables[variable]) for variable in procedure.returns]
        self._record(MAIN, "return", frame.number, procedure, procedure.location, None, values)
        if self.program.property is Property.ASSERTIONS:
            raise Ended(Finished())
        self._record(MAIN, "violation", frame.number, procedure, procedure.location, None)
        raise Ended(Violated(f"the end of {procedure.name} is reached", procedure.location, None))

    def _return(
        self,
        number: int,
        frame: int,
        callee: Procedure,
        variables: dict[Term, Value],
        call: Call,
        modified: tuple[Term, ...] = (),
    ) -> None:
        """What happens in the caller after the body, or instead of it."""
        self._assume(callee.ensures, View(variables, self.shared), "ensures", callee)
        caller = self.threads[number].frames[-1]
        self._write(number, caller, zip(call.results, (variables[v] for v in callee.returns), strict=True))
        view = self._view(number, caller)
        seen_now = [(variable, view(variable)) for variable in dict.fromkeys((*call.results, *modified))]
        self._record(number, "return", frame, callee, call.location, call, seen_now, caller.number)

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(self, number: int, frame: Frame, statement: Statement) -> None:
        view = self._view(number, frame)
        match statement:
            case Assume(condition):
                what = f"the assume in {frame.procedure.name}"
                if self.alone:  # nobody else can make it true
                    self.judge.assume(condition, view, what, statement.location)
                else:
                    self._wait_for(self.judge.holds(condition, view, what, statement.location))
                self._note(number, frame, "assume", statement)
            case Assert():
                self._check(number, frame, statement, view, "assert", frame.procedure)
            case Assign(targets, values):
                new, elements = [self.judge.value(v, view) for v in values], self._elements(number, statement, view)
                self._set(number, frame, "assign", statement, targets, new, elements)
            case Havoc(targets):
                chosen = [self.chooser.value(number, target) for target in targets]
                self._set(number, frame, "havoc", statement, targets, chosen)
            case Call():
                self._call(number, frame, statement)
                return
            case _ if self.alone:
                raise UnsupportedError("threads are interpreted by `validate.violations.concurrent`")
            case Spawn():
                self._spawn(number, frame, statement)
            case Join(thread):
                other = self.judge.value(thread, view)
                self._wait_for(any(other == _as(n, thread) and t.is_joinable for n, t in enumerate(self.threads)))
                self._note(number, frame, "assume", statement)
            case Self(target):
                self._set(number, frame, "assign", statement, (target,), (_as(number, target),))
            case AtomicBegin() | AtomicEnd():
                self._flush(number)
                self.threads[number].atomic += 1 if isinstance(statement, AtomicBegin) else -1
            case Fence(stores_only):
                self._fence(number, stores_only)
        frame.position += 1

    def _wait_for(self, condition: bool) -> None:
        if not condition:
            raise _Blocked

    def _call(self, number: int, caller: Frame, call: Call) -> None:
        callee, view = self.program.procedures[call.procedure], self._view(number, caller)
        values = [self.judge.value(argument, view) for argument in call.arguments]
        parameters = dict(zip(callee.parameters, values, strict=True))
        self._meet(parameters)
        frame = self._new_number()
        self._record(number, "call", caller.number, caller.procedure, call.location, call, parameters.items(), frame)
        variables = {**self._before(), **parameters}
        self._require(number, caller, callee, View(variables, self.shared), frame)
        caller.position += 1
        if callee.has_body:
            self._enter(number, frame, callee, variables, call)
            return
        self._write(number, caller, [(v, self.chooser.value(number, v)) for v in callee.modifies])
        chosen = {v: self.chooser.value(number, v) for v in callee.returns}
        self._meet(chosen)
        self._return(number, frame, callee, {**variables, **chosen}, call, callee.modifies)

    def _require(self, number: int, caller: Frame, callee: Procedure, view: View, frame: int) -> None:
        for clause in callee.requires:
            if clause.free:
                self._assume((clause,), view, "requires", callee)
            else:
                self._check(number, caller, clause, view, "requires", callee, frame)

    def _assume(self, clauses: Iterable[Clause], view: View, kind: str, procedure: Procedure) -> None:
        for clause in clauses:
            self.judge.assume(clause.condition, view, check_text(clause, kind, procedure.name), clause.location)

    def _spawn(self, number: int, frame: Frame, spawn: Spawn) -> None:
        view = self._view(number, frame)
        self._flush(number)
        started = self.program.procedures[spawn.procedure]
        values = [self.judge.value(argument, view) for argument in spawn.arguments]
        parameters = dict(zip(started.parameters, values, strict=True))
        new = len(self.threads)
        first = self._add_thread(started, parameters)
        self._record(number, "call", frame.number, frame.procedure, spawn.location, spawn, parameters.items(), first)
        if spawn.result is not None:
            self._set(number, frame, "assign", spawn, (spawn.result,), (_as(new, spawn.result),))

    def _check(
        self,
        number: int,
        frame: Frame,
        subject: Assert | Clause,
        view: View,
        kind: str,
        procedure: Procedure,
        read: int = _NO_FRAME,
    ) -> None:
        """A clause is one of ``procedure``; ``read`` is whose parameters it is about, if not those of ``frame``."""
        what = check_text(subject, kind, procedure.name)
        if self.judge.holds(subject.condition, view, what, subject.location):
            return
        if self.program.property is Property.END_REACHABLE:
            raise Ended(Blocked(f"{what} fails before the end is reached", subject.location))
        self._record(number, "violation", frame.number, frame.procedure, subject.location, subject, other=read)
        raise Ended(Violated(what, subject.location, subject.condition))

    # --- state and events -------------------------------------------------------------------------------------------

    def _view(self, number: int, frame: Frame) -> View:
        return View(frame.variables, seen(self.shared, self.threads[number].waiting))

    def _write(
        self,
        number: int,
        frame: Frame,
        values: Iterable[tuple[Term, Value]],
        elements: Mapping[Term, tuple[Written, ...]] | None = None,
    ) -> None:
        """``elements`` are those of arrays that are written, where that matters."""
        store: list[Written] = []
        for target, value in values:
            if self.alone:
                self.judge.world.met(value, target.sort)
            if target in frame.variables:
                frame.variables[target] = value
            elif not self._is_buffered(number, target):
                self.shared[target] = value
            else:
                store += (elements or {}).get(target, ((target, None, value),))
        if store:
            thread = self.threads[number]
            thread.waiting = added(thread.waiting, Store(thread.steps, tuple(store)))

    def _meet(self, values: Mapping[Term, Value]) -> None:
        """Instances of quantifiers may be drawn from the values of a run."""
        if self.alone:
            for variable, value in values.items():
                self.judge.world.met(value, variable.sort)

    def _is_buffered(self, number: int, target: Term) -> bool:
        buffers = self.program.store_buffers
        if buffers is None or self.threads[number].atomic or len(self.threads) == 1:
            return False
        return target in buffers.variables

    def _elements(self, number: int, assign: Assign, view: View) -> dict[Term, tuple[Written, ...]]:
        """Which elements of buffered arrays are written: by ``a := (store (store a i v) j w)`` two of them."""
        found: dict[Term, tuple[Written, ...]] = {}
        for target, value in zip(assign.targets, assign.values, strict=True):
            if not target.sort.is_array or target in view.own or not self._is_buffered(number, target):
                continue
            written: list[Written] = []
            rest = value
            while rest.op is Op.STORE:
                rest, index, element = rest.args
                written.append((target, self.judge.value(index, view), self.judge.value(element, view)))
            if rest is target and written:
                found[target] = tuple(reversed(written))
        return found

    def _flush(self, number: int) -> None:
        thread = self.threads[number]
        if thread.waiting:
            self.shared, thread.waiting = all_committed(self.shared, thread.waiting), ()

    def _fence(self, number: int, stores_only: bool) -> None:
        buffers, thread = self.program.store_buffers, self.threads[number]
        if not stores_only:
            self._flush(number)
        elif buffers is not None and not buffers.keeps_order:
            thread.waiting = added(thread.waiting, Store(thread.steps, ()))

    def _set(
        self,
        number: int,
        frame: Frame,
        kind: str,
        statement: Assign | Havoc | Self | Spawn,
        targets: Sequence[Term],
        values: Sequence[Value],
        elements: Mapping[Term, tuple[Written, ...]] | None = None,
    ) -> None:
        written = list(zip(targets, values, strict=True))
        self._write(number, frame, written, elements)
        self._record(number, kind, frame.number, frame.procedure, statement.location, statement, written)

    def _note(self, number: int, frame: Frame, kind: str, statement: Assume | Join) -> None:
        self._record(number, kind, frame.number, frame.procedure, statement.location, statement)

    def _visited(self, number: int, frame: Frame) -> None:
        if self.follow is not None:
            self.follow(Visit(frame.block.label))
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
        if self.views is not None:
            self.views.append(dict(seen(self.shared, self.threads[number].waiting)))


def _check_threads(program: Program) -> None:
    if any(procedure.requires or procedure.ensures for procedure in program.procedures.values()):
        raise UnsupportedError("contracts of procedures are not handled in a program with threads")
    if program.axioms:
        raise UnsupportedError("axioms are not handled in a program with threads")


def _as(number: int, variable: Term) -> int:
    """A thread's number in the sort of ``variable``."""
    return number % (1 << variable.sort.width) if variable.sort.is_bitvec else number
