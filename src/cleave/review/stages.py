"""A run as its journal tells it: its plan, what became of each stage and, of stages with workers, the review that their
engine makes of the events.

    review = review_plan(path)
    review.stages[2].state         # "safe", "budget: ...", "running", "stopped", "planned"
    review.stages[2].search        # None without workers
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cleave.engines.engine import load
from cleave.engines.registry import engine
from cleave.engines.review.members import Review, rounded
from cleave.journal.journal import Journal, RunInfo, StageRow
from cleave.journal.lock import is_locked
from cleave.review.run import RunState, count_breaks, run_state
from cleave.run.outcome import Outcome, decode_outcome
from cleave.run.plan import Stage, decode_plan
from cleave.verdict import BoundedSafe, Unknown


@dataclass(slots=True)
class StageReview:
    """``state`` is the verdict with its bounds or reason, or how far the stage is; ``search`` what its engine's review
    tells of its workers."""

    number: int
    engine: str
    purpose: str
    workers: int
    state: str
    began: float | None = None
    seconds: float | None = None
    cost: int = 0
    counters: dict[str, Any] = field(default_factory=dict)
    search: Review | None = None


@dataclass(slots=True)
class PlanReview:
    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    breaks: int  # how often the run was resumed
    stages: list[StageReview]


def review_plan(path: Path) -> PlanReview:
    with Journal.open(path) as journal:
        result, going_on = journal.result, is_locked(path)
        planned = {stage.number: stage for stage in decode_plan(journal.plan).stages} if journal.plan else {}
        begun = {row.number: row for row in journal.stages()}
        specs = planned | {number: msgspec.json.decode(row.spec, type=Stage) for number, row in begun.items()}
        breaks = count_breaks(event for _, event in journal.events())
        seconds = max(journal.seconds(), float((result or {}).get("seconds", 0)))
        stages = [_stage(journal, specs[number], begun.get(number), going_on=going_on) for number in sorted(specs)]
        return PlanReview(path, journal.info, result, run_state(result, going_on=going_on), seconds, breaks, stages)


def plan_object(review: PlanReview) -> dict[str, Any]:
    """As an object that JSON can hold."""
    info: dict[str, Any] = msgspec.to_builtins(review.info)
    return {
        "run": info.pop("id"),
        "journal": str(review.path),
        "state": review.state,
        "verdict": (review.result or {}).get("verdict"),
        "seconds": round(review.seconds, 3),
        "breaks": review.breaks,
        **info,
        "result": review.result,
        "stages": [_stage_object(stage) for stage in review.stages],
    }


def _stage(journal: Journal, spec: Stage, row: StageRow | None, *, going_on: bool) -> StageReview:
    found = StageReview(spec.number, spec.engine, spec.purpose, spec.workers, "planned")
    if row is None:
        return found
    found.began, found.seconds = row.began, row.seconds
    found.state = "running" if going_on else "stopped"
    if row.outcome is not None:
        outcome = decode_outcome(row.outcome)
        found.state, found.counters = _state(outcome), outcome.counters
        found.cost = int(outcome.counters.get("cost", 0))
    name = engine(spec.engine).review
    found.search = load(name)(journal.events(spec.number)) if name and spec.workers > 1 else None
    return found


def _state(outcome: Outcome) -> str:
    if outcome.refused is not None:
        return f"refused: {outcome.refused.message}"
    match outcome.verdict:
        case BoundedSafe(bounds):
            return f"bounded-safe, {', '.join(f'{name} {bound}' for name, bound in bounds.items())}"
        case Unknown(reason, detail):
            return f"{reason.value}: {detail}" if detail else reason.value
        case verdict:
            return verdict.word


def _stage_object(stage: StageReview) -> dict[str, Any]:
    found: dict[str, Any] = {
        "stage": stage.number,
        "engine": stage.engine,
        "purpose": stage.purpose,
        "workers": stage.workers,
        "state": stage.state,
        "began": rounded(stage.began),
        "seconds": rounded(stage.seconds),
        "cost": stage.cost,
        "statistics": stage.counters,
    }
    if stage.search is not None:
        found["search"] = stage.search.as_object()
    return found
