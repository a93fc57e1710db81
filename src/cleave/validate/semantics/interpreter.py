"""A concrete interpreter of programs: one execution, every condition evaluated for real.

    run(program, "main", chooser)       # Run(Violated | Finished | Blocked | StepLimit, path, events, notes)

Whatever a program leaves open (initial values, havocs, locals before they are assigned, procedures without a body, the
successor of a block) the `Chooser` decides. It is asked in the order of execution: first for the constants, the globals
and the entry's parameters, returns and locals, as declared; at a call for the callee's returns and locals, or, without
a body, for what it modifies and its returns.

The meaning of a call is that of `ir.program.Call`; the clauses of a contract are taken in their order. The entry's
requires are assumed. Failed assertions end a run; where the property is `END_REACHABLE` they are no violation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from cleave.errors import UnsupportedError
from cleave.ir.path import Enter, IllegalPathError, Leave, PathStep, Visit
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Clause,
    Havoc,
    Location,
    Procedure,
    Program,
    Property,
    Statement,
    old,
)
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.events import Blocked, Event, Finished, Outcome, Run, StepLimit, Subject, Violated
from cleave.validate.semantics.judge import Ended, Judge, View, check_text

_NO_FRAME = -1


class Chooser(ABC):
    """Decides what the program leaves open."""

    @abstractmethod
    def value(self, variable: Term) -> Value:
        """Any value of the variable's sort."""

    @abstractmethod
    def successor(self, procedure: Procedure, block: Block) -> str:
        """The block to go to from ``block``, which has successors."""

    def follow(self, step: PathStep) -> None:  # noqa: B027 (most have nothing to do)
        """Is told each step of the control path before it is taken."""


@dataclass(slots=True)
class _Frame:
    """One activation of a procedure. ``variables`` are its own, and the old values of the globals."""

    number: int
    depth: int
    procedure: Procedure
    variables: dict[Term, Value]
    call: Call | None  # that made it; None for the entry
    block: Block | None = None
    position: int = 0  # of the next statement


def run(program: Program, entry: str, chooser: Chooser, *, max_steps: int = 100_000, world: World | None = None) -> Run:
    """Executes ``program`` from ``entry`` until it ends or ``max_steps`` statements and jumps were taken.

    Raises `IllegalPathError` when the chooser picks a block that is no successor, and whatever the chooser raises.
    """
    judge = Judge(program, World() if world is None else world)
    return _Interpreter(program, chooser, judge).run(entry, max_steps)


@dataclass(slots=True)
class _Interpreter:
    program: Program
    chooser: Chooser
    judge: Judge
    shared: dict[Term, Value] = field(default_factory=dict)  # globals and constants
    frames: list[_Frame] = field(default_factory=list)
    activations: int = 0
    path: list[PathStep] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def run(self, entry: str, max_steps: int) -> Run:
        try:
            self._start(self.program.procedures[entry])
            for _ in range(max_steps):
                self._step(self.frames[-1])
            outcome: Outcome = StepLimit()
        except Ended as end:
            outcome = self.judge.last_look(end.outcome)
        return Run(outcome, tuple(self.path), tuple(self.events), self.judge.notes)

    # --- control ----------------------------------------------------------------------------------------------------

    def _start(self, procedure: Procedure) -> None:
        self._choose(self.shared, self.program.constants)
        for axiom in self.program.axioms:
            self.judge.assume(axiom, View({}, self.shared), "an axiom", None)
        self._choose(self.shared, self.program.globals)
        frame = self._activate(procedure, None)
        self._choose(frame.variables, procedure.parameters)
        values = [(parameter, frame.variables[parameter]) for parameter in procedure.parameters]
        self._record("call", frame, procedure.location, None, values, other=_NO_FRAME)
        for clause in procedure.requires:
            what = check_text(clause, "requires", procedure.name)
            self.judge.assume(clause.condition, self._view(frame), what, clause.location)
        self._enter(frame)

    def _step(self, frame: _Frame) -> None:
        block = frame.block
        assert block is not None
        if frame.position < len(block.statements):
            statement = block.statements[frame.position]
            frame.position += 1
            self._execute(frame, statement)
        elif block.successors:
            label = self.chooser.successor(frame.procedure, block)
            if label not in block.successors:
                raise IllegalPathError(f"block {block.label} of {frame.procedure.name} does not lead to block {label}")
            self._visit(frame, frame.procedure.blocks[label])
        else:
            self._leave(frame)

    def _activate(self, procedure: Procedure, call: Call | None) -> _Frame:
        """A new activation whose parameters are not set yet."""
        before = {old(variable): self.shared[variable] for variable in self.program.globals}
        frame = _Frame(self.activations, len(self.frames), procedure, before, call)
        self.activations += 1
        return frame

    def _enter(self, frame: _Frame) -> None:
        procedure = frame.procedure
        if not procedure.has_body:
            raise IllegalPathError(f"{procedure.name} has no body")
        self._follow(Enter(procedure.name))
        self._choose(frame.variables, (*procedure.returns, *procedure.locals))
        self.frames.append(frame)
        self._visit(frame, procedure.entry)

    def _visit(self, frame: _Frame, block: Block) -> None:
        self._follow(Visit(block.label))
        frame.block = block
        frame.position = 0
        self._record("block", frame, block.location, block)

    def _leave(self, frame: _Frame) -> None:
        for clause in frame.procedure.ensures:
            if not clause.free:
                self._check(frame, clause, self._view(frame), "ensures", frame.procedure.name)
        self._follow(Leave())
        self.frames.pop()
        if frame.call is None:
            self._end(frame)
        else:
            self._return(frame, frame.call)

    def _end(self, frame: _Frame) -> None:
        procedure = frame.procedure
        values = [(variable, frame.variables[variable]) for variable in procedure.returns]
        self._record("return", frame, procedure.location, None, values)
        if self.program.property is Property.ASSERTIONS:
            raise Ended(Finished())
        self._record("violation", frame, procedure.location, None)
        raise Ended(Violated(f"the end of {procedure.name} is reached", procedure.location, None))

    def _return(self, frame: _Frame, call: Call, modified: tuple[Term, ...] = ()) -> None:
        """What happens in the caller after the body, or instead of it."""
        for clause in frame.procedure.ensures:
            what = check_text(clause, "ensures", frame.procedure.name)
            self.judge.assume(clause.condition, self._view(frame), what, clause.location)
        caller = self.frames[-1]
        values = [frame.variables[variable] for variable in frame.procedure.returns]
        self._write(caller, zip(call.results, values, strict=True))
        seen = [(variable, self._view(caller)(variable)) for variable in dict.fromkeys((*call.results, *modified))]
        self._record("return", frame, call.location, call, seen, other=caller.number)

    def _follow(self, step: PathStep) -> None:
        self.chooser.follow(step)
        self.path.append(step)

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(self, frame: _Frame, statement: Statement) -> None:
        view = self._view(frame)
        match statement:
            case Assume():
                self._record("assume", frame, statement.location, statement)
                what = f"the assume in {frame.procedure.name}"
                self.judge.assume(statement.condition, view, what, statement.location)
            case Assert():
                self._check(frame, statement, view, "assert", frame.procedure.name)
            case Assign():
                values = [self.judge.value(value, view) for value in statement.values]
                written = self._write(frame, zip(statement.targets, values, strict=True))
                self._record("assign", frame, statement.location, statement, written)
            case Havoc():
                chosen = [(target, self.chooser.value(target)) for target in statement.targets]
                self._record("havoc", frame, statement.location, statement, self._write(frame, chosen))
            case Call():
                self._call(frame, statement)
            case _:
                raise UnsupportedError("threads are interpreted by `validate.violations.concurrent`")

    def _call(self, caller: _Frame, call: Call) -> None:
        view = self._view(caller)
        callee = self._activate(self.program.procedures[call.procedure], call)
        procedure = callee.procedure
        values = [self.judge.value(argument, view) for argument in call.arguments]
        parameters = self._write(callee, zip(procedure.parameters, values, strict=True), new=True)
        self._record("call", caller, call.location, call, parameters, other=callee.number)
        for clause in procedure.requires:
            if clause.free:
                what = check_text(clause, "requires", procedure.name)
                self.judge.assume(clause.condition, self._view(callee), what, clause.location)
            else:
                self._check(caller, clause, self._view(callee), "requires", procedure.name, read=callee.number)
        if procedure.has_body:
            self._enter(callee)
        else:
            self._choose(self.shared, procedure.modifies)
            self._choose(callee.variables, procedure.returns)
            self._return(callee, call, procedure.modifies)

    def _check(
        self, frame: _Frame, subject: Assert | Clause, view: View, kind: str, procedure: str, read: int = _NO_FRAME
    ) -> None:
        what = check_text(subject, kind, procedure)
        if self.judge.holds(subject.condition, view, what, subject.location):
            return
        if self.program.property is Property.END_REACHABLE:
            raise Ended(Blocked(f"{what} fails before the end is reached", subject.location))
        self._record("violation", frame, subject.location, subject, other=read)
        raise Ended(Violated(what, subject.location, subject.condition))

    # --- state and events -------------------------------------------------------------------------------------------

    def _view(self, frame: _Frame) -> View:
        return View(frame.variables, self.shared)

    def _write(
        self, frame: _Frame, values: Iterable[tuple[Term, Value]], new: bool = False
    ) -> list[tuple[Term, Value]]:
        written = list(values)
        for target, value in written:
            self.judge.world.met(value, target.sort)
            (frame.variables if new or target in frame.variables else self.shared)[target] = value
        return written

    def _choose(self, into: dict[Term, Value], variables: Iterable[Term]) -> None:
        for variable in variables:
            into[variable] = self.chooser.value(variable)
            self.judge.world.met(into[variable], variable.sort)

    def _record(
        self,
        kind: str,
        frame: _Frame,
        location: Location | None,
        subject: Subject,
        values: Iterable[tuple[Term, Value]] = (),
        other: int = _NO_FRAME,
    ) -> None:
        name, depth = frame.procedure.name, frame.depth
        self.events.append(Event(kind, name, depth, frame.number, location, subject, tuple(values), other))
