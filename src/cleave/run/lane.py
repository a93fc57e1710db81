"""Some stages of a plan, one after the other, in one process.

    stage 4 ── bounded-safe, deepens ──▶ stage 104 with larger bounds ──▶ stage 204 ...    until the time is up
    stage 5 ── unknown ──▶ stage 6

A stage gets its share of the time that is left; the last one all of it. The lane ends when something is settled.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from cleave.engines.desk import Facts
from cleave.engines.text import count
from cleave.frontends.input import Input
from cleave.ir.program import checks_of
from cleave.records import dataclass
from cleave.run.each import places_of
from cleave.run.outcome import Outcome
from cleave.run.plan import NEXT as _CHAINS
from cleave.run.plan import Plan, Stage, larger
from cleave.run.stage import Limits, Recorder, carry_out_stage, is_alone, make_search, make_team
from cleave.run.team import Team
from cleave.usage import CpuBudget
from cleave.verdict import Reason, StoppedError, Unknown

_Claim = tuple[str, tuple[tuple[str, int], ...]]  # what was said, and how much work it took
_BY_ITSELF = frozenset(("bound", "bound_done", "cost"))  # counters that differ although the search is the same
_LEAST_SECONDS = 1.0  # that are left, for another try with larger bounds


class _Left(NamedTuple):
    """Seconds until limits are hit; infinite where there is none."""

    wall: float
    cpu: float


class _End(NamedTuple):
    """When a chain of stages has used its share: at a moment, or when so much processor time is left to the others."""

    moment: float
    kept: float


def _share(stage: Stage, left: _Left, end: float) -> _End:
    """``end``: the moment when the wall time is up."""
    now, kept = monotonic(), 1 - stage.share
    moment = now + left.wall * stage.share if kept else end
    if stage.seconds:
        moment = min(moment, now + stage.seconds)
    return _End(moment, left.cpu * kept if left.cpu < math.inf else 0.0)


@dataclass(slots=True)
class Lane:
    """``seconds`` are left to it, None for no limit, and so is ``cpu`` to all lanes together; ``outcomes`` are those of
    the plan so far, also of other lanes that have ended."""

    plan: Plan
    input: Input
    recorder: Recorder
    outcomes: dict[int, Outcome]
    stop: threading.Event
    seconds: float | None = None
    cpu: CpuBudget | None = None
    memlimit_mb: int = 0
    _end: float | None = field(init=False)
    _ends: dict[int, _End] = field(init=False, default_factory=dict)  # of chains of stages
    _hired: dict[int, Team] = field(init=False, default_factory=dict)
    _sliced: Input | None = field(init=False, default=None)
    _claims: dict[int, _Claim] = field(init=False, default_factory=dict)  # of chains, the last that was not confirmed

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
                if self._may_deepen(stage) and not self._is_repeated(stage, outcome):
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
        return self.stop.is_set() or (self._is_limited and min(self._left()) <= 0)

    @property
    def _is_limited(self) -> bool:
        return self._end is not None or self.cpu is not None

    def _left(self) -> _Left:
        return _Left(
            math.inf if self._end is None else self._end - monotonic(),
            math.inf if self.cpu is None else self.cpu.left(),
        )

    def _carry_out(self, stage: Stage) -> Outcome:
        self.recorder.begin(stage)
        limits, is_share = self._limits(stage)
        outcome = carry_out_stage(
            stage,
            self.plan,
            self._open(),
            limits=limits,
            recorder=self.recorder,
            facts=self._facts(stage),
            hired=self._hired.pop(stage.number, None),
        )
        outcome = _judged(self._whole(outcome), stage, is_share=is_share)
        self.outcomes[stage.number] = outcome
        reason = outcome.unknown.reason if outcome.unknown is not None else None
        self.recorder.end(outcome, final=reason not in (Reason.TIMEOUT, Reason.INTERRUPTED, Reason.WORKERS))
        return outcome

    def _limits(self, stage: Stage) -> tuple[Limits, bool]:
        """And whether the stage has less time than is left. Larger bounds have the rest of the first ones' share."""
        seconds, longest, cpu_seconds, cpu, is_share = 0.0, 0.0, 0.0, None, False
        if self._is_limited:
            last = math.inf if self._end is None else self._end
            end = self._ends.setdefault(stage.chain, _share(stage, self._left(), last))
            is_share = end.moment < last or end.kept > 0
            seconds = max(end.moment - monotonic(), 0.001) if end.moment < math.inf else 0.0
            longest = max(last - monotonic(), 0.001) if last < math.inf else 0.0
            cpu = self.cpu.without(end.kept) if self.cpu is not None else None
        elif patience := stage.patience or stage.seconds:
            is_share = True
            seconds, cpu_seconds = (0.0, patience) if is_alone(stage, self.plan) else (patience, 0.0)
        limits = Limits(
            seconds=seconds,
            longest=longest,
            cpu_seconds=cpu_seconds,
            cpu=cpu,
            memlimit_mb=self.memlimit_mb,
            stop=self.stop,
        )
        return limits, is_share

    def _decided(self) -> tuple[str, ...]:
        return next((one.decided for one in self.outcomes.values() if one.decided), ())

    def _open(self) -> Input:
        """The input without the checks that are decided, which become assumptions; unless somebody wants one invariant
        that proves all of them."""
        decided, wants = self._decided(), self.plan.tells_invariant or self.plan.tells_loops
        if not decided or wants or not self.input.is_c:
            return self.input
        if self._sliced is None:
            left = tuple(name for name in places_of(self.input.program) if name not in decided)
            self._sliced = self.input.with_c(only=left) if left else self.input
        return self._sliced

    def _whole(self, outcome: Outcome) -> Outcome:
        """A verdict about the checks that were left is one about all of them."""
        decided = self._decided()
        if not decided or self._open() is self.input:
            return outcome
        added = f"; {count(len(decided), 'other check')} by intervals, checked block by block"
        proved = outcome.safe or outcome.bounded
        changes: dict[str, Any] = {"checked": checks_of(self.input.program) if outcome.checked else {}}
        if proved is not None:
            name = "safe" if outcome.safe is not None else "bounded"
            changes[name] = replace(proved, validation=proved.validation + added)
        return msgspec.structs.replace(outcome, **changes)

    def _facts(self, stage: Stage) -> Facts | None:
        found = self.outcomes.get(stage.uses) if stage.uses is not None else None
        return found.facts if found is not None else None

    def _hire_ahead(self, stage: Stage, following: Sequence[Stage]) -> None:
        """Workers for the next stage start and read the program while this one executes it."""
        if stage.role != "violations" or not following or self.plan.place.runtime != "local":
            return
        coming = following[0]
        if coming.uses is None and not is_alone(coming, self.plan):
            search = make_search(coming, self.plan, self._open(), None)
            with suppress(StoppedError):  # the stage itself will tell
                self._hired[coming.number] = make_team(coming, self.plan, search, self.recorder, self.memlimit_mb)

    def _is_repeated(self, stage: Stage, outcome: Outcome) -> bool:
        """Whether a larger bound has only led to the same work, and to the same claim that can't be confirmed."""
        if outcome.unknown is None or outcome.unknown.reason is not Reason.UNCONFIRMED:
            return False
        work = {name: n for name, n in outcome.counters.items() if isinstance(n, int) and name not in _BY_ITSELF}
        claim = (outcome.unknown.detail, tuple(sorted(work.items())))
        before, self._claims[stage.chain] = self._claims.get(stage.chain), claim
        return claim == before

    def _may_deepen(self, stage: Stage) -> bool:
        if not stage.deepens or self.is_over():
            return False
        if self._is_limited:
            left, end = self._left(), self._ends[stage.chain]
            return min(left.wall, end.moment - monotonic(), left.cpu - end.kept) > _LEAST_SECONDS
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
            for name in (
                "seconds",
                "counters",
                "assumptions",
                "checked",
                "predicates",
                "facts",
                "decided",
                "refused",
                "drawings",
            )
        },
    )
