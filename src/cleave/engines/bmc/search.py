"""The engine bmc as a plan sees it: search with larger and larger bounds, replay violations, check proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import process_time
from typing import Any, ClassVar

import msgspec

from cleave.engines.bmc.alone import REASONS, Absence, search_alone
from cleave.engines.bmc.confirm import confirmed
from cleave.engines.bmc.coordinator import BmcCoordinator
from cleave.engines.bmc.levels import largest_bounds
from cleave.engines.bmc.options import BmcOptions
from cleave.engines.bmc.task import Problem, Task, problem_of, solver_for
from cleave.engines.confirming import confirm_schedule
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.threads.messages import Empty, decode_finding, receive_schedule
from cleave.engines.threads.record import split_tree
from cleave.engines.unfolding.solving import check_solver
from cleave.frontends.input import Input
from cleave.ir.loops import named_loops
from cleave.ir.schedule import Schedule
from cleave.records import dataclass
from cleave.validate.proofs.coverage import covered
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Verdict

_PATIENCE = 3  # as many times longer than the search its check may take: it is not done by the quickest solver
_ON_THE_WAY = 0.5  # of what the search took: for checking bounds that grow, should it end without anything better
_SHOWN = 3  # loops that a note names


@dataclass(frozen=True, slots=True)
class BmcSearch:
    input: Input
    task: Task
    worker: ClassVar[str] = "cleave.engines.bmc.worker:work"
    begins_alone: ClassVar[bool] = False

    @staticmethod
    def make(input: Input, options: BmcOptions, setting: Setting) -> BmcSearch:
        return BmcSearch(input, Task(input.file, input.source, input.entry, options, setting.workers))

    def assignment(self) -> bytes:
        return msgspec.msgpack.encode(self.task)

    def alone(self, desk: Desk) -> Verdict:
        problem = self._read(desk)
        interrupts: list[Callable[[], None]] = [lambda: None]
        began = process_time()
        checked = 0.0  # when something was, last
        steps = search_alone(problem, desk.watch.check, interrupts.append)
        with desk.watch.guarding(lambda: interrupts[-1]()):
            try:
                while True:
                    news = next(steps)
                    if not isinstance(news, Absence):
                        desk.note(news)
                    elif (spent := process_time() - began) >= 2 * checked:
                        self._keep(desk, problem, news, _ON_THE_WAY * spent)
                        checked = process_time() - began
            except StopIteration as end:
                claim: Finding[Schedule | Absence] = end.value
        return self._confirm(desk, problem, claim, process_time() - began)

    def coordinator(self) -> BmcCoordinator:
        return BmcCoordinator(self.task, largest_bounds(self.task.options, self.input.program))

    def together(self, desk: Desk, team: Team) -> Verdict:
        """The last bounds that were searched are unfolded here, for the check of the proof."""
        problem = self._read(desk)
        began = process_time()
        finding = solved(team, desk, lambda outcome, _: decode_finding(outcome), how_far)
        if isinstance(finding, GaveUp):
            return self._confirm(desk, problem, finding, 0.0)
        claim: Finding[Schedule | Absence]
        match finding.answer:
            case Violation(schedule):
                claim = Violation(receive_schedule(schedule))
            case GivenUp(reason=reason, detail=detail):
                claim = GaveUp(REASONS.get(reason, Reason.SOLVER), detail or reason)
            case Empty(bounds=cut):
                cover = covered(split_tree(team.events(), finding.contexts))
                if not cover.holds:
                    return Unknown(Reason.UNCONFIRMED, f"the closed parts of the search do not cover it: {cover.text}")
                bounds = team.coordinator.bounds
                unfolded = problem.unfolded(bounds, desk.watch.check)
                claim = Proof(Absence(unfolded, bounds, frozenset(cut), solver_for(unfolded, self.task.options)))
        verdict = self._confirm(desk, problem, claim, process_time() - began)
        if isinstance(verdict, Safe | BoundedSafe):
            return replace(verdict, validation=f"the closed parts cover all executions; {verdict.validation}")
        return verdict

    def _read(self, desk: Desk) -> Problem:
        check_solver(self.task.options.solver)
        desk.program(self.input)
        return problem_of(self.input, self.task.options)

    # --- confirmation -------------------------------------------------------------------------------------------------

    def _keep(self, desk: Desk, problem: Problem, absence: Absence, seconds: float) -> None:
        """What is proved stays, if it can be checked in a little time."""
        verdict = confirmed(problem, absence, seconds, desk.watch.guarding, desk.watch.check)
        if isinstance(verdict, BoundedSafe):
            desk.keep(verdict)
            desk.note({"held_back_by": _named(problem, absence)})

    def _confirm(self, desk: Desk, problem: Problem, claim: Finding[Schedule | Absence], seconds: float) -> Verdict:
        started = desk.watch.seconds()
        verdict: Verdict
        match claim:
            case Violation(Schedule() as schedule):
                verdict = confirm_schedule(problem.program, problem.entry, schedule)
            case Proof(Absence() as absence):
                if not absence.cut:
                    desk.watch.prolong()  # what was proved without bounds is not searched again
                enough = max(self.task.options.confirm_seconds, _PATIENCE * seconds)
                verdict = confirmed(problem, absence, enough, desk.watch.guarding, desk.watch.check)
                desk.note({"held_back_by": _named(problem, absence)} if absence.cut else {})
            case GaveUp(reason, detail):
                verdict = Unknown(desk.watch.reason or reason, detail)
        desk.note({"validate_seconds": round(desk.watch.seconds() - started, 3)})
        if isinstance(verdict, Unknown):
            verdict = Unknown(desk.watch.reason or verdict.reason, verdict.detail)
        if (held := desk.counters.get("held_back_by")) and isinstance(verdict, BoundedSafe | Unknown):
            desk.assumptions.append(_note(held))
        return verdict


def how_far(counters: Mapping[str, Any]) -> str:
    done = f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
    return f"{counters['levels']} bounds tried; {done}"


def _named(problem: Problem, absence: Absence) -> list[str]:
    """The loops that hold a proof back, with their places."""
    places = {loop.name: str(loop) for loop in named_loops(problem.program)}
    return [places.get(name, f"the recursion of {name}") for name in sorted(absence.cut)]


def _note(held: list[str]) -> str:
    more = f" and {len(held) - _SHOWN} more" if len(held) > _SHOWN else ""
    what = f"{', '.join(held[:_SHOWN])}{more}"
    return f"what holds a proof back is {what}: an execution may exceed the bound"
