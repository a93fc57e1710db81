"""The threads engine: read, unfold, search all schedules within the bounds, and replay what was found or confirm that
nothing was."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.engine import GaveUp
from cleave.engines.threads.alone import search_alone
from cleave.engines.threads.coordinator import part_names
from cleave.engines.threads.encode import encode
from cleave.engines.threads.findings import NoViolation, Undecided, Violation
from cleave.engines.threads.instances import Unfolded
from cleave.engines.threads.messages import Task
from cleave.engines.threads.partition import Space
from cleave.engines.threads.search import ThreadsSearch, gap
from cleave.engines.threads.solving import check_solver, chosen
from cleave.engines.threads.task import read_task, unfold_task
from cleave.errors import UsageError
from cleave.flows.probing import confirm_schedule, probed
from cleave.flows.run import Run
from cleave.ir.integers import Integers
from cleave.ir.program import Program
from cleave.logic.terms import Term
from cleave.validate.proofs.bounded import Absence, Means, confirm, refuted_twice
from cleave.validate.proofs.second_solver import BITWUZLA, MINISAT, Z3
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

_NAMES = {"bitwuzla": BITWUZLA, "minisat": MINISAT, "glucose": "Glucose", "cadical": "CaDiCaL", "z3": Z3}

_PATIENCE = 3  # as many times longer than the search its confirmation may take: it is not done by the quickest solver


@dataclass(frozen=True, slots=True)
class _Read:
    program: Program
    entry: str
    unfolded: Unfolded


@dataclass(frozen=True, slots=True)
class ThreadsFlow:
    search: ThreadsSearch

    def here(self, run: Run) -> Verdict:
        program, entry = self._program(run)
        violated = self._probed(run, program, entry)
        if violated is not None:
            return violated
        read = self._unfold(run, program, entry)
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
        program, entry = self._program(run)
        violated = self._probed(run, program, entry)
        if violated is not None:
            return violated
        read = self._unfold(run, program, entry)
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

    def _program(self, run: Run) -> tuple[Program, str]:
        check_solver(self.search.task.options)
        program, entry = read_task(self.search.task)
        run.assume(program, Integers.BITS)
        run.note({"read_seconds": round(run.watch.seconds(), 3)})
        run.watch.check()
        return program, entry

    def _probed(self, run: Run, program: Program, entry: str) -> Verdict | None:
        """A violation that is found by running the program."""
        options = self.search.task.options
        if not options.probe_steps:
            return None
        return probed(run, program, entry, steps=options.probe_steps, seed=options.seed)

    def _unfold(self, run: Run, program: Program, entry: str) -> _Read:
        task = self.search.task
        unfolded = unfold_task(task, program, entry, run.watch.check)
        _check_partitions(task, unfolded.space)
        positions = sum(thread.positions for thread in unfolded.threads)
        run.note({"threads": len(unfolded.threads), "positions": positions, "shared": len(unfolded.shared.cells)})
        run.watch.check()
        return _Read(program, entry, unfolded)

    def _is_a_share(self) -> bool:
        """Whether other parts of the schedules are searched elsewhere."""
        how = self.search.task.options
        return how.first > 0 or (how.last is not None and how.last + 1 < how.partitions)

    # --- confirmation -------------------------------------------------------------------------------------------------

    def _confirm(self, run: Run, read: _Read, found: Violation | NoViolation | Undecided, covered: str) -> Verdict:
        started = run.watch.seconds()
        verdict: Verdict
        match found:
            case Violation(schedule):
                verdict = confirm_schedule(read.program, read.entry, schedule)
            case NoViolation(bounds):
                verdict = _of_all_that_can_happen(read.program, self._confirm_nothing(run, read, dict(bounds), covered))
            case Undecided(reason, detail):
                verdict = Unknown(run.watch.reason or reason, detail)
        run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
        return verdict

    def _confirm_nothing(self, run: Run, read: _Read, bounds: dict[str, int], covered: str) -> Verdict:
        options = self.search.task.options
        absence = Absence(
            program=read.program,
            entry=read.entry,
            shape=[thread.shape for thread in read.unfolded.threads],
            unwind=options.unwound,
            contexts=options.tried[-1],
            rounds=options.rounds,
            took_part=frozenset(bounds),
            solver=_NAMES[chosen(read.unfolded, options)],
        )
        means = Means(
            states=options.confirm_states,
            seconds=max(options.confirm_seconds, _PATIENCE * run.watch.seconds()),
            formulas=lambda: self._formulas(read.unfolded),
            guarded=run.watch.guarding,
            watch=run.watch.check,
        )
        if self._is_a_share():
            last = options.partitions - 1 if options.last is None else options.last
            share = f"parts {options.first} to {last} of {options.partitions}"
            run.assumptions.append(f"only {share} were searched")
            return refuted_twice(absence, means, f"{share}: ")
        found = confirm(absence, means)
        run.assumptions += [found.note] if found.note else []
        return _told(found.verdict, covered, run)

    def _formulas(self, unfolded: Unfolded) -> list[tuple[Term, ...]]:
        """Those of all schedules that were searched; with several workers of two halves, for two processors."""
        options, contexts = self.search.task.options, self.search.task.options.tried[-1]
        names = part_names(options.partitions)[options.first :] if self._is_a_share() else part_names(1)
        if self._is_a_share():
            names = names[: len(names) if options.last is None else options.last + 1 - options.first]
        elif self.search.workers > 1 and not options.rounds and unfolded.space.decisions(contexts):
            names = part_names(2)
        made = (
            encode(unfolded, contexts, unfolded.space.facts(name, contexts), rounds=options.rounds) for name in names
        )
        return [(*formula.constraints, formula.violation) for formula in made]


def _told(verdict: Verdict, covered: str, run: Run) -> Verdict:
    match verdict:
        case Safe(validation) | BoundedSafe(_, validation):
            return replace(verdict, validation=f"{covered}{validation}")
        case Unknown(_, detail):
            return Unknown(run.watch.reason or verdict.reason, detail)
    return verdict


def _of_all_that_can_happen(program: Program, verdict: Verdict) -> Verdict:
    """A proof about less than can happen is none."""
    if program.left_out and isinstance(verdict, Safe | BoundedSafe):
        return Unknown(Reason.UNMODELLED, program.left_out[0])
    return verdict


def _check_partitions(task: Task, space: Space) -> None:
    how = options = task.options
    if not how.partitions:
        if how.first or how.last is not None:
            raise UsageError("--from and --to choose among --partitions")
        return
    if how.partitions & (how.partitions - 1):
        raise UsageError(f"the number of partitions is a power of two, which {how.partitions} is not")
    bits = 0 if options.rounds else len(space.decisions(options.tried[-1]))
    if how.partitions > 1 << bits:
        raise UsageError(f"{space.threads} threads in {options.tried[-1]} contexts make at most {1 << bits} partitions")
    last = how.partitions - 1 if how.last is None else how.last
    if not 0 <= how.first <= last < how.partitions:
        raise UsageError(f"the partitions are numbered 0 to {how.partitions - 1}")
