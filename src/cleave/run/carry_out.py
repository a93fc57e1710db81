"""Carries out a plan: groups of stages in turn, the lanes of a group side by side, everything in the journal before
anything follows from it.

    result = carry_out(plan, input, journal, stop=stop, on_news=show, timelimit=60.0)

A plan that was stopped continues where its journal says: finished stages are not done again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.desk import News
from cleave.frontends.input import Input
from cleave.journal.database import reading
from cleave.journal.journal import Journal
from cleave.run.lane import Lane
from cleave.run.merge import merge, settled
from cleave.run.outcome import Outcome, decode_outcome, encode_outcome
from cleave.run.plan import Plan, Stage, groups, unfinished, with_more
from cleave.usage import CpuBudget
from cleave.verdict import Reason, Result
from cleave.watch import reserve

SoFar = Callable[[], Result]
"""The result, should the run end now."""

OnNews = Callable[[Stage, News, SoFar | None], None]


def carry_out(
    plan: Plan,
    input: Input,
    journal: Journal,
    *,
    stop: threading.Event,
    on_news: OnNews,
    timelimit: float,
    cpu: CpuBudget | None = None,
) -> Result:
    """``timelimit`` counts from now; 0: none. A part of it is kept back to confirm what was found. Stages share the
    processor time in ``cpu``; whoever sets ``stop`` sees to it that no more is used."""
    started, kept = monotonic(), reserve(timelimit)
    recorder = JournalRecorder(plan, journal, on_news)
    outcomes = recorder.outcomes()

    def left() -> float | None:
        return timelimit - kept - (monotonic() - started) if timelimit else None

    def stopped() -> Reason | None:
        if stop.is_set():
            return Reason.INTERRUPTED
        is_late = bool(timelimit) and (left() or 0) <= 0
        return Reason.TIMEOUT if is_late or (cpu is not None and cpu.left() <= 0) else None

    def so_far() -> Result:
        whole = msgspec.structs.replace(plan, stages=tuple(recorder.stages.values()))
        return merge(whole, dict(outcomes), input, seconds=monotonic() - started, stopped=stopped())

    recorder.so_far = so_far
    for lanes in groups(_left(recorder.stages, outcomes)):
        if settled(outcomes) or stopped() is not None:
            break
        if len(lanes) == 1:
            Lane(plan, input, recorder, outcomes, stop, left(), cpu, plan.memlimit_mb).run(lanes[0])
        else:
            from cleave.run.beside import beside  # most runs need no processes

            beside(lanes, plan, input, recorder, outcomes, stop=stop, seconds=left(), cpu=cpu, extra=kept)
    return so_far()


def _left(known: Mapping[int, Stage], outcomes: dict[int, Outcome]) -> list[Stage]:
    """What is left to do. Of a plan that was carried out to its end, the stages that ran out of a budget, with more of
    it: who goes on with such a run wants more than it had. And those that ran out of memory, as there may be more."""
    verdicts = {number: outcome.verdict for number, outcome in outcomes.items()}
    left = unfinished(known, verdicts)
    is_bounded = any(outcome.bounded for outcome in outcomes.values())
    if any(is_bounded or stage.when == "open" for stage in left):
        return left
    again = {number: reason for number, outcome in outcomes.items() if (reason := _ran_out(known[number], outcome))}
    for number, reason in again.items():
        del outcomes[number]
        left.append(with_more(known[number]) if reason is Reason.BUDGET else known[number])
    return left


def _ran_out(stage: Stage, outcome: Outcome) -> Reason | None:
    """Of what, if it did."""
    reason = outcome.unknown.reason if outcome.unknown is not None and stage.role == "settle" else None
    return reason if reason in (Reason.BUDGET, Reason.MEMORY) else None


class JournalRecorder:
    """Writes what happens in the stages of a plan to its journal. ``stages`` are those of the plan and those that were
    added to it."""

    def __init__(self, plan: Plan, journal: Journal, on_news: OnNews) -> None:
        self.journal = journal
        self.stages = {stage.number: stage for stage in plan.stages}
        with reading(journal.path):
            for row in journal.stages():
                self.stages[row.number] = msgspec.json.decode(row.spec, type=Stage)
        self.so_far: SoFar | None = None
        self._on_news = on_news

    def events_of(self, stage: int) -> list[tuple[float, Event]]:
        return list(self.journal.events(stage))

    def begin(self, stage: Stage) -> None:
        self.stages[stage.number] = stage
        self.journal.begin(stage.number, msgspec.json.encode(stage))

    def append(self, stage: int, events: Sequence[Event]) -> None:
        self.journal.append(events, stage)

    def end(self, outcome: Outcome, *, final: bool) -> None:
        if final:
            self.journal.end(outcome.stage, encode_outcome(outcome), outcome.seconds)

    def news(self, stage: Stage, counters: News) -> None:
        self._on_news(stage, counters, self.so_far)

    def outcomes(self) -> dict[int, Outcome]:
        """Of stages that are finished."""
        with reading(self.journal.path):
            return {row.number: decode_outcome(row.outcome) for row in self.journal.stages() if row.outcome is not None}
