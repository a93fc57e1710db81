"""The inline engine as a plan sees it: prepare the program, search, and check the proof or replay the violation.

With many workers (HYDRA) each part of the search is closed by a proof that its worker has checked; here it is checked
that the closed parts make up the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import msgspec

from cleave.engines.confirming import confirm_violation
from cleave.engines.coordination import Event
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import Finding, GaveUp, Proof, Violation
from cleave.engines.inline import messages
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import KnownFacts, Task
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.record import split_tree
from cleave.engines.inline.solvers import profile_for, solver_for
from cleave.engines.inline.task import prepare_task
from cleave.frontends.input import Input
from cleave.ir.path import Path
from cleave.ir.program import Program, Property
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.background import without_background
from cleave.passes.prepare import Prepared
from cleave.smt.z3.solver import BOOGIE, PLAIN, Profile, Z3Solver
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.coverage import covered
from cleave.validate.proofs.unfolded import check_unfolded
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict
from cleave.watch import EXTRA_SECONDS, Watch

# Options, and seconds (0: no limit) before the next ones are tried: which are quicker differs, by up to ten times.
_PROOF_TURNS = ((BOOGIE, 15.0), (PLAIN, 15.0))
_LATER_TURNS = ((BOOGIE, 40.0), (PLAIN, 40.0), (BOOGIE, 0.0))
_BITS_TURNS = ((BOOGIE, 5.0), (PLAIN, 0.0))  # for programs with bit vectors
_REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}
_CHECKED = "proof checked by another encoding"
_ALL_CHECKED = "proofs checked by another encoding, and that they cover the whole search"


@dataclass(frozen=True, slots=True)
class InlineSearch:
    input: Input
    task: Task
    worker: ClassVar[str] = "cleave.engines.inline.worker:work"
    begins_alone: ClassVar[bool] = False

    @staticmethod
    def make(input: Input, options: InlineOptions, setting: Setting) -> InlineSearch:
        known = KnownFacts(setting.facts.data, setting.facts.text) if setting.facts is not None else None
        task = Task(
            input.file,
            input.source,
            input.entry,
            input.asked,
            options,
            setting.workers,
            known=known,
            integers=setting.integers,
        )
        return InlineSearch(input, task)

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)

    def coordinator(self) -> HydraCoordinator:
        return HydraCoordinator(self.task)

    def alone(self, desk: Desk) -> Verdict:
        prepared = self._prepare(desk)
        return self._confirm(desk, prepared, _searched(prepared, self.task.options, desk))

    def together(self, desk: Desk, team: Team) -> Verdict:
        prepared = self._prepare(desk)
        found = solved(team, desk, self.found, how_far)
        if isinstance(found, Proof) and not (cover := coverage(team.events())).holds:
            return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {cover}")
        return self._confirm(desk, prepared, found)

    def found(self, outcome: bytes, counters: Mapping[str, Any]) -> Finding[Path | UnfoldedProof | int]:
        """Of a proof, how many parts it has: each was checked by the worker that closed it."""
        match messages.decode_finding(outcome).answer:
            case messages.Violated(path=path):
                return Violation(messages.decode_path(path))
            case messages.Closed(bound=bound):
                return Proof(int(counters["closed"]), {} if bound is None else {"recursion": bound})
            case messages.GivenUp(reason=reason, detail=detail):
                why = _REASONS.get(reason, Reason.SOLVER)
                return GaveUp(why, detail or (reason if why is Reason.SOLVER else ""))

    def _prepare(self, desk: Desk) -> Prepared:
        program = desk.program(self.input, self.task.integers)
        if self.input.asked is None and program.property is Property.END_REACHABLE:
            desk.assumptions.append(
                "a violation is that the entry returns: the program asks so (docs/guide/boogie-input.md, --property)"
            )
        prepared = prepare_task(self.task, program)
        desk.watch.check()
        return prepared

    def _confirm(self, desk: Desk, prepared: Prepared, found: Finding[Any]) -> Verdict:
        started = desk.watch.seconds()
        verdict: Verdict
        match found:
            case Violation(path):
                verdict = confirm_violation(self.input.program, prepared.lift(path), desk.watch)
            case Proof(int(parts), bounds):
                told = _CHECKED if parts == 1 else f"{parts} {_ALL_CHECKED}"
                verdict = self._proved(bounds, told)
            case Proof():
                verdict = self._confirm_proof(prepared, found, desk.watch)
            case GaveUp(reason, detail):
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return verdict

    def _confirm_proof(self, prepared: Prepared, proof: Proof[UnfoldedProof], watch: Watch) -> Verdict:
        """A proof for larger bounds than were asked for is checked for a limited time, then what it proves within
        those."""
        most = self.task.options.beyond_check_seconds if proof.within else inf
        judged = _checked(prepared, proof, watch, most)
        if not judged.holds and proof.within is not None:
            proof = proof.within
            judged = _checked(prepared, proof, watch)
        if judged.holds:
            return self._proved(proof.bounds, _CHECKED)
        watch.check()
        return Unknown(Reason.UNCONFIRMED, f"the proof that was found is not confirmed: {judged.text}")

    def _proved(self, bounds: Mapping[str, int], validation: str) -> Verdict:
        """A proof stands on what was known, too. A violation does not: it was replayed on the program as it is."""
        if self.task.known is not None:
            validation = f"{validation}; it uses {self.task.known.text}"
        return BoundedSafe(bounds, validation) if bounds else Safe(validation)


def how_far(counters: Mapping[str, Any]) -> str:
    return f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"


def coverage(events: Iterable[Event]) -> Confirmation:
    """Whether the closed parts of the search leave nothing out, told from the journal alone."""
    return covered(split_tree(events))


def _searched(prepared: Prepared, options: InlineOptions, desk: Desk) -> Finding[Any]:
    solver = solver_for(prepared.program, options.seed)
    steps = InlineEngine(prepared, options, solver).run()
    with desk.watch.guarding(solver.interrupt):
        try:
            while True:
                desk.note(next(steps))  # a limit interrupts the solver, and the engine ends with what it has
        except StopIteration as end:
            finding: Finding[Any] = end.value
            return finding


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


def _checked(prepared: Prepared, proof: Proof[UnfoldedProof], watch: Watch, most_seconds: float = inf) -> Confirmation:
    judged: Confirmation | None = None
    refuted: Program | None = None
    end = watch.seconds() + most_seconds
    for program, profile, seconds in _proof_turns(prepared.program):
        if program is refuted:
            continue
        if judged is not None and watch.seconds() >= end:
            break
        solver = Z3Solver(profile=profile)
        late = watch.reason is not None  # a limit was hit after the proof was found
        watch.guard(solver.interrupt, unless=late)
        limit = EXTRA_SECONDS if late else min(seconds or inf, end - watch.seconds())
        judged = check_unfolded(program, prepared.entry, proof.evidence, solver, seconds=limit if limit < inf else 0.0)
        watch.unguard(solver.interrupt)
        if judged.holds or late:
            break
        # A candidate for a model of what leaves the background out is most likely one: the background is needed.
        seems_refuted = program is not prepared.program and not judged.stopped
        refuted = program if seems_refuted or not judged.undecided else None
    return judged or rejected("no time was left to check it", undecided=True)
