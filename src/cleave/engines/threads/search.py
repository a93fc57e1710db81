"""The threads engine as a plan sees it: unfold, search all schedules within the bounds, and replay what was found or
confirm that nothing was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from cleave.engines.confirming import confirm_schedule
from cleave.engines.coordination import Event
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.threads import messages
from cleave.engines.threads.alone import bound_values, search_alone
from cleave.engines.threads.coordinator import ThreadsCoordinator, chosen_parts, part_names
from cleave.engines.threads.encode import encode
from cleave.engines.threads.messages import Task, receive_schedule
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.partition import Space, What
from cleave.engines.threads.record import split_tree
from cleave.engines.threads.task import bounds_of, program_of, unfold_task
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.solving import TITLES, check_solver, chosen
from cleave.errors import UsageError
from cleave.frontends.input import Input
from cleave.ir.program import Program
from cleave.ir.schedule import Schedule
from cleave.logic.terms import Term
from cleave.records import dataclass
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.bounded import Absence, Means, confirm, confirm_share
from cleave.validate.proofs.coverage import covered
from cleave.validate.proofs.schedules.contexts import Share
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

_REASONS = {"memory": Reason.MEMORY, "interrupted": Reason.INTERRUPTED, "timeout": Reason.TIMEOUT}
_PATIENCE = 3  # as many times longer than the search its confirmation may take: it is not done by the quickest solver


@dataclass(frozen=True, slots=True)
class _Read:
    program: Program
    entry: str
    unfolded: Unfolded


@dataclass(frozen=True, slots=True)
class ThreadsSearch:
    input: Input
    task: Task
    worker: ClassVar[str] = "cleave.engines.threads.worker:work"
    begins_alone: ClassVar[bool] = False

    @staticmethod
    def make(input: Input, options: ThreadsOptions, setting: Setting) -> ThreadsSearch:
        return ThreadsSearch(input, Task(input.file, input.source, input.entry, options, setting.workers))

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)

    def coordinator(self) -> ThreadsCoordinator:
        return ThreadsCoordinator(self.task)

    def alone(self, desk: Desk) -> Verdict:
        read = self._read(desk)
        interrupts: list[Callable[[], None]] = [lambda: None]

        def interrupt() -> None:
            interrupts[-1]()

        steps = search_alone(self.task, read.unfolded, interrupts.append)
        with desk.watch.guarding(interrupt):
            try:
                while True:
                    desk.note(next(steps))
            except StopIteration as end:
                claim: Finding[Schedule | None] = end.value
        return self._confirm(desk, read, claim, "")

    def together(self, desk: Desk, team: Team) -> Verdict:
        read = self._read(desk)
        claim = solved(team, desk, self.found, how_far)
        parts = ""
        if isinstance(claim, Proof) and not self._is_a_share():
            cover = coverage(self.task, Space.of(read.unfolded), team.events())
            if not cover.holds:
                return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {cover}")
            parts = "the closed parts cover all schedules; "
        return self._confirm(desk, read, claim, parts)

    def found(self, outcome: bytes, counters: Mapping[str, Any]) -> Finding[Schedule | None]:
        finding = messages.decode_finding(outcome)
        match finding.answer:
            case Violation(schedule):
                return Violation(receive_schedule(schedule))
            case messages.Empty(bounds=bounds):
                return Proof(None, bound_values(self.task.options, finding.contexts, bounds))
            case GivenUp(reason=reason, detail=detail):
                why = _REASONS.get(reason, Reason.SOLVER)
                return GaveUp(why, detail or (reason if why is Reason.SOLVER else ""))

    def _read(self, desk: Desk) -> _Read:
        task = self.task
        check_solver(task.options.solver)
        desk.program(self.input)
        program, entry = program_of(self.input)
        unfolded = unfold_task(task, program, entry, desk.watch.check)
        _check_partitions(task, Space.of(unfolded))
        positions = sum(thread.positions for thread in unfolded.threads)
        desk.note({"threads": len(unfolded.threads), "positions": positions, "shared": len(unfolded.shared.cells)})
        desk.watch.check()
        return _Read(program, entry, unfolded)

    def _is_a_share(self) -> bool:
        """Whether other parts of the schedules are searched elsewhere."""
        how = self.task.options
        return how.first > 0 or (how.last is not None and how.last + 1 < how.partitions)

    # --- confirmation -------------------------------------------------------------------------------------------------

    def _confirm(self, desk: Desk, read: _Read, claim: Finding[Schedule | None], covered: str) -> Verdict:
        started = desk.watch.seconds()
        verdict: Verdict
        match claim:
            case Violation(schedule):
                assert schedule is not None
                verdict = confirm_schedule(read.program, read.entry, schedule)
            case Proof(bounds=bounds):
                verdict = self._confirm_nothing(desk, read, dict(bounds), covered)
            case GaveUp(reason, detail):
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        return verdict

    def _confirm_nothing(self, desk: Desk, read: _Read, bounds: dict[str, int], covered: str) -> Verdict:
        options = self.task.options
        absence = Absence(
            program=read.program,
            entry=read.entry,
            shape=[thread.shape for thread in read.unfolded.threads],
            unwind=bounds_of(options, read.program),
            contexts=options.tried[-1],
            rounds=options.rounds,
            took_part=frozenset(bounds),
            solver=TITLES[chosen(read.unfolded, options.solver)],
            shares=self._shares(read.unfolded) if self._is_a_share() else (),
        )
        means = Means(
            states=options.confirm_states,
            seconds=max(options.confirm_seconds, _PATIENCE * desk.watch.seconds()),
            formulas=lambda: self._formulas(read.unfolded),
            guarded=desk.watch.guarding,
            watch=desk.watch.check,
        )
        if self._is_a_share():
            last = options.partitions - 1 if options.last is None else options.last
            share = f"parts {options.first} to {last} of {options.partitions}"
            desk.assumptions.append(f"only {share} were searched")
            return _verdict(confirm_share(absence, means, share), "", desk)
        return _verdict(confirm(absence, means), covered, desk)

    def _shares(self, unfolded: Unfolded) -> tuple[Share, ...]:
        """The parts by who runs; by how far somebody runs, the checker tells none apart."""
        contexts = self.task.options.tried[-1]
        facts = [Space.of(unfolded).facts(name, contexts) for name in chosen_parts(self.task.options)]
        return tuple(
            {(one.context, one.bit): value for one, value in found.items() if one.what is What.THREAD}
            for found in facts
        )

    def _formulas(self, unfolded: Unfolded) -> list[tuple[Term, ...]]:
        """Those of all schedules that were searched; with several workers of two halves, for two processors."""
        options, contexts = self.task.options, self.task.options.tried[-1]
        halves = self.task.workers > 1 and not options.rounds and Space.of(unfolded).decisions(contexts)
        names = chosen_parts(options) if self._is_a_share() else part_names(2 if halves else 1)
        made = (
            encode(unfolded, contexts, Space.of(unfolded).facts(name, contexts), rounds=options.rounds)
            for name in names
        )
        return [(*formula.constraints, formula.violation) for formula in made]


def _verdict(confirmation: Confirmation, covered: str, desk: Desk) -> Verdict:
    desk.assumptions += confirmation.notes
    if not confirmation.holds:
        return Unknown(desk.watch.reason or Reason.UNCONFIRMED, confirmation.text)
    validation = f"{covered}{confirmation.text}"
    return BoundedSafe(confirmation.bounds, validation) if confirmation.bounds else Safe(validation)


def how_far(counters: Mapping[str, Any]) -> str:
    done = f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
    return f"{counters['contexts']} contexts; {done}"


def coverage(task: Task, space: Space, events: Iterable[Event]) -> Confirmation:
    """Whether the closed parts leave none of the schedules out, told from the journal alone."""
    contexts = 0 if task.options.rounds else task.options.tried[-1]
    at_once = max(task.options.partitions, 1).bit_length() - 1
    meanings = tuple(decision.meaning for decision in space.decisions(contexts)[:at_once])
    return covered(split_tree(events, contexts, meanings))


def _check_partitions(task: Task, space: Space) -> None:
    options, partitions = task.options, task.options.partitions
    if not partitions:
        if options.first or options.last is not None:
            raise UsageError("--from and --to choose among --partitions")
        return
    if partitions & (partitions - 1):
        raise UsageError(f"the number of partitions is a power of two, which {partitions} is not")
    bits = 0 if options.rounds else len(space.decisions(options.tried[-1]))
    if partitions > 1 << bits:
        raise UsageError(f"{space.threads} threads in {options.tried[-1]} contexts make at most {1 << bits} partitions")
    last = partitions - 1 if options.last is None else options.last
    if not 0 <= options.first <= last < partitions:
        raise UsageError(f"the partitions are numbered 0 to {partitions - 1}")
