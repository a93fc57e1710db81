"""The search in this process, without a coordinator: one set of bounds after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from time import process_time
from typing import Any

from cleave.engines.bmc.formula import only_thread
from cleave.engines.bmc.levels import first_bounds, largest, largest_bounds, next_bounds
from cleave.engines.bmc.part import Outcome, Part
from cleave.engines.bmc.questions import Questions
from cleave.engines.bmc.task import Problem, solver_for
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.unfolding.instances import Unfolded
from cleave.ir.loops import LoopBounds
from cleave.ir.schedule import Schedule
from cleave.records import dataclass
from cleave.verdict import Reason

REASONS = {"interrupted": Reason.INTERRUPTED, "timeout": Reason.TIMEOUT, "memory": Reason.MEMORY}


@dataclass(frozen=True, slots=True)
class Absence:
    """No violation within ``bounds``; an execution may go beyond those in ``cut``. ``solver`` is who says so."""

    unfolded: Unfolded
    bounds: LoopBounds
    cut: frozenset[str]
    solver: str


News = Mapping[str, Any] | Absence
"""What was counted, or what is proved by now."""


def search_alone(
    problem: Problem, check: Callable[[], None], guard: Callable[[Callable[[], None]], None]
) -> Generator[News, None, Finding[Schedule | Absence]]:
    """``check`` is called often and may raise; ``guard`` is given what interrupts the solver that works now."""
    options, most = problem.options, largest_bounds(problem.options, problem.program)
    bounds: LoopBounds | None = first_bounds(most)
    questions: Questions | None = None
    levels, seconds = 0, 0.0
    while bounds is not None:
        began = process_time()
        unfolded = problem.unfolded(bounds, check)
        seconds, levels = seconds + process_time() - began, levels + 1
        if questions is None:
            questions = Questions(solver_for(unfolded, options), options.seed)
            guard(questions.interrupt)
        else:
            questions.begin_level()
        part = Part(unfolded, questions, options, ())
        thread = only_thread(unfolded)
        yield {"levels": levels, "unwind": largest(bounds, thread), "checks": len(thread.checks)}
        outcome: Outcome | None = None
        slices = part.run()
        while outcome is None:
            try:
                next(slices)
            except StopIteration as stop:
                outcome = stop.value
            yield {"cost": questions.cost(), "unfold_seconds": round(seconds, 3), **part.size()}
        if isinstance(outcome, Violation):
            return outcome
        if isinstance(outcome, GivenUp):
            reason = REASONS.get(outcome.reason, Reason.SOLVER)
            return GaveUp(reason, "" if reason in REASONS.values() else outcome.reason)
        absence = Absence(unfolded, bounds, outcome.bounds, questions.solver_name)
        bounds = next_bounds(bounds, most, outcome.bounds)
        if bounds is not None:
            yield absence
    return Proof(absence)
