"""Confirms that no schedule violates anything, with code that the engine does not use.

    confirm(Absence(program, "main", shape, unwind=2, contexts=5, took_part={"contexts"}, solver="MiniSat"), means)

In turn, until one of them decides:

    interleavings       all of them are tried on the concrete machine: for small programs
    schedules           the program is unfolded and encoded again, and another solver decides
    second_solver       another solver decides the engine's own formula; how that was made stays unchecked, and so does
                        that no bound took part: the verdict has all bounds then

The confirmation says which it was. Its ``bounds`` are those of the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program
from cleave.ir.shape import Shape, is_cut
from cleave.logic.terms import Term
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.validate.confirmation import Confirmation, Ruling, rejected
from cleave.validate.proofs.interleavings import Explored, TooLargeError, explore
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.schedules.contexts import Share
from cleave.validate.proofs.second_solver import Guarded, combined, second_opinion

CONTEXTS, ROUNDS, UNWIND = "contexts", "rounds", "unwind"
UNCHECKED = "the unfolding and the encoding were not checked again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """What an engine concludes: nothing is violated within ``contexts`` (or ``rounds``) and ``unwind``; of these bounds
    only those in ``took_part`` made a difference. ``solver`` is who searched. With ``shares``, it is about these
    executions only."""

    program: Program
    entry: str
    shape: Shape
    unwind: LoopBounds
    contexts: int
    rounds: int = 0
    took_part: frozenset[str]
    solver: str
    shares: tuple[Share, ...] = ()

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
            shares=self.shares,
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


def confirm(absence: Absence, means: Means) -> Confirmation:
    tried = None if absence.rounds else try_interleavings(absence, means.states)
    notes: tuple[str, ...] = ()
    says = f"all interleavings within {absence.contexts} contexts tried: {tried.states} states" if tried else ""
    if tried is not None and tried.contexts is None:
        if tried.complete:
            return Confirmation(True, f"all interleavings tried: {tried.states} states")
        if CONTEXTS in absence.took_part:
            return Confirmation(True, says, bounds=absence.values(absence.took_part))
    elif tried is not None:
        if not is_cut(absence.shape):
            return rejected(f"there is a violation within {tried.contexts} contexts that was not found")
        beyond = f"beyond --unwind {absence.unwind.most}: raise it"
        notes = (f"there is a violation within {tried.contexts} contexts {beyond}",)
    found = _proved_again(absence, means)
    if found is None and tried is not None and tried.contexts is None:
        found = Confirmation(True, says, bounds={CONTEXTS: absence.contexts})
    return replace(found or refuted_twice(absence, means), notes=notes)


def confirm_share(absence: Absence, means: Means, name: str) -> Confirmation:
    """Of a search that was given some of the parts only, which ``name`` says. Its reduction of schedules may leave an
    execution of one part to another: where there is a violation in the parts, nothing is said of them."""
    everything = frozenset(absence.bounds)
    outcome = checked(absence.claim(everything), absence.solver, means.seconds, means.guarded, means.watch)
    if outcome.holds:
        return replace(outcome, text=f"{name}: {outcome}", bounds=absence.values(everything))
    if outcome.is_wrong:
        return rejected(f"{name}: {outcome}; the search left it to other parts, or is wrong")
    return refuted_twice(absence, means, f"{name}: ")


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


def _proved_again(absence: Absence, means: Means) -> Confirmation | None:
    """None: it was not decided. First the claim as it is; then, if a bound took no part in it, with all bounds."""
    everything = frozenset(absence.bounds)
    for bounds in dict.fromkeys((everything & absence.took_part, everything)):
        outcome = checked(absence.claim(bounds), absence.solver, means.seconds, means.guarded, means.watch)
        if outcome.holds:
            return replace(outcome, bounds=absence.values(bounds))
        if outcome.is_wrong:
            return rejected(f"the proof was checked again: {outcome}")
    return None


# --- the engine's own formula -----------------------------------------------------------------------------------------


def refuted_twice(absence: Absence, means: Means, parts: str = "") -> Confirmation:
    """``parts`` says which of the schedules the formulas are about, if not about all."""
    ruling = _second_opinion(absence, means)
    if ruling.answer is Answer.UNSAT:
        said = f"{parts}the formula was refuted by two solvers, {absence.solver} and {ruling.by}; {UNCHECKED}"
        return Confirmation(True, said, {ruling.by: 1}, absence.values(frozenset(absence.bounds)))
    if ruling.answer is Answer.SAT:
        return rejected(f"{ruling.by} finds a violation in the formula that {absence.solver} refuted")
    within = ", ".join(f"{name} {bound}" for name, bound in absence.bounds.items())
    found = f"{absence.solver} finds no violation within {within}"
    return rejected(f"{found}, which {ruling.by} did not confirm", undecided=True)


def _second_opinion(absence: Absence, means: Means) -> Ruling:
    formulas = means.formulas()
    with ThreadPoolExecutor(len(formulas)) as threads:
        asked = [threads.submit(second_opinion, absence.solver, one, means.seconds, means.guarded) for one in formulas]
        return combined([one.result() for one in asked])
