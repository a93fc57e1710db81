"""The inline engine as a plan sees it: prepare the program, search, and check the proof or replay the violation.

With many workers (HYDRA) each part of the search is closed by a proof that its worker has checked; here it is checked
that the closed parts make up the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from cleave.engines.confirming import confirm_violation
from cleave.engines.coordination import Event
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.inline import messages
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.confirm import ProofCheck
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import KnownFacts, Task
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.record import split_tree
from cleave.engines.inline.solvers import solver_for
from cleave.engines.inline.task import prepare_task
from cleave.engines.inline.unfolding_drawing import drawn_whole
from cleave.engines.review.drawings import encode_drawings
from cleave.frontends.input import Input
from cleave.ir.path import Path
from cleave.ir.program import Property
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.prepare import Prepared
from cleave.records import dataclass
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.coverage import covered
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict
from cleave.watch import EXTRA_SECONDS, Watch

_REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}
_NOT_CONFIRMED = "the search is finished, but its proof is not confirmed"
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
            case Violation(path):
                return Violation(messages.decode_path(path))
            case messages.Closed(bound=bound):
                return Proof(int(counters["closed"]), {} if bound is None else {"recursion": bound})
            case GivenUp(reason=reason, detail=detail):
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
                verdict = self._confirm_proof(desk, prepared, found)
            case GaveUp(reason, detail):
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return verdict

    def _confirm_proof(self, desk: Desk, prepared: Prepared, proof: Proof[UnfoldedProof]) -> Verdict:
        """A proof for larger bounds than were asked for is checked for a limited cost, then what it proves within
        those."""
        most = self.task.options.beyond_check_cost if proof.within else 0
        checks = [ProofCheck(prepared, proof.evidence, proof.part)]
        judged = _checked(checks[0], desk.watch, most)
        if not judged.holds and proof.within is not None:
            proof = proof.within
            checks.append(ProofCheck(prepared, proof.evidence))
            judged = _checked(checks[1], desk.watch)
        desk.note({"validation_cost": sum(check.cost() for check in checks)})
        if judged.holds:
            return self._proved(proof.bounds, _CHECKED)
        if desk.watch.reason is not None:
            return Unknown(desk.watch.reason, f"{_NOT_CONFIRMED}: {judged.text}")
        return Unknown(Reason.UNCONFIRMED, f"the proof that was found is not confirmed: {judged.text}")

    def _proved(self, bounds: Mapping[str, int], validation: str) -> Verdict:
        """A proof stands on what was known, too. A violation does not: it was replayed on the program as it is."""
        if self.task.known is not None:
            validation = f"{validation}; it uses {self.task.known.text}"
        return BoundedSafe(bounds, validation) if bounds else Safe(validation)


def how_far(counters: Mapping[str, Any]) -> str:
    if counters["open_partitions"] and counters["claimed"] == counters["open_partitions"]:
        return _NOT_CONFIRMED
    return f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"


def coverage(events: Iterable[Event]) -> Confirmation:
    """Whether the closed parts of the search leave nothing out, told from the journal alone."""
    return covered(split_tree(events))


def _searched(prepared: Prepared, options: InlineOptions, desk: Desk) -> Finding[Any]:
    solver = solver_for(prepared.program, options.seed)
    engine = InlineEngine(prepared, options, solver)
    steps = engine.run()
    with desk.watch.guarding(engine.interrupt):
        try:
            while True:
                desk.note(next(steps))  # a limit interrupts the solver, and the engine ends with what it has
        except StopIteration as end:
            if engine.search is not None and (tree := drawn_whole(engine.search.unfolding)) is not None:
                desk.drawings = encode_drawings((tree,))
            finding: Finding[Any] = end.value
            return finding


def _checked(check: ProofCheck, watch: Watch, most_cost: int = 0) -> Confirmation:
    judged: Confirmation | None = None
    while judged is None:
        if watch.reason is not None:  # a limit was hit after the proof was found
            return check.last_try(EXTRA_SECONDS)
        if most_cost and check.cost() >= most_cost:
            return rejected("the check of the proof's formula stopped: cost", undecided=True, stopped=True)
        with watch.guarding(check.interrupt):
            judged = check.go_on(most_cost and most_cost - check.cost())
    return judged
