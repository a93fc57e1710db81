"""A concrete machine: one state of a program with one or more threads, and what a step of a thread does to it.

A step is one statement, with the jumps and returns that follow it. A return that assigns to a global, and the return of
the entry, are steps of their own. A thread's first step only brings it to its first statement.

What a program leaves open, a `Choices` object decides: values of variables, and successors of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cleave_check.program import Block, Contract, Procedure, Program, Statement
from cleave_check.refusal import Refusal, Undecided
from cleave_check.terms import Term
from cleave_check.values import UNKNOWN, Value, evaluate


class Violated(Exception):  # noqa: N818
    """The property fails."""


class Finished(Exception):  # noqa: N818
    """The entry returned, and that is no violation."""


class Blocked(Exception):  # noqa: N818
    """An assumption is false: the step can't be taken, and nothing has changed."""


class Choices(Protocol):
    """``initial`` is the value that a variable has to begin with, ``value`` one that a statement gives it."""

    def initial(self, thread: int, variable: Term) -> Value: ...

    def value(self, thread: int, variable: Term) -> Value: ...

    def successor(self, thread: int, block: Block) -> str: ...

    def apply(self, term: Term, arguments: list[Value]) -> Value: ...


@dataclass(slots=True)
class Frame:
    procedure: Procedure
    variables: dict[Term, Value]
    results: tuple[Term, ...] | None  # of the call that made it; None: it is a thread's first
    block: Block
    position: int = 0


@dataclass(slots=True)
class Thread:
    """``begin`` is what a thread starts with until its first step."""

    begin: tuple[Procedure, dict[Term, Value]] | None
    frames: list[Frame] = field(default_factory=list)
    atomic: int = 0

    @property
    def has_ended(self) -> bool:
        return self.begin is None and not self.frames


class Machine:
    def __init__(self, program: Program, entry: str, choices: Choices) -> None:
        self.program = program
        self.choices = choices
        self.threads: list[Thread] = []
        self.shared: dict[Term, Value] = {}
        for variable in (*program.constants, *program.globals):
            self.shared[variable] = choices.initial(0, variable)
        self.globals = frozenset(program.globals)
        for axiom in program.axioms:
            self._assume(axiom, {})
        main = program.procedures[entry]
        parameters = {v: choices.initial(0, v) for v in main.parameters}
        before = {old: self.shared[variable] for variable, old in program.old.items()}
        for clause in main.requires:
            self._assume(clause.condition, {**before, **parameters})
        self.threads.append(Thread((main, parameters)))

    def copy(self, number: int, choices: Choices) -> Machine:
        """The same state, for a step of one thread."""
        made = object.__new__(Machine)
        made.program, made.choices, made.globals = self.program, choices, self.globals
        made.shared = dict(self.shared)
        made.threads = list(self.threads)
        own = self.threads[number]
        frames = [Frame(f.procedure, dict(f.variables), f.results, f.block, f.position) for f in own.frames]
        made.threads[number] = Thread(own.begin, frames, own.atomic)
        return made

    def step(self, number: int) -> None:
        """Raises `Violated`, `Finished` or `Blocked`."""
        if not 0 <= number < len(self.threads) or self.threads[number].has_ended:
            raise Refusal(f"thread {number} runs, but has not been started or has ended")
        thread = self.threads[number]
        if thread.begin is not None:
            procedure, parameters = thread.begin
            thread.begin = None
            self._enter(number, procedure, parameters, None)
        else:
            frame = thread.frames[-1]
            if frame.position == len(frame.block.statements):
                self._leave(number)
            else:
                self._execute(number, frame, frame.block.statements[frame.position])
        self._settle(number)

    # --- control ----------------------------------------------------------------------------------------------------

    def _enter(
        self, number: int, procedure: Procedure, variables: dict[Term, Value], results: tuple[Term, ...] | None
    ) -> None:
        before = {old: self.shared[variable] for variable, old in self.program.old.items()}
        own = {v: self.choices.initial(number, v) for v in (*procedure.returns, *procedure.locals)}
        frames = self.threads[number].frames
        if len(frames) > 100_000:
            raise Refusal("calls are nested more than 100,000 deep")
        frames.append(Frame(procedure, {**before, **variables, **own}, results, procedure.first))

    def _settle(self, number: int) -> None:
        frames = self.threads[number].frames
        while frames:
            frame = frames[-1]
            if frame.position < len(frame.block.statements):
                return
            if frame.block.successors:
                label = self.choices.successor(number, frame.block)
                if label not in frame.block.successors:
                    raise Refusal(f"the block {frame.block.label!r} does not lead to {label!r}")
                frame.block, frame.position = frame.procedure.blocks[label], 0
            elif self._returns_in_a_step(number, frame):
                return
            else:
                self._leave(number)
        if number == 0:
            raise Finished

    def _returns_in_a_step(self, number: int, frame: Frame) -> bool:
        if frame.results is None:
            return number == 0
        return not self.globals.isdisjoint(frame.results)

    def _leave(self, number: int) -> None:
        frame = self.threads[number].frames[-1]
        for clause in frame.procedure.ensures:
            if not clause.free:
                self._check(clause.condition, frame.variables)
        if frame.results is None:
            self.threads[number].frames.pop()
            if number == 0:
                raise Violated if self.program.ends else Finished
            return
        self._return(number, frame.procedure, frame.variables, frame.results, own=True)

    def _return(
        self,
        number: int,
        callee: Procedure,
        variables: dict[Term, Value],
        results: tuple[Term, ...],
        own: bool,
    ) -> None:
        for clause in callee.ensures:
            self._assume(clause.condition, variables)
        frames = self.threads[number].frames
        if own:
            frames.pop()
        self._write(frames[-1], results, [variables[v] for v in callee.returns])

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(self, number: int, frame: Frame, statement: Statement) -> None:
        view = frame.variables
        match statement.kind:
            case "assume":
                self._assume(statement.terms[0], view)
            case "assert":
                self._check(statement.terms[0], view)
            case "assign":
                self._write(frame, statement.targets, [self._value(term, view) for term in statement.terms])
            case "havoc":
                self._write(frame, statement.targets, [self.choices.value(number, v) for v in statement.targets])
            case "call":
                self._call(number, frame, statement)
                return
            case "spawn":
                callee = self.program.procedures[statement.procedure]
                values = [self._value(term, view) for term in statement.terms]
                self.threads.append(Thread((callee, dict(zip(callee.parameters, values, strict=True)))))
                new = len(self.threads) - 1
                self._write(frame, statement.targets, [_number(new, v) for v in statement.targets])
            case "join":
                self._join(statement.terms[0], view)
            case "self":
                self._write(frame, statement.targets, [_number(number, v) for v in statement.targets])
            case "begin":
                self.threads[number].atomic += 1
            case "end":
                self.threads[number].atomic -= 1
                if self.threads[number].atomic < 0:
                    raise Refusal("an atomic block ends that never began")
        frame.position += 1

    def _join(self, term: Term, view: dict[Term, Value]) -> None:
        wanted = self._value(term, view)
        if wanted is UNKNOWN:
            raise Undecided("which thread is waited for depends on a value that is not known")
        if not any(wanted == _number(n, term) and t.has_ended for n, t in enumerate(self.threads)):
            raise Blocked

    def _call(self, number: int, caller: Frame, call: Statement) -> None:
        callee = self.program.procedures[call.procedure]
        values = [self._value(term, caller.variables) for term in call.terms]
        variables = dict(zip(callee.parameters, values, strict=True))
        if callee.requires:
            before = {old: self.shared[variable] for variable, old in self.program.old.items()}
            self._requires(callee.requires, {**before, **variables})
        caller.position += 1
        if callee.blocks:
            self._enter(number, callee, variables, call.targets)
            return
        variables.update((old, self.shared[variable]) for variable, old in self.program.old.items())
        for variable in callee.modifies:
            self.shared[variable] = self.choices.value(number, variable)
        variables.update((v, self.choices.value(number, v)) for v in callee.returns)
        self._return(number, callee, variables, call.targets, own=False)

    def _requires(self, clauses: Sequence[Contract], view: dict[Term, Value]) -> None:
        for clause in clauses:
            if clause.free:
                self._assume(clause.condition, view)
            else:
                self._check(clause.condition, view)

    # --- conditions and values --------------------------------------------------------------------------------------

    def _value(self, term: Term, view: dict[Term, Value]) -> Value:
        return evaluate(term, self._lookup(view), self.choices.apply)

    def _lookup(self, view: dict[Term, Value]) -> Callable[[Term], Value]:
        shared = self.shared
        return lambda variable: view[variable] if variable in view else shared.get(variable, UNKNOWN)

    def _holds(self, condition: Term, view: dict[Term, Value]) -> bool:
        found = self._value(condition, view)
        if found is UNKNOWN:
            raise Undecided("a condition depends on a value that is not known, or on a quantifier")
        return bool(found)

    def _assume(self, condition: Term, view: dict[Term, Value]) -> None:
        if not self._holds(condition, view):
            raise Blocked

    def _check(self, condition: Term, view: dict[Term, Value]) -> None:
        """Where a violation is that the end is reached, an assertion that fails only ends the execution."""
        if not self._holds(condition, view):
            raise Blocked if self.program.ends else Violated

    def _write(self, frame: Frame, targets: Sequence[Term], values: Sequence[Value]) -> None:
        for target, value in zip(targets, values, strict=True):
            (frame.variables if target in frame.variables else self.shared)[target] = value


def _number(number: int, like: Term) -> int:
    return number % (1 << like.sort[1]) if like.sort[0] == "BitVec" else number
