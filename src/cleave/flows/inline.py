"""The inline engine: read, prepare, search, and check the proof or replay the violation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.engine import Finding, GaveUp, Proved, Violated
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.messages import Task
from cleave.engines.inline.options import BEYOND_CHECK_SECONDS, InlineOptions
from cleave.engines.inline.search import Covered, InlineSearch, gap
from cleave.engines.inline.solvers import profile_for, solver_for
from cleave.engines.inline.task import prepare_task, read_task
from cleave.flows.probing import probed
from cleave.flows.run import Run
from cleave.flows.violation import confirm_violation
from cleave.frontends.read import is_c
from cleave.ir.integers import Integers
from cleave.ir.program import Program, Property
from cleave.passes.background import without_background
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import Prepared
from cleave.smt.z3.solver import BOOGIE, PLAIN, Profile, Z3Solver
from cleave.validate.proofs.unfolded import Rejected, check_unfolded
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict
from cleave.watch import EXTRA_SECONDS, StoppedError, Watch

_LATER_PROBE_STEPS = 300_000
# Options, and seconds (0: no limit) before the next ones are tried: which are quicker differs, by up to ten times.
_PROOF_TURNS = ((BOOGIE, 15.0), (PLAIN, 15.0))
_LATER_TURNS = ((BOOGIE, 40.0), (PLAIN, 40.0), (BOOGIE, 0.0))
_BITS_TURNS = ((BOOGIE, 5.0), (PLAIN, 0.0))  # for programs with bit vectors


@dataclass(frozen=True, slots=True)
class InlineFlow:
    search: InlineSearch

    def here(self, run: Run) -> Verdict:
        task = self.search.task
        program = _read(run, task)

        def search() -> Verdict:
            prepared = _prepare(run, task, program)
            return self._with_facts(_confirm(run, program, prepared, _solve(prepared, task.options, run)))

        return self._between_executions(run, program, search)

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        program = _read(run, self.search.task)
        return self._between_executions(run, program, lambda: self._searched(run, program, distributed))

    def _searched(self, run: Run, program: Program, distributed: Distributed[Any]) -> Verdict:
        prepared = _prepare(run, self.search.task, program)
        halt = threading.Event()
        run.watch.guard(halt.set)
        found = distributed.solve(halt, run.note)
        run.watch.unguard(halt.set)
        if not isinstance(found, Covered):
            return self._with_facts(_confirm(run, program, prepared, found))
        left_out = gap(distributed.events())
        if left_out is not None:
            return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {left_out}")
        validation = "proof checked by another encoding"
        if found.partitions != 1:
            validation = f"{found.partitions} proofs checked by another encoding, and that they cover the whole search"
        return self._with_facts(BoundedSafe(found.bounds, validation) if found.bounds else Safe(validation))

    def with_invariants(self, run: Run) -> InlineFlow:
        """With what pdr finds out about the program first."""
        from cleave.flows.invariants import with_invariants  # and with it all of pdr

        return InlineFlow(InlineSearch(with_invariants(self.search.task, run)))

    def _between_executions(self, run: Run, program: Program, search: Callable[[], Verdict]) -> Verdict:
        """The result of ``search``, unless running the program shows a violation: after it, for what is beyond the
        bounds; in C, which is written to be run, a little before, too. Who chooses bounds wants those searched."""
        task = self.search.task
        entries = choose_entries(program, task.entry)
        if len(entries) > 1 or task.options.bounds is not None or task.integers is not Integers.BITS:
            return search()
        entry, seed = entries[0], task.options.seed
        violated = probed(run, program, entry, seed=seed) if is_c(task.file) else None
        if violated is not None:
            return violated
        verdict = search()
        if not isinstance(verdict, BoundedSafe):
            return verdict
        with suppress(StoppedError):  # by a limit that leaves what was proved
            return probed(run, program, entry, steps=_LATER_PROBE_STEPS, seed=seed + 1) or verdict
        return verdict

    def _with_facts(self, verdict: Verdict) -> Verdict:
        """A proof stands on what was known, too. A violation does not: it was replayed on the program as it is."""
        known = self.search.task.known
        if known is None or not isinstance(verdict, Safe | BoundedSafe):
            return verdict
        return replace(verdict, validation=f"{verdict.validation}; it uses {known.text}")


def _read(run: Run, task: Task) -> Program:
    started = run.watch.seconds()
    program = read_task(task)
    run.assume(program, task.integers)
    if task.property is None and program.property is Property.END_REACHABLE:
        run.assumptions.append(
            "a violation is that the entry returns: the program asks so (docs/boogie.md, --property)"
        )
    run.note({"read_seconds": round(run.watch.seconds() - started, 3)})
    run.watch.check()
    return program


def _prepare(run: Run, task: Task, program: Program) -> Prepared:
    prepared = prepare_task(task, program)
    run.watch.check()
    return prepared


def _solve(prepared: Prepared, options: InlineOptions, run: Run) -> Finding:
    solver = solver_for(prepared.program, options.seed)
    steps = InlineEngine(prepared, options, solver).run()
    run.watch.guard(solver.interrupt)
    try:
        while True:
            run.note(next(steps))  # a limit interrupts the solver, and the engine ends with what it has
    except StopIteration as end:
        finding: Finding = end.value
        return finding
    finally:
        run.watch.unguard(solver.interrupt)


def _confirm(run: Run, program: Program, prepared: Prepared, finding: Finding) -> Verdict:
    started = run.watch.seconds()
    verdict: Verdict
    match finding:
        case Violated(path):
            verdict = confirm_violation(program, prepared.lift(path), run.watch)
        case Proved():
            verdict = _confirm_proof(prepared, finding, run.watch)
        case GaveUp(reason, detail):
            verdict = Unknown(run.watch.reason or reason, detail)
    run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
    return verdict


def _proof_turns(program: Program) -> Iterator[tuple[Program, Profile, float]]:
    """What to check a proof against, in turn. If it shows that the program has no violation whatever the values of its
    background variables are, as most proofs do, that is easier to check than the rest."""
    if profile_for(program) is PLAIN:
        yield from ((program, profile, seconds) for profile, seconds in _BITS_TURNS)
        return
    without = without_background(program)
    if without is not program:
        yield from ((without, profile, seconds) for profile, seconds in _PROOF_TURNS)
    yield from ((program, profile, seconds) for profile, seconds in (*_PROOF_TURNS, *_LATER_TURNS))


def _confirm_proof(prepared: Prepared, proved: Proved, watch: Watch) -> Verdict:
    """A proof for larger bounds than were asked for is checked for a limited time, then what it proves within those."""
    rejected = _rejected(prepared, proved, watch, BEYOND_CHECK_SECONDS if proved.within else inf)
    if rejected is not None and proved.within is not None:
        proved = proved.within
        rejected = _rejected(prepared, proved, watch)
    if rejected is None:
        validation = "proof checked by another encoding"
        return BoundedSafe(proved.bounds, validation) if proved.bounds else Safe(validation)
    watch.check()
    return Unknown(Reason.UNCONFIRMED, f"the proof that was found is not confirmed: {rejected.reason}")


def _rejected(prepared: Prepared, proved: Proved, watch: Watch, most_seconds: float = inf) -> Rejected | None:
    """None: the proof is confirmed."""
    rejected: Rejected | None = None
    refuted: Program | None = None
    end = watch.seconds() + most_seconds
    for program, profile, seconds in _proof_turns(prepared.program):
        if program is refuted:
            continue
        if rejected is not None and watch.seconds() >= end:
            break
        solver = Z3Solver(profile=profile)
        late = watch.reason is not None  # a limit was hit after the proof was found
        watch.guard(solver.interrupt, unless=late)
        limit = EXTRA_SECONDS if late else min(seconds or inf, end - watch.seconds())
        rejected = check_unfolded(program, prepared.entry, proved.proof, solver, seconds=limit if limit < inf else 0.0)
        watch.unguard(solver.interrupt)
        if rejected is None or late:
            break
        # A candidate for a model of what leaves the background out is most likely one: the background is needed.
        seems_refuted = program is not prepared.program and not rejected.stopped
        refuted = program if seems_refuted or not rejected.undecided else None
    return rejected
