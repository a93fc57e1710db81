"""The threads engine: read, unfold, search all schedules within the bounds, and replay what was found or confirm that
nothing was."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.engine import GaveUp
from cleave.engines.threads.alone import search_alone
from cleave.engines.threads.distributed import ThreadsSearch, gap
from cleave.engines.threads.encode import encode
from cleave.engines.threads.findings import NoViolation, Undecided, Violation
from cleave.engines.threads.instances import Unfolded
from cleave.engines.threads.messages import Task
from cleave.engines.threads.partition import Space
from cleave.engines.threads.solving import has_numbers
from cleave.engines.threads.task import read_task, unfold_task
from cleave.errors import UsageError
from cleave.flows.run import Run
from cleave.ir.program import Program
from cleave.logic.terms import Term, conj_all
from cleave.smt.cvc5 import Cvc5
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3 import DEFAULT, Z3Solver
from cleave.validate.bounded import Contradicted, Tried, refuted_again, try_interleavings
from cleave.validate.concurrent import Schedule, replay
from cleave.validate.confirm import Confirmed
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe, Verdict


@dataclass(frozen=True, slots=True)
class _Read:
    program: Program
    entry: str
    unfolded: Unfolded


@dataclass(frozen=True, slots=True)
class ThreadsFlow:
    search: ThreadsSearch

    def here(self, run: Run) -> Verdict:
        read = self._read(run)
        interrupts: list[Callable[[], None]] = [lambda: None]

        def interrupt() -> None:
            interrupts[-1]()

        run.watch.guard(interrupt)
        steps = search_alone(self.search.task, read.unfolded, interrupts.append)
        try:
            while True:
                run.note(next(steps))
        except StopIteration as end:
            found: Violation | NoViolation | Undecided = end.value
        finally:
            run.watch.unguard(interrupt)
        return self._confirm(run, read, found, "")

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        read = self._read(run)
        halt = threading.Event()
        run.watch.guard(halt.set)
        found = distributed.solve(halt, run.note)
        run.watch.unguard(halt.set)
        if isinstance(found, GaveUp):
            return Unknown(run.watch.reason or found.reason, found.detail)
        covered = ""
        if isinstance(found, NoViolation) and not self._is_a_share():
            left_out = gap(self.search.task, read.unfolded.space, distributed.events())
            if left_out is not None:
                return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {left_out}")
            covered = "the closed parts cover all schedules; "
        return self._confirm(run, read, found, covered)

    def with_invariants(self, run: Run) -> ThreadsFlow:
        raise UsageError("the threads engine uses no invariants of others")

    def _read(self, run: Run) -> _Read:
        task = self.search.task
        program, entry = read_task(task)
        run.assumptions += program.assumptions
        run.note({"read_seconds": round(run.watch.seconds(), 3)})
        run.watch.check()
        unfolded = unfold_task(task, program, entry, run.watch.check)
        _check_partitions(task, unfolded.space)
        positions = sum(thread.positions for thread in unfolded.threads)
        run.note({"threads": len(unfolded.threads), "positions": positions, "shared": len(unfolded.shared.cells)})
        run.watch.check()
        return _Read(program, entry, unfolded)

    def _is_a_share(self) -> bool:
        """Whether other parts of the schedules are searched elsewhere."""
        how = self.search.task.distribution
        return how.first > 0 or (how.last is not None and how.last + 1 < how.partitions)

    # --- confirmation -------------------------------------------------------------------------------------------------

    def _confirm(self, run: Run, read: _Read, found: Violation | NoViolation | Undecided, covered: str) -> Verdict:
        started = run.watch.seconds()
        verdict: Verdict
        match found:
            case Violation(schedule):
                verdict = _confirm_violation(read, schedule)
            case NoViolation(bounds):
                verdict = self._confirm_nothing(run, read, dict(bounds), covered)
            case Undecided(reason, detail):
                verdict = Unknown(run.watch.reason or reason, detail)
        run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
        return verdict

    def _confirm_nothing(self, run: Run, read: _Read, bounds: dict[str, int], covered: str) -> Verdict:
        options, how = self.search.task.options, self.search.task.distribution
        if self._is_a_share():
            last = how.partitions - 1 if how.last is None else how.last
            run.assumptions.append(f"only parts {how.first} to {last} of {how.partitions} were searched")
            return BoundedSafe({**bounds, "contexts": options.contexts[-1]}, "the other parts are searched elsewhere")
        contexts = None if options.rounds else options.contexts[-1]
        if options.confirm_states and not options.rounds:
            tried = try_interleavings(read.program, read.entry, contexts, options.confirm_states)
            if isinstance(tried, Tried) and tried.complete:
                return Safe(f"{covered}all interleavings tried: {tried.states} states")
            if isinstance(tried, Tried):
                return _safe(
                    bounds, f"{covered}all interleavings within {contexts} contexts tried: {tried.states} states"
                )
            if isinstance(tried, Contradicted):
                if not read.unfolded.is_cut:
                    why = f"there is a violation within {tried.contexts} contexts that was not found"
                    return Unknown(Reason.UNCONFIRMED, why)
                run.assumptions.append(
                    f"there is a violation within {tried.contexts} contexts beyond --unwind {options.unwind}: raise it"
                )
        return self._second_solver(run, read, bounds, covered)

    def _second_solver(self, run: Run, read: _Read, bounds: dict[str, int], covered: str) -> Verdict:
        """Another solver than the one that searched, for at least as long: what it can't confirm is unknown."""
        options = self.search.task.options
        formula = encode(read.unfolded, options.contexts[-1], rounds=options.rounds)
        constraints = (*formula.constraints, formula.violation)
        numbers = has_numbers(constraints)  # then Z3 was the first
        seconds = max(options.confirm_seconds, run.watch.seconds())
        answer = _by_cvc5(constraints, seconds, run) if numbers else _by_z3(constraints, seconds, run)
        first, second = ("Z3", "cvc5") if numbers else ("Bitwuzla", "Z3")
        if answer is Answer.UNSAT:
            return _safe(bounds, f"{covered}the formula was refuted by two solvers, {first} and {second}")
        if answer is Answer.SAT:
            return Unknown(Reason.UNCONFIRMED, f"{second} finds a violation in the formula that {first} refuted")
        within = ", ".join(f"{name} {bound}" for name, bound in bounds.items())
        detail = f"{first} finds no violation{f' within {within}' if within else ''}, which {second} did not confirm"
        return Unknown(run.watch.reason or Reason.UNCONFIRMED, detail)


def _by_z3(constraints: tuple[Term, ...], seconds: float, run: Run) -> Answer:
    solver: Solver = Z3Solver(profile=DEFAULT)
    if run.watch.reason is not None:
        return Answer.UNKNOWN
    run.watch.guard(solver.interrupt)
    try:
        return refuted_again(solver, constraints, seconds)
    finally:
        run.watch.unguard(solver.interrupt)


def _by_cvc5(constraints: tuple[Term, ...], seconds: float, run: Run) -> Answer:
    if run.watch.reason is not None:
        return Answer.UNKNOWN
    with Cvc5() as solver:
        run.watch.guard(solver.interrupt)
        try:
            return solver.decide(conj_all(constraints), seconds=seconds).answer
        finally:
            run.watch.unguard(solver.interrupt)


def _safe(bounds: dict[str, int], validation: str) -> Verdict:
    return BoundedSafe(bounds, validation) if bounds else Safe(validation)


def _confirm_violation(read: _Read, schedule: Schedule) -> Verdict:
    judged = replay(read.program, read.entry, schedule)
    if isinstance(judged, Confirmed):
        return Unsafe(judged.trace, "replayed under its schedule")
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.reason}")


def _check_partitions(task: Task, space: Space) -> None:
    how, options = task.distribution, task.options
    if not how.partitions:
        if how.first or how.last is not None:
            raise UsageError("--from and --to choose among --partitions")
        return
    if how.partitions & (how.partitions - 1):
        raise UsageError(f"the number of partitions is a power of two, which {how.partitions} is not")
    bits = 0 if options.rounds else len(space.decisions(options.contexts[-1]))
    if how.partitions > 1 << bits:
        raise UsageError(
            f"{space.threads} threads in {options.contexts[-1]} contexts make at most {1 << bits} partitions"
        )
    last = how.partitions - 1 if how.last is None else how.last
    if not 0 <= how.first <= last < how.partitions:
        raise UsageError(f"the partitions are numbered 0 to {how.partitions - 1}")
