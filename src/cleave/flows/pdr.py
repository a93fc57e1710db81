"""The pdr engine: read or make Horn clauses, solve them, and check the invariant or the derivation.

An invariant is checked on the clauses as they were given, whatever they were simplified to or partitioned into. A
derivation is checked on them, too; that of a program is also replayed as an execution of the program.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.engine import Counters, GaveUp
from cleave.engines.pdr.alone import solve_alone, solve_briefly
from cleave.engines.pdr.search import Found, Invariants, PdrSearch, Refuted
from cleave.engines.pdr.task import HornProblem, read_problem
from cleave.errors import CleaveError, UsageError
from cleave.flows.evidence import checking, confirm_derivation, write_invariant
from cleave.flows.run import Run
from cleave.ir.horn import Interpretation
from cleave.logic.walk import has_quantifier
from cleave.validate.clauses.combine import check_partitions, combine
from cleave.validate.clauses.evidence import Confirmed, Rejected
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from cleave.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from cleave.watch import Watch

_SMALL_COST = 100_000  # of what needs no workers, most likely: after that one is started beside the first try


@dataclass(frozen=True, slots=True)
class PdrFlow:
    """``invariant`` is a file for the invariant that proves `safe`; ``loops``: whether the verdict is to tell it."""

    search: PdrSearch
    invariant: Path | None = None
    loops: bool = False

    def here(self, run: Run) -> Verdict:
        problem = self._read(run)
        violated = self._probed(run, problem)
        if violated is not None:
            return violated
        return self._confirm(run, problem, solve_alone(problem, self.search.task.options, run.watch, run.note))

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        problem = self._read(run)
        violated = self._probed(run, problem)
        if violated is not None:
            return violated
        if self.search.begins_alone:
            quickly = self._briefly(run, problem, distributed)
            if quickly is not None:
                return self._confirm(run, problem, quickly)
        halt = threading.Event()
        run.watch.guard(halt.set)
        found: Found = distributed.solve(halt, run.note)
        run.watch.unguard(halt.set)
        return self._confirm(run, problem, found)

    def _briefly(self, run: Run, problem: HornProblem, distributed: Distributed[Any]) -> Found | None:
        def note(news: Counters) -> None:
            run.note(news)
            if news["cost"] >= _SMALL_COST:
                distributed.prepare()

        return solve_briefly(problem, self.search.task.options, self.search.seconds_alone, run.watch, note)

    def _probed(self, run: Run, problem: HornProblem) -> Unsafe | None:
        """A violation that is found by running the program, if it is one."""
        if problem.program is None:
            return None
        from cleave.flows.probing import probed
        from cleave.passes.entries import choose_entries

        entries = choose_entries(problem.program, self.search.task.entry)
        return probed(run, problem.program, entries[0]) if len(entries) == 1 else None

    def with_invariants(self, run: Run) -> PdrFlow:
        raise UsageError("the pdr engine uses no invariants of others")

    def _read(self, run: Run) -> HornProblem:
        problem = read_problem(self.search.task)
        run.is_horn = problem.program is None
        if problem.program is not None:
            run.assume(problem.program, self.search.task.integers)
        clauses, prepared = len(problem.given.clauses), len(problem.prepared.clauses)
        run.note({"read_seconds": round(run.watch.seconds(), 3), "clauses": clauses, "prepared_clauses": prepared})
        run.watch.check()
        return problem

    def _confirm(self, run: Run, problem: HornProblem, found: Found) -> Verdict:
        started = run.watch.seconds()
        verdict: Verdict
        match found:
            case Refuted(derivation):
                verdict = confirm_derivation(problem.given, derivation, run.watch, problem.program, problem.horn)
            case Invariants():
                verdict = self._confirm_invariants(problem, found, run.watch)
            case GaveUp(reason, detail):
                verdict = Unknown(run.watch.reason or reason, detail)
        run.note({"validate_seconds": round(run.watch.seconds() - started, 3)})
        return verdict

    def _confirm_invariants(self, problem: HornProblem, found: Invariants, watch: Watch) -> Verdict:
        judged = _check_invariants(problem, found, watch, to_write=self.invariant is not None)
        if isinstance(judged, Rejected):
            watch.check()
            return Unknown(Reason.UNCONFIRMED, f"the invariant that was found is not confirmed: {judged.reason}")
        if self.invariant is not None:
            _write(self.invariant, problem, judged)
        if problem.program is None or not self.loops:
            return Safe(judged.text)
        from cleave.flows.loop_invariants import loop_invariants  # large, and for programs only

        whole = found.interpretations.get(None)
        lifted = judged.interpretation or (problem.interpretation(whole) if whole is not None else {})
        return Safe(judged.text, loop_invariants(problem.program, problem.horn, lifted, problem.inlined))


def _check_invariants(problem: HornProblem, found: Invariants, watch: Watch, *, to_write: bool) -> Confirmed | Rejected:
    """What is ``to_write`` is checked as it will be written: predicates that were inlined are unfolded only where their
    relations would have quantifiers."""
    whole = found.interpretations.get(None)
    if found.checked and whole is not None and not to_write:
        return Confirmed(found.checked)

    def check(interpretation: Interpretation, solvers: InTurn) -> Confirmed | Rejected:
        lifted = problem.interpretation(interpretation)
        unfold = [name for name in problem.inlined if not to_write or has_quantifier(lifted[name].formula)]
        return check_interpretation(problem.given, lifted, unfold=unfold, spell_out=to_write, solvers=solvers)

    with checking(watch) as solvers:
        if whole is not None:
            return check(whole, solvers)
        parts = {partition: one for partition, one in found.interpretations.items() if partition is not None}
        with solvers.share(0.5):
            judged = check(combine(problem.prepared, parts), solvers)
        if isinstance(judged, Confirmed):
            return judged
        return check_partitions(problem.prepared, parts, solvers=solvers)


def _write(file: Path, problem: HornProblem, judged: Confirmed) -> None:
    if judged.interpretation is None:
        raise CleaveError("the partitions' invariants prove it, but there is no confirmed one of the whole to write")
    write_invariant(file, problem.given, judged.interpretation)
