"""The pdr engine: read or make Horn clauses, solve them, and check the invariant or the derivation.

An invariant is checked on the clauses as they were given, whatever they were simplified to or partitioned into. A
derivation is checked on them, too; that of a program is also replayed as an execution of the program.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleave.distribute import Distributed
from cleave.engines.engine import GaveUp
from cleave.engines.pdr.distributed import Found, Invariants, PdrSearch, Refuted
from cleave.engines.pdr.sequential import solve_alone
from cleave.engines.pdr.task import HornProblem, read_problem
from cleave.errors import CleaveError, UsageError
from cleave.flows.run import Run
from cleave.flows.violation import EXTRA_SECONDS, confirm_violation
from cleave.ir.horn import Interpretation
from cleave.ir.horn_text import print_interpretation
from cleave.logic.walk import has_quantifier
from cleave.validate.combine import check_partitions, combine
from cleave.validate.derivation import check_derivation
from cleave.validate.derivation_trace import derivation_trace
from cleave.validate.evidence import Confirmed, Rejected
from cleave.validate.in_turn import InTurn
from cleave.validate.invariant import check_interpretation
from cleave.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from cleave.watch import Watch

_CHECK_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class PdrFlow:
    """``invariant`` is a file for the invariant that proves `safe`."""

    search: PdrSearch
    invariant: Path | None = None

    def here(self, run: Run) -> Verdict:
        problem = self._read(run)
        return self._confirm(run, problem, solve_alone(problem, self.search.task.options, run.watch, run.note))

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        problem = self._read(run)
        halt = threading.Event()
        run.watch.guard(halt.set)
        found: Found = distributed.solve(halt, run.note)
        run.watch.unguard(halt.set)
        return self._confirm(run, problem, found)

    def with_invariants(self, run: Run) -> PdrFlow:
        raise UsageError("the pdr engine uses no invariants of others")

    def _read(self, run: Run) -> HornProblem:
        problem = read_problem(self.search.task)
        run.is_horn = problem.program is None
        run.assumptions += problem.program.assumptions if problem.program is not None else ()
        clauses, prepared = len(problem.given.clauses), len(problem.prepared.clauses)
        run.note({"read_seconds": round(run.watch.seconds(), 3), "clauses": clauses, "prepared_clauses": prepared})
        run.watch.check()
        return problem

    def _confirm(self, run: Run, problem: HornProblem, found: Found) -> Verdict:
        started = run.watch.seconds()
        verdict: Verdict
        match found:
            case Refuted():
                verdict = _confirm_derivation(problem, found, run.watch)
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
        return Safe(judged.text)


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

    with _solvers(watch) as solvers:
        if whole is not None:
            return check(whole, solvers)
        parts = {partition: one for partition, one in found.interpretations.items() if partition is not None}
        with solvers.share(0.5):
            judged = check(combine(problem.prepared, parts), solvers)
        if isinstance(judged, Confirmed):
            return judged
        return check_partitions(problem.prepared, parts, solvers=solvers)


def _confirm_derivation(problem: HornProblem, found: Refuted, watch: Watch) -> Verdict:
    judged = _check_derivation(problem, found, watch)
    if isinstance(judged, Rejected):
        watch.check()
        return Unknown(Reason.UNCONFIRMED, f"the derivation that was found is not confirmed: {judged.reason}")
    if problem.program is None or problem.horn is None:
        if judged.chosen:
            return Unknown(Reason.UNCONFIRMED, f"there is a derivation, but only for one meaning of {judged.chosen}")
        return Unsafe(derivation_trace(problem.given, found.derivation), judged.text)
    return confirm_violation(problem.program, problem.horn.path(found.derivation), watch)


def _check_derivation(problem: HornProblem, found: Refuted, watch: Watch) -> Confirmed | Rejected:
    with _solvers(watch) as solvers:
        return check_derivation(problem.given, found.derivation, solvers=solvers)


@contextmanager
def _solvers(watch: Watch) -> Iterator[InTurn]:
    """Those that check; if a limit was hit after something was found, with a little time for it."""
    late = watch.reason is not None
    with InTurn(seconds=EXTRA_SECONDS if late else _CHECK_SECONDS) as solvers:
        watch.guard(solvers.interrupt, unless=late)
        try:
            yield solvers
        finally:
            watch.unguard(solvers.interrupt)


def _write(file: Path, problem: HornProblem, judged: Confirmed) -> None:
    if judged.interpretation is None:
        raise CleaveError("the partitions' invariants prove it, but there is no confirmed one of the whole to write")
    try:
        file.write_text(print_interpretation(problem.given, judged.interpretation))
    except OSError as error:
        raise UsageError(f"can't write the invariant to {file}: {error.strerror}") from None
