"""Confirms that no schedule violates anything, with code that the engine does not use.

    confirm(Absence(program, "main", shape, unwind=2, contexts=5, took_part={"contexts"}, solver="MiniSat"), means)

In turn, until one of them decides:

    interleavings       all of them are tried on the concrete machine: for small programs
    schedules           the program is unfolded and encoded again, and another solver decides
    second_solver       another solver decides the engine's own formula; how that was made stays unchecked, and so does
                        that no bound took part: the verdict has all bounds then

The verdict says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import process_time

from cleave.errors import UnsupportedError
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program
from cleave.ir.shape import Shape, is_cut
from cleave.logic.terms import Term
from cleave.smt.solver import Answer
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.interleavings import Explored, TooLargeError, explore
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.second_solver import Guarded, Opinion, combined, second_opinion
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

CONTEXTS, ROUNDS, UNWIND = "contexts", "rounds", "unwind"
UNCHECKED = "the unfolding and the encoding were not checked again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """What an engine concludes: nothing is violated within ``contexts`` (or ``rounds``) and ``unwind``; of these bounds
    only those in ``took_part`` made a difference. ``solver`` is who searched."""

    program: Program
    entry: str
    shape: Shape
    unwind: LoopBounds
    contexts: int
    rounds: int = 0
    took_part: frozenset[str]
    solver: str

    @property
    def bounds(self) -> dict[str, int]:
        """All of them."""
        schedules = {ROUNDS: self.rounds} if self.rounds else {CONTEXTS: self.contexts}
        return {**schedules, **({UNWIND: self.unwind.most} if is_cut(self.shape) else {})}

    def values(self, names: frozenset[str]) -> dict[str, int]:
        """Of the bounds of these names; loops with a bound of their own come after the one that all others have."""
        found = {name: value for name, value in self.bounds.items() if name in names}
        return {**found, **(self.unwind.own if UNWIND in found else {})}

    def claim(self, bounds: frozenset[str]) -> Claim:
        return Claim(
            self.program,
            self.entry,
            self.shape,
            self.unwind,
            self.contexts if CONTEXTS in bounds else None,
            self.rounds if ROUNDS in bounds else 0,
            all_iterations=UNWIND not in bounds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How much may be spent: ``states`` of interleavings (0: they are not tried), and ``seconds`` of processor time for
    each of the others. ``formulas`` makes the engine's own, any of which may be true. ``watch`` is called often, and
    may raise."""

    states: int
    seconds: float
    formulas: Callable[[], Sequence[Sequence[Term]]]
    guarded: Guarded
    watch: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """``note`` is something to know besides; empty if there is nothing."""

    verdict: Verdict
    note: str = ""


def confirm(absence: Absence, means: Means) -> Conclusion:
    tried = None if absence.rounds else try_interleavings(absence, means.states)
    note = ""
    says = f"all interleavings within {absence.contexts} contexts tried: {tried.states} states" if tried else ""
    if tried is not None and tried.contexts is None:
        if tried.complete:
            return Conclusion(Safe(f"all interleavings tried: {tried.states} states"))
        if CONTEXTS in absence.took_part:
            return Conclusion(_within(absence, absence.took_part, says))
    elif tried is not None:
        if not is_cut(absence.shape):
            why = f"there is a violation within {tried.contexts} contexts that was not found"
            return Conclusion(Unknown(Reason.UNCONFIRMED, why))
        note = f"there is a violation within {tried.contexts} contexts beyond --unwind {absence.unwind.most}: raise it"
    verdict = _proved_again(absence, means)
    if verdict is None and tried is not None and tried.contexts is None:
        verdict = BoundedSafe({CONTEXTS: absence.contexts}, says)
    return Conclusion(verdict or refuted_twice(absence, means), note)


def _within(absence: Absence, bounds: frozenset[str], validation: str) -> Verdict:
    within = absence.values(bounds)
    return BoundedSafe(within, validation) if within else Safe(validation)


# --- all interleavings ------------------------------------------------------------------------------------------------


def try_interleavings(absence: Absence, states: int) -> Explored | None:
    """None: there are too many, or values that can't be tried. With a bound on loops, a violation may be beyond it."""
    if not states:
        return None
    try:
        return explore(absence.program, absence.entry, most=absence.contexts, states=states)
    except (TooLargeError, UnsupportedError):
        return None


# --- another unfolding and encoding -----------------------------------------------------------------------------------


class _TooLongError(Exception):
    """The program is too large to be unfolded again in time."""


def _proved_again(absence: Absence, means: Means) -> Verdict | None:
    """None: it was not decided. First the claim as it is; then, if a bound took no part in it, with all bounds."""
    everything = frozenset(absence.bounds)
    for bounds in dict.fromkeys((everything & absence.took_part, everything)):
        outcome = _check(absence.claim(bounds), absence.solver, means)
        if outcome.holds:
            return _within(absence, bounds, outcome.text)
        if outcome.is_wrong:
            return Unknown(Reason.UNCONFIRMED, f"the proof was checked again: {outcome}")
    return None


def _check(claim: Claim, solver: str, means: Means) -> Confirmation:
    end = process_time() + means.seconds

    def watch() -> None:
        means.watch()
        if process_time() > end:
            raise _TooLongError

    try:
        return checked(claim, solver, means.seconds, means.guarded, watch)
    except _TooLongError:
        return rejected("it takes too long to unfold the program again", undecided=True)


# --- the engine's own formula -----------------------------------------------------------------------------------------


def refuted_twice(absence: Absence, means: Means, parts: str = "") -> Verdict:
    """``parts`` says which of the schedules the formulas are about, if not about all."""
    opinion = _second_opinion(absence, means)
    if opinion.answer is Answer.UNSAT:
        said = f"{parts}the formula was refuted by two solvers, {absence.solver} and {opinion.solver}; {UNCHECKED}"
        return BoundedSafe(absence.values(frozenset(absence.bounds)), said)
    if opinion.answer is Answer.SAT:
        why = f"{opinion.solver} finds a violation in the formula that {absence.solver} refuted"
        return Unknown(Reason.UNCONFIRMED, why)
    within = ", ".join(f"{name} {bound}" for name, bound in absence.bounds.items())
    found = f"{absence.solver} finds no violation within {within}"
    return Unknown(Reason.UNCONFIRMED, f"{found}, which {opinion.solver} did not confirm")


def _second_opinion(absence: Absence, means: Means) -> Opinion:
    formulas = means.formulas()
    with ThreadPoolExecutor(len(formulas)) as threads:
        asked = [threads.submit(second_opinion, absence.solver, one, means.seconds, means.guarded) for one in formulas]
        return combined([one.result() for one in asked])
