"""Executions as a plan sees them: the program is run, with inputs chosen at random, and a schedule where it has
threads. A violation is replayed; that there was none says nothing, unless the program has one execution only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NoReturn

from cleave.engines.confirming import confirm_schedule
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team
from cleave.engines.executions.confirm import settled_natively
from cleave.engines.executions.options import ExecutionsOptions
from cleave.engines.executions.trying import Tried, probe
from cleave.errors import InternalError
from cleave.frontends.input import Input, Kind
from cleave.ir.program import Program
from cleave.passes.entries import choose_entries
from cleave.records import dataclass
from cleave.validate.native.execution import only_execution
from cleave.verdict import Reason, Safe, Unknown, Unsafe, Verdict

_MORE = 4  # times as many steps
_SECONDS = 10  # of processor time, for an execution that the interpreter has just made


@dataclass(frozen=True, slots=True)
class ExecutionsSearch:
    input: Input
    options: ExecutionsOptions
    worker: ClassVar[str] = ""
    begins_alone: ClassVar[bool] = True

    @staticmethod
    def make(input: Input, options: ExecutionsOptions, setting: Setting) -> ExecutionsSearch:
        return ExecutionsSearch(input, options)

    def alone(self, desk: Desk) -> Verdict:
        program = desk.program(self.input)
        entries = choose_entries(program, self.input.entry)
        if len(entries) > 1:
            return Unknown(Reason.BUDGET, "executions have one entry")
        if program.store_buffers is not None:
            return Unknown(Reason.BUDGET, "executions know no store buffers: --engine threads does")
        options = self.options
        check = desk.watch.check
        native = options.native and self.input.kind is Kind.PROGRAM
        tried = self._tried(program, entries[0], check, without_inputs=not native)
        if tried.has_no_inputs:
            desk.note({"probe_steps": tried.steps})
            judged = only_execution(program, entries[0], seconds=_SECONDS, check=check)
            if judged.holds:
                return Safe(judged.text)
            tried = self._tried(program, entries[0], check, without_inputs=True)
        taken, found = tried.steps, tried.schedule
        desk.note({"probe_steps": taken})
        if found is not None:
            verdict = confirm_schedule(program, entries[0], found)
            if isinstance(verdict, Unsafe):
                if self.input.kind is Kind.THREADS:
                    desk.note({"contexts": len(found.contexts)})
                return verdict
        elif tried.is_long and native:
            settled = settled_natively(program, entries[0], options, check)
            if settled is not None:
                return settled
        return Unknown(Reason.BUDGET, f"no violation in {taken} steps of executions")

    def _tried(self, program: Program, entry: str, check: Callable[[], None], *, without_inputs: bool) -> Tried:
        options = self.options
        return probe(
            program,
            entry,
            seed=options.seed,
            steps=options.steps,
            check=check,
            options=options,
            without_inputs=without_inputs,
        )

    def together(self, desk: Desk, team: Team) -> Verdict:
        return self.alone(desk)

    def assignment(self) -> bytes:
        self.coordinator()

    def coordinator(self) -> NoReturn:
        raise InternalError("executions have no workers")


def more(options: ExecutionsOptions, proved: Any) -> ExecutionsOptions:
    """Further executions, for whoever goes on with a run that found nothing."""
    return replace(options, steps=_MORE * options.steps, seed=options.seed + 1)
