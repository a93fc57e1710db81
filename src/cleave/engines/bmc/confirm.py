"""Checks that there is no violation, by the checker's own unfolding and encoding (`validate.proofs.schedules`).

main.0 takes part        no execution within its bound violates anything, nor goes beyond the bound of another loop
no bound takes part      no execution violates anything or goes beyond any bound: `safe`
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.engines.bmc.alone import Absence
from cleave.engines.bmc.levels import told
from cleave.engines.bmc.task import Problem
from cleave.engines.options import MOST
from cleave.engines.unfolding.solving import TITLES
from cleave.ir.loops import LoopBounds
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.second_solver import Guarded
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

UNWIND = "unwind"


def confirmed(
    problem: Problem, absence: Absence, seconds: float, guarded: Guarded, watch: Callable[[], None]
) -> Verdict:
    """``seconds`` are of processor time; ``watch`` is called often, and may raise."""
    thorough = _check(problem, absence, absence.cut, seconds, guarded, watch)
    if thorough.holds:
        return _within(absence, absence.cut, thorough.text)
    everything = frozenset(cut.bound for thread in absence.unfolded.threads for cut in thread.cuts)
    if thorough.is_wrong or everything == absence.cut:
        return Unknown(Reason.UNCONFIRMED, f"the proof was checked again: {thorough.text}")
    plain = _check(problem, absence, everything, seconds, guarded, watch)
    if plain.holds:
        return _within(absence, everything, plain.text)
    return Unknown(Reason.UNCONFIRMED, f"the proof was checked again: {plain.text}")


def _within(absence: Absence, cut: frozenset[str], validation: str) -> Verdict:
    if not cut:
        return Safe(validation)
    bounds = told(absence.bounds, cut)
    return BoundedSafe({UNWIND: bounds.most, **bounds.own}, validation)


def _check(
    problem: Problem,
    absence: Absence,
    cut: frozenset[str],
    seconds: float,
    guarded: Guarded,
    watch: Callable[[], None],
) -> Confirmation:
    """Whether no execution violates anything, or goes beyond a bound that is not in ``cut``."""
    claim = Claim(
        problem.program,
        problem.entry,
        [thread.shape for thread in absence.unfolded.threads],
        LoopBounds(MOST, {name: absence.bounds.of(name) for name in cut}),
        contexts=None,
        all_iterations=not cut,
    )
    return checked(claim, TITLES[absence.solver], seconds, guarded, watch)
