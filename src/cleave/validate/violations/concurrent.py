"""Replays an execution of several threads under a schedule, on the program as it was read.

    schedule = Schedule((Context(0, 4), Context(1, 2), Context(0, 1)), values, successors)
    replay(program, "main", schedule)         # a Confirmation

That nothing in the schedule is against the rules, of store buffers either, that no thread is interrupted in an atomic
block, and that an assertion fails at the end, is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cleave.errors import CleaveError
from cleave.ir.path import IllegalPathError
from cleave.ir.program import Block, Location, Procedure, Program, Property, first_thread_statement
from cleave.ir.schedule import ALL_STORES, Context, Schedule
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.semantics.buffers import needed_first
from cleave.validate.semantics.events import Blocked, Run, Violated
from cleave.validate.semantics.judge import Ended
from cleave.validate.semantics.machine import Machine, Moved, ThreadChooser
from cleave.validate.violations.delays import Delays
from cleave.validate.violations.evidence import schedule_evidence
from cleave.verdict import Trace, TraceStep


def replay(program: Program, entry: str, schedule: Schedule) -> Confirmation:
    """Whether the schedule leads to a failing assertion."""
    if program.property is not Property.ASSERTIONS:
        return rejected("with several threads, only assertions can be violated")
    if entry not in program.procedures:
        return rejected(f"there is no procedure {entry}")
    if schedule.contexts and schedule.contexts[0].thread != 0:
        return rejected("the first context is not that of the thread which runs the entry")
    try:
        return _Replay(program, entry, schedule).run()
    except IllegalPathError as error:
        return rejected(str(error))
    except CleaveError as error:
        return rejected(f"the values of the schedule can't be used: {error}")


class _Replay:
    def __init__(self, program: Program, entry: str, schedule: Schedule) -> None:
        self._program = program
        self._schedule = schedule
        self._shared = {variable.name for variable in program.globals}
        self._given: dict[int, int] = {}  # values that each thread has had
        self._taken: dict[int, int] = {}  # successors that each thread has had
        self._delays = Delays()
        self._ends: list[int] = []  # how many events there were at the end of each context
        self._machine = Machine(program, entry, ThreadChooser(self._value, self._successor))
        self._machine.views = None if program.store_buffers is None else []

    def run(self) -> Confirmation:
        try:
            for context in self._schedule.contexts:
                stuck = self._context(context)
                if stuck is not None:
                    return stuck
        except Ended as end:
            outcome = self._machine.judge.last_look(end.outcome)
            match outcome:
                case Violated():
                    return self._confirmed(outcome)
                case Blocked(what, location):
                    return rejected(_at(what, location))
            return rejected("the entry returned: the program ended without a violation")
        return rejected("nothing was violated when the last context ended")

    def _context(self, context: Context) -> Confirmation | None:
        number = context.thread
        self._delays.begin_context()
        for commit in context.commits:
            self._commit(*commit)
        for _ in range(context.steps):
            before = len(self._machine.events)
            if self._machine.step(number) is Moved.BLOCKED:
                break
            self._delays.note(number, self._machine, before)
            if self._machine.threads[number].has_ended:
                break
        self._ends.append(len(self._machine.events))
        thread = self._machine.threads[number] if number < len(self._machine.threads) else None
        if thread is not None and thread.atomic:
            return rejected(f"thread {number} is interrupted, or blocked, in an atomic block")
        return None

    def _commit(self, thread: int, step: int) -> None:
        """A store gets to memory, after those that have to be there first, unless it is there."""
        machine, buffers = self._machine, self._program.store_buffers
        if buffers is None or thread >= len(machine.threads) or step > machine.threads[thread].steps:
            raise IllegalPathError(f"step {step} of thread {thread} has made no store that could commit")
        waiting = machine.threads[thread].waiting
        if step == ALL_STORES:
            while able := machine.can_commit(thread):
                machine.commit(thread, able[0])
            return
        wanted = next((number for number, one in enumerate(waiting) if one.step == step and not one.is_fence), None)
        if wanted is None:
            return
        for earlier in needed_first(waiting, wanted, keeps_order=buffers.keeps_order):
            able = machine.can_commit(thread)
            steps = {machine.threads[thread].waiting[number].step: number for number in able}
            if earlier not in steps:
                raise IllegalPathError(f"a store of thread {thread} can't commit before those that it has to wait for")
            machine.commit(thread, steps[earlier])
        self._delays.commit(thread, waiting[wanted], machine.events)

    def _value(self, thread: int, variable: Term) -> Value:
        given = self._given.get(thread, 0)
        values = self._schedule.values.get(thread, ())
        if given == len(values):
            raise IllegalPathError(f"no value is left for {variable.name} in thread {thread}")
        wanted, value = values[given]
        if wanted != variable.name:
            raise IllegalPathError(f"the next value of thread {thread} is for {wanted}, not for {variable.name}")
        self._given[thread] = given + 1
        return value

    def _successor(self, thread: int, procedure: Procedure, block: Block) -> str:
        if len(block.successors) == 1:
            return block.successors[0]
        taken = self._taken.get(thread, 0)
        successors = self._schedule.successors.get(thread, ())
        if taken == len(successors):
            raise IllegalPathError(f"no successor is left for block {block.label} of {procedure.name}")
        self._taken[thread] = taken + 1
        return successors[taken]

    def _confirmed(self, violated: Violated) -> Confirmation:
        self._ends.append(len(self._machine.events))
        events = tuple(event for _, event in self._machine.events)
        run = Run(violated, (), events, ())
        threads = [thread for thread, _ in self._machine.events]
        from cleave.explain.trace import trace_of  # large, and only for violations

        trace = self._with_contexts(trace_of(self._program, run, self._inputs(), threads, self._machine.views or ()))
        evidence = schedule_evidence(self._machine.events[0][1].procedure, self._schedule)
        return Confirmation(True, "replayed", notes=self._machine.judge.notes, trace=trace, evidence=evidence)

    def _inputs(self) -> list[tuple[Term, Value]]:
        main = self._program.procedures[self._machine.events[0][1].procedure]
        variables = (*self._program.constants, *self._program.globals, *main.parameters)
        values = self._schedule.values.get(0, ())
        return [(variable, value) for variable, (_, value) in zip(variables, values, strict=False)]

    def _with_contexts(self, trace: Trace) -> Trace:
        if first_thread_statement(self._program) is None:
            return trace
        steps: list[TraceStep] = []
        start = 0
        for number, (context, end) in enumerate(zip(self._schedule.contexts, self._ends, strict=False), 1):
            steps += self._delays.told[number - 1]
            if start < end:
                own = [self._own(step, number, context.thread) for step in trace.steps[start:end]]
                steps += [_header(number, context.thread, own), *own]
            start = end
        return replace(trace, steps=tuple(steps), reasons=(*trace.reasons, *self._delays.reasons(self._machine)))

    def _own(self, step: TraceStep, context: int, thread: int) -> TraceStep:
        """Once several threads run, what is written to shared variables is worth showing, even if it is overwritten:
        that may be the very mistake."""
        shared = context > 1 and any(name in self._shared for name in step.values)
        return replace(step, thread=thread, relevant=step.relevant or shared)


def _header(number: int, thread: int, steps: Sequence[TraceStep]) -> TraceStep:
    """What tells a reader that another thread runs now."""
    lines = [step.location for step in steps if step.location is not None and step.kind != "block"]
    first, last = (lines[0].line, lines[-1].line) if lines else (0, 0)
    where = f", line {first} to {last}" if lines and lines[0].file == lines[-1].file else ""
    text = f"context {number}: thread {thread}{where}"
    return TraceStep("context", steps[0].procedure, 0, lines[0] if lines else None, text, {}, True, thread)


def _at(what: str, location: Location | None) -> str:
    return what if location is None else f"{what}, at {location}"
