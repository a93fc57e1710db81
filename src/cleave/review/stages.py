"""A run, from its journal: its plan, what became of each stage and, of stages with workers, the review that their
engine makes of the events.

    review = review_plan(path)
    review.stages[2].state         # "safe", "budget: ...", "running", "stopped", "planned"
    review.stages[2].search        # None without workers

    watcher = Watcher(path)        # of a run in progress
    watcher.look()                 # each time, only what is new in the journal is read
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import Any

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.engine import Engine, load
from cleave.engines.registry import engine
from cleave.engines.review.drawings import Drawing, decode_drawings
from cleave.engines.review.members import Review, rounded
from cleave.journal.database import reading
from cleave.journal.journal import Journal, RunInfo, StageRow
from cleave.journal.lock import is_locked
from cleave.records import dataclass
from cleave.review.run import Breaks, RunState, run_state
from cleave.run.outcome import Outcome, decode_outcome
from cleave.run.plan import Plan, Stage, decode_plan
from cleave.verdict import BoundedSafe, Trace, Unknown


@dataclass(slots=True)
class StageReview:
    """``state`` is the verdict with its bounds or reason, or how far the stage is; ``verdict`` is its word alone.
    ``search`` is what its engine's review tells of its workers, ``drawings`` what the engine drew at its end. Stages of
    one ``group`` run side by side in lanes."""

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
    group: int = 0
    lane: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    verdict: str | None = None
    bounds: dict[str, int] = field(default_factory=dict)
    drawings: tuple[Drawing, ...] = ()


@dataclass(slots=True)
class PlanReview:
    """``trace`` is the whole violating execution, if there is one; ``events`` counts those of all stages."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    breaks: int  # how often the run was resumed
    stages: list[StageReview]
    trace: Trace | None = None
    events: int = 0
    timelimit: float = 0.0
    outputs: dict[str, str] = field(default_factory=dict)
    invariant: str = ""  # that proves it safe, as SMT-LIB definitions, if somebody asked for it


def review_plan(path: Path) -> PlanReview:
    return Watcher(path).look()


class Watcher:
    """Looks at a run again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last = 0
        self._breaks = Breaks()
        self._searches: dict[int, Review] = {}
        self._outcomes: dict[bytes, Outcome] = {}

    def look(self) -> PlanReview:
        with Journal.open(self.path) as journal, reading(self.path):
            result, going_on = journal.result, is_locked(self.path)
            plan = decode_plan(journal.plan) if journal.plan else Plan(stages=())
            begun = {row.number: row for row in journal.stages()}
            specs = {stage.number: stage for stage in plan.stages}
            specs |= {number: msgspec.json.decode(row.spec, type=Stage) for number, row in begun.items()}
            self._read_events(journal, specs)
            stages = [self._stage(specs[number], begun.get(number), going_on=going_on) for number in sorted(specs)]
            _told_cost(stages, result)
            return PlanReview(
                self.path,
                journal.info,
                result,
                run_state(result, going_on=going_on),
                max(journal.seconds(), float((result or {}).get("seconds", 0))),
                self._breaks.number,
                stages,
                self._trace(),
                self._last,
                plan.timelimit,
                dict(plan.outputs),
                self._invariant(),
            )

    def _read_events(self, journal: Journal, specs: dict[int, Stage]) -> None:
        news: dict[int, list[tuple[float, Event]]] = defaultdict(list)
        for number, stage, seconds, event in journal.events_after(self._last):
            self._last = number
            self._breaks.saw(event)
            news[stage].append((seconds, event))
        for number, events in news.items():
            plug = engine(specs[number].engine) if number in specs else None
            if plug is not None and plug.review and specs[number].workers > 1:
                self._search(number, plug, journal, events)

    def _search(self, number: int, plug: Engine, journal: Journal, news: Iterable[tuple[float, Event]]) -> None:
        """A review that can't go on with further events is made anew of all."""
        known = self._searches.get(number)
        if known is not None and hasattr(known, "follow"):
            known.follow(news)
        else:
            self._searches[number] = load(plug.review)(news if known is None else journal.events(number))

    def _stage(self, spec: Stage, row: StageRow | None, *, going_on: bool) -> StageReview:
        found = StageReview(spec.number, spec.engine, spec.purpose, spec.workers, "planned")
        found.group, found.lane, found.options = spec.group, spec.lane, spec.options
        if row is None:
            return found
        found.began, found.seconds = row.began, row.seconds
        found.state = "running" if going_on else "stopped"
        if row.outcome is not None:
            outcome = self._outcome(row.outcome)
            found.state, found.counters = _state(outcome), outcome.counters
            found.drawings = decode_drawings(outcome.drawings)
            found.cost = int(outcome.counters.get("cost", 0))
            found.verdict = "refused" if outcome.refused is not None else outcome.verdict.word
            if isinstance(outcome.verdict, BoundedSafe):
                found.bounds = dict(outcome.verdict.bounds)
        found.search = self._searches.get(spec.number)
        if found.search is None and spec.workers > 1 and engine(spec.engine).review:
            found.search = load(engine(spec.engine).review)(())
        if row.outcome is None and (crew := getattr(found.search, "crew", None)) is not None:
            found.cost = sum(one.cost + one.unfinished for one in crew.members.values())
        return found

    def _outcome(self, data: bytes) -> Outcome:
        """Decoded once: a trace may be long."""
        if data not in self._outcomes:
            self._outcomes[data] = decode_outcome(data)
        return self._outcomes[data]

    def _invariant(self) -> str:
        found = (outcome.safe.solution for outcome in self._outcomes.values() if outcome.safe is not None)
        return next(filter(None, found), "")

    def _trace(self) -> Trace | None:
        found = (outcome.unsafe.trace for outcome in self._outcomes.values() if outcome.unsafe is not None)
        return next(found, None)


def _told_cost(stages: list[StageReview], result: dict[str, Any] | None) -> None:
    """A result says what all have cost; of a stage that was cut off the messages tell a little more or less."""
    cut = [stage for stage in stages if stage.began is not None and stage.verdict is None]
    total = int(((result or {}).get("statistics") or {}).get("cost", 0))
    if len(cut) == 1 and (left := total - sum(stage.cost for stage in stages if stage is not cut[0])) > 0:
        cut[0].cost = left


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
