"""Some stages of a plan, one after the other, in one process.

    stage 4 ── bounded-safe, deepens ──▶ stage 104 with larger bounds ──▶ stage 204 ...    until the time is up
    stage 5 ── unknown ──▶ stage 6

A stage gets its share of the time that is left; the last one all of it. The lane ends when something is settled.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

import msgspec

from cleave.engines.desk import Facts
from cleave.frontends.input import Input
from cleave.run.outcome import Outcome
from cleave.run.plan import NEXT as _CHAINS
from cleave.run.plan import Plan, Stage, larger
from cleave.run.stage import Limits, Recorder, carry_out_stage, is_alone, make_search, make_team
from cleave.run.team import Team
from cleave.verdict import Reason, StoppedError, Unknown

_LEAST_SECONDS = 1.0  # that are left, for another try with larger bounds


@dataclass(slots=True)
class Lane:
    """``seconds`` are left to it, None for no limit; ``outcomes`` are those of the plan so far, also of other lanes
    that have ended."""

    plan: Plan
    input: Input
    recorder: Recorder
    outcomes: dict[int, Outcome]
    stop: threading.Event
    seconds: float | None = None
    memlimit_mb: int = 0
    _end: float | None = field(init=False)
    _ends: dict[int, float] = field(init=False, default_factory=dict)  # of chains of stages
    _hired: dict[int, Team] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._end = None if self.seconds is None else monotonic() + self.seconds

    def run(self, stages: Sequence[Stage]) -> None:
        left = list(stages)
        try:
            while left and not self.is_over():
                stage = left.pop(0)
                if stage.when == "bounded" and not any(one.bounded for one in self.outcomes.values()):
                    continue
                stage = self._beyond(stage)
                self._hire_ahead(stage, left)
                outcome = self._carry_out(stage)
                if outcome.settles:
                    return
                if self._may_deepen(stage):
                    left[:0] = larger(stage, outcome.verdict)
        finally:
            for team in self._hired.values():
                team.__exit__(None, None, None)

    def _beyond(self, stage: Stage) -> Stage:
        """A stage that deepens begins with larger bounds than those that its engine has proved before."""
        same = [one.number for one in self.plan.stages if one.engine == stage.engine and one.number < stage.number]
        proved = [self.outcomes[one].bounded for one in same if one in self.outcomes and self.outcomes[one].bounded]
        if not stage.deepens or stage.number != stage.chain or not proved or proved[-1] is None:
            return stage
        return msgspec.structs.replace(larger(stage, proved[-1])[-1], number=stage.number)

    def is_over(self) -> bool:
        """Whether there is no time left, or somebody asked to stop."""
        return self.stop.is_set() or (self._end is not None and monotonic() >= self._end)

    def _carry_out(self, stage: Stage) -> Outcome:
        self.recorder.begin(stage)
        limits, is_share = self._limits(stage)
        outcome = carry_out_stage(
            stage,
            self.plan,
            self.input,
            limits=limits,
            recorder=self.recorder,
            facts=self._facts(stage),
            hired=self._hired.pop(stage.number, None),
        )
        outcome = _judged(outcome, stage, is_share=is_share)
        self.outcomes[stage.number] = outcome
        reason = outcome.unknown.reason if outcome.unknown is not None else None
        self.recorder.end(outcome, final=reason not in (Reason.TIMEOUT, Reason.INTERRUPTED, Reason.WORKERS))
        return outcome

    def _limits(self, stage: Stage) -> tuple[Limits, bool]:
        """And whether the stage has less time than is left. Larger bounds have the rest of the first ones' share."""
        seconds, cpu_seconds, is_share = 0.0, 0.0, False
        if self._end is not None:
            left = max(self._end - monotonic(), 0.001)
            mine = min(left * stage.share, stage.seconds or left)
            seconds = min(left, max(self._ends.setdefault(stage.chain, monotonic() + mine) - monotonic(), 0.001))
            is_share = mine < left
        elif patience := stage.patience or stage.seconds:
            is_share = True
            seconds, cpu_seconds = (0.0, patience) if is_alone(stage, self.plan) else (patience, 0.0)
        limits = Limits(seconds=seconds, cpu_seconds=cpu_seconds, memlimit_mb=self.memlimit_mb, stop=self.stop)
        return limits, is_share

    def _facts(self, stage: Stage) -> Facts | None:
        found = self.outcomes.get(stage.uses) if stage.uses is not None else None
        return found.facts if found is not None else None

    def _hire_ahead(self, stage: Stage, following: Sequence[Stage]) -> None:
        """Workers for the next stage start and read the program while this one executes it."""
        if stage.role != "violations" or not following or self.plan.place.runtime != "local":
            return
        coming = following[0]
        if coming.uses is None and not is_alone(coming, self.plan):
            search = make_search(coming, self.plan, self.input, None)
            with suppress(StoppedError):  # the stage itself will tell
                self._hired[coming.number] = make_team(coming, self.plan, search, self.recorder, self.memlimit_mb)

    def _may_deepen(self, stage: Stage) -> bool:
        if not stage.deepens or self.is_over():
            return False
        if self._end is not None:
            return min(self._end, self._ends[stage.chain]) - monotonic() > _LEAST_SECONDS
        spent = sum(self.outcomes[one].seconds for one in self.outcomes if one % _CHAINS == stage.chain)
        return spent < stage.patience


def _judged(outcome: Outcome, stage: Stage, *, is_share: bool) -> Outcome:
    """A stage that had its share of the time has run out of a budget, and so has one that only looks for violations and
    found none that is beyond doubt: the run goes on."""
    unknown = outcome.unknown
    over = is_share and unknown is not None and unknown.reason is Reason.TIMEOUT
    if unknown is None or not (over or (outcome.is_doubtful and stage.role == "violations")):
        return outcome
    return Outcome.of(
        outcome.stage,
        Unknown(Reason.BUDGET, unknown.detail),
        **{
            name: getattr(outcome, name)
            for name in ("seconds", "counters", "assumptions", "checked", "predicates", "facts", "refused")
        },
    )
