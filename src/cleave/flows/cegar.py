"""The cegar engine: read or make linear clauses, explore their abstraction, and check the invariant or the path.

The evidence is that of Horn clauses, and so are its checks: the covered tree is an invariant for each predicate, a
violation a derivation; a program's violation is also replayed as an execution of the program.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.cegar.alone import search_alone
from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.interruption import InterruptedSearchError
from cleave.engines.cegar.search import CegarSearch, Found, Proof, Undecided, Violation, by_location
from cleave.engines.cegar.task import CegarProblem, read_problem
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.engine import GaveUp
from cleave.errors import UsageError
from cleave.flows.evidence import checking, confirm_derivation, write_invariant
from cleave.flows.run import Run
from cleave.logic.terms import Term
from cleave.validate.clauses.evidence import Rejected
from cleave.validate.clauses.invariant import check_interpretation
from cleave.verdict import Reason, Safe, Unknown, Verdict
from cleave.watch import Watch


@dataclass(frozen=True, slots=True)
class CegarFlow:
    """``invariant`` is a file for the invariant that proves `safe`; ``loops``: whether the verdict is to tell it."""

    search: CegarSearch
    invariant: Path | None = None
    loops: bool = False

    def here(self, run: Run) -> Verdict:
        problem = self._read(run)
        coordinator, worker = (
            self.search.coordinator(),
            CegarWorker(problem.system, self.search.task.options, is_alone=True),
        )
        run.watch.guard(worker.interrupt)
        try:
            outcome = search_alone(coordinator, worker, run.note)
            found = self.search.solved(outcome, coordinator.counters())
        except InterruptedSearchError:
            found = self._stopped(coordinator, run.watch.reason or Reason.INTERRUPTED)
        finally:
            run.watch.unguard(worker.interrupt)
        return self._confirm(run, problem, found)

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        problem = self._read(run)
        halt = threading.Event()
        run.watch.guard(halt.set)
        found: Found | GaveUp = distributed.solve(halt, run.note)
        run.watch.unguard(halt.set)
        if isinstance(found, GaveUp):
            found = self._stopped(distributed.coordinator, found.reason)
        return self._confirm(run, problem, found)

    def with_invariants(self, run: Run) -> CegarFlow:
        raise UsageError("the cegar engine uses no invariants of others")

    def _read(self, run: Run) -> CegarProblem:
        problem = read_problem(self.search.task)
        run.is_horn = problem.program is None
        if problem.program is not None:
            run.assume(problem.program, self.search.task.integers)
        transitions, locations = len(problem.system.transitions), len(problem.system.locations)
        run.note({"read_seconds": round(run.watch.seconds(), 3), "transitions": transitions, "locations": locations})
        run.watch.check()
        return problem

    def _stopped(self, coordinator: Any, reason: Reason) -> Undecided:
        assert isinstance(coordinator, CegarCoordinator)
        return Undecided(reason, self.search.how_far(coordinator.counters()), by_location(coordinator.learned()))

    def _confirm(self, run: Run, problem: CegarProblem, found: Found) -> Verdict:
        started = run.watch.seconds()
        verdict: Verdict
        match found:
            case Violation(path, states):
                derivation = problem.derivation(path, states)
                verdict = confirm_derivation(problem.given, derivation, run.watch, problem.program, problem.horn)
            case Proof(predicates=predicates):
                _note_predicates(run, problem, predicates)
                verdict = self._confirm_proof(problem, found, run.watch)
            case Undecided(reason, detail, predicates):
                _note_predicates(run, problem, predicates)
                verdict = Unknown(run.watch.reason or reason, detail)
        run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
        return verdict

    def _confirm_proof(self, problem: CegarProblem, proof: Proof, watch: Watch) -> Verdict:
        invariants = [proof.invariant(number) for number in range(len(problem.system.locations))]
        interpretation = problem.interpretation(invariants)
        unfold, to_write = problem.unfolded(interpretation), self.invariant is not None
        with checking(watch, self.search.workers) as solvers:
            judged = check_interpretation(
                problem.given, interpretation, unfold=unfold, spell_out=to_write, solvers=solvers
            )
        if isinstance(judged, Rejected):
            watch.check()
            return Unknown(Reason.UNCONFIRMED, f"the invariant that was found is not confirmed: {judged.reason}")
        if self.invariant is not None:
            write_invariant(self.invariant, problem.given, judged.interpretation or interpretation)
        if problem.program is None or not self.loops:
            return Safe(judged.text)
        from cleave.flows.loop_invariants import loop_invariants  # large, and for programs only

        lifted = judged.interpretation or interpretation
        return Safe(judged.text, loop_invariants(problem.program, problem.horn, lifted, unfold))


def _note_predicates(run: Run, problem: CegarProblem, predicates: Mapping[int, tuple[Term, ...]]) -> None:
    """What was found, for people: the proof's building blocks, or as far as it got."""
    names = [location.name for location in problem.system.locations]
    run.predicates = {names[number]: tuple(map(str, own)) for number, own in sorted(predicates.items())}
