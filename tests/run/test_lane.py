"""Stages in turn: how much time each has, what follows from its outcome, and what the journal is told."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from cleave.engines.desk import Facts
from cleave.frontends.input import Input
from cleave.run import lane as module
from cleave.run.lane import Lane
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage
from cleave.run.stage import Limits
from cleave.usage import CpuBudget, cpu_seconds
from cleave.verdict import BoundedSafe, Reason, Safe, Trace, Unknown, Unsafe, Verdict
from support.runs import Notes

SAFE = Safe("checked")
UNSAFE = Unsafe(Trace((), "x", None), "replayed")
UNCONFIRMED = Unknown(Reason.UNCONFIRMED, "the second solver did not end")
TIMEOUT = Unknown(Reason.TIMEOUT)
FACTS = Facts(b"data", "text")


def bounded(*names: str) -> BoundedSafe:
    return BoundedSafe(dict.fromkeys(names, 2), "checked")


def stage(number: int, engine: str = "inline", **about: Any) -> Stage:
    return Stage(number=number, engine=engine, purpose="", **about)


def deepening(number: int = 1, **about: Any) -> Stage:
    return stage(number, "threads", deepens=True, **about)


class Bench:
    """A lane whose stages end with the verdicts that it is given, in turn, each after ``taking`` seconds."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *verdicts: Verdict,
        seconds: float | None = None,
        cpu: CpuBudget | None = None,
        taking: float = 0.0,
        told: float = 1.0,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.verdicts = list(verdicts)
        self.seconds, self.cpu = seconds, cpu
        self.recorder = Notes()
        self.stop = threading.Event()
        self.outcomes: dict[int, Outcome] = {}
        self.done: list[Stage] = []
        self.limits: list[Limits] = []
        self.facts: list[Facts | None] = []

        def carry_out(one: Stage, plan: Plan, input: Input, **about: Any) -> Outcome:
            self.done.append(one)
            self.limits.append(about["limits"])
            self.facts.append(about["facts"])
            time.sleep(taking)
            meanwhile()
            found = FACTS if one.role == "invariants" else None
            return Outcome.of(one.number, self.verdicts.pop(0), seconds=told, facts=found)

        monkeypatch.setattr(module, "carry_out_stage", carry_out)

    def run(self, *stages: Stage, workers: int = 1) -> list[int]:
        """The numbers of stages that were carried out."""
        plan = Plan(stages=stages, workers=workers)
        Lane(plan, Input("p.bpl", b""), self.recorder, self.outcomes, self.stop, self.seconds, self.cpu).run(stages)
        assert self.recorder.begun == self.done
        return [one.number for one in self.done]

    def finals(self) -> list[bool]:
        return [final for _, final in self.recorder.ended]


# --- what follows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [SAFE, UNSAFE])
def test_what_is_settled_ends_the_lane(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> None:
    bench = Bench(monkeypatch, Unknown(Reason.SOLVER), verdict)
    assert bench.run(stage(1), stage(2), stage(3)) == [1, 2]
    assert bench.outcomes[2].settles


def test_what_is_not_settled_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, Unknown(Reason.SOLVER), bounded("recursion"), UNCONFIRMED)
    assert bench.run(stage(1), stage(2), stage(3)) == [1, 2, 3]
    assert bench.finals() == [True] * 3


@pytest.mark.parametrize(("first", "expected"), [(bounded("recursion"), [1, 2]), (Unknown(Reason.SOLVER), [1])])
def test_a_stage_that_is_for_what_is_proved_within_bounds(
    monkeypatch: pytest.MonkeyPatch, first: Verdict, expected: list[int]
) -> None:
    bench = Bench(monkeypatch, first, Unknown(Reason.BUDGET))
    assert bench.run(stage(1), stage(2, "executions", role="violations", when="bounded")) == expected


def test_facts_go_to_the_stage_that_uses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, Unknown(Reason.BUDGET), SAFE)
    bench.run(stage(1, "pdr", role="invariants"), stage(2, uses=1))
    assert bench.facts == [None, FACTS]


def test_who_asks_to_stop_is_heard_between_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, Unknown(Reason.INTERRUPTED), meanwhile=lambda: bench.stop.set())
    assert bench.run(stage(1), stage(2)) == [1]
    assert bench.finals() == [False], "it is done again when somebody goes on with the run"


# --- larger bounds --------------------------------------------------------------------------------------------------


def test_only_bounds_that_took_part_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, bounded("contexts"), bounded("unwind"), SAFE, seconds=60.0)
    bench.run(deepening())
    tried = [(one.options.get("unwind", 2), one.options.get("contexts")) for one in bench.done]
    assert tried == [(2, None), (2, [6, 7]), (3, [2, 3, 4, 5, 6, 7])]
    assert len({one.number for one in bench.done}) == 3
    assert {one.chain for one in bench.done} == {1}


def test_each_time_other_executions_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Unknown(Reason.BUDGET)
    bench = Bench(monkeypatch, bounded("contexts"), nothing, bounded("contexts"), nothing, UNSAFE, seconds=60.0)
    bench.run(deepening(probes=1000))
    assert [one.engine for one in bench.done] == ["threads", "executions", "threads", "executions", "threads"]
    executions = [one for one in bench.done if one.engine == "executions"]
    assert len({one.options["seed"] for one in executions}) == 2


def test_what_was_not_confirmed_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, UNCONFIRMED, UNSAFE, seconds=60.0)
    assert len(bench.run(deepening())) == 2
    assert bench.done[1].options["unwind"] == 3


def test_the_same_claim_after_the_same_work_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, UNCONFIRMED, UNCONFIRMED, UNSAFE, seconds=60.0)
    assert len(bench.run(deepening())) == 2


@pytest.mark.parametrize("verdict", [SAFE, UNSAFE, TIMEOUT, Unknown(Reason.SOLVER), Unknown(Reason.MEMORY)])
def test_nothing_follows_what_is_settled_or_stuck(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> None:
    assert Bench(monkeypatch, verdict, seconds=60.0).run(deepening()) == [1]


def test_the_next_stage_comes_after_all_larger_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, bounded("contexts"), Unknown(Reason.SOLVER), SAFE, seconds=60.0)
    assert bench.run(deepening(), stage(2)) == [1, 101, 2]


def test_without_any_limit_larger_bounds_have_the_stages_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, *[bounded("contexts")] * 9, told=1.0)
    assert len(bench.run(deepening(patience=2.5))) == 3
    assert Bench(monkeypatch, bounded("contexts")).run(deepening()) == [1], "without patience the first bounds are all"


def test_a_stage_that_deepens_begins_beyond_what_its_engine_proved_before(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = BoundedSafe({"recursion": 9}, "checked")
    bench = Bench(monkeypatch, proved, SAFE)
    bench.run(stage(1), stage(2, deepens=True, patience=10.0))
    assert bench.done[1].number == 2
    assert bench.done[1].options["bounds"][-1] > 9


# --- time -----------------------------------------------------------------------------------------------------------


def test_a_stage_has_its_share_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Unknown(Reason.SOLVER)
    bench = Bench(monkeypatch, unknown, unknown, unknown, seconds=100.0)
    bench.run(stage(1, share=0.25), stage(2, share=0.5, seconds=30.0), stage(3))
    assert [limits.seconds for limits in bench.limits] == pytest.approx([25.0, 30.0, 100.0], abs=1.0)
    assert all(limits.cpu_seconds == 0.0 for limits in bench.limits)


def test_processor_time_is_shared_whatever_the_wall_time_is(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Unknown(Reason.SOLVER)
    bench = Bench(monkeypatch, unknown, unknown, unknown, cpu=CpuBudget(100.0, os.getpid(), cpu_seconds()))
    bench.run(stage(1, share=0.25), stage(2, share=0.5, seconds=30.0), stage(3), workers=4)
    assert [limits.cpu.left() for limits in bench.limits if limits.cpu] == pytest.approx([25.0, 50.0, 100.0], abs=1.0)
    assert [limits.seconds for limits in bench.limits] == pytest.approx([0.0, 30.0, 0.0], abs=1.0)


def test_nothing_begins_when_the_processor_time_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Bench(monkeypatch, cpu=CpuBudget(1.0, os.getpid(), cpu_seconds() - 2)).run(stage(1)) == []


def test_larger_bounds_have_the_rest_of_the_first_ones_share(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, *[bounded("contexts")] * 3, TIMEOUT, SAFE, seconds=8.0, taking=0.5)
    assert bench.run(deepening(share=0.25), stage(2)) == [1, 101, 2], "less than a second is left of two"
    assert bench.limits[1].seconds == pytest.approx(1.5, abs=0.2)
    assert bench.limits[2].seconds == pytest.approx(7.0, abs=0.3)


def test_without_any_limit_patience_is_in_processor_time_where_there_are_no_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = Unknown(Reason.SOLVER)
    bench = Bench(monkeypatch, unknown, unknown, unknown)
    bench.run(stage(1, patience=10.0), stage(2, patience=10.0, workers=2), stage(3), workers=2)
    assert [(one.seconds, one.cpu_seconds) for one in bench.limits] == [(0.0, 10.0), (10.0, 0.0), (0.0, 0.0)]


def test_whose_share_is_over_has_spent_a_budget_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, Unknown(Reason.TIMEOUT, "how far"), TIMEOUT, seconds=60.0)
    bench.run(stage(1, share=0.5), stage(2))
    assert [one.unknown for one in bench.outcomes.values()] == [Unknown(Reason.BUDGET, "how far"), TIMEOUT]
    assert bench.finals() == [True, False], "more time could change only the last one"


def test_nothing_begins_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Bench(monkeypatch, seconds=0.0).run(stage(1)) == []
    assert Bench(monkeypatch, Unknown(Reason.SOLVER), seconds=0.2, taking=0.3).run(stage(1), stage(2)) == [1]


# --- workers that start ahead ---------------------------------------------------------------------------------------


class Team:
    """Stands for workers: remembers whether somebody let them go."""

    def __init__(self) -> None:
        self.gone = False

    def __exit__(self, *_: object) -> None:
        self.gone = True


@pytest.mark.parametrize(("first", "left"), [(Unknown(Reason.BUDGET), False), (UNSAFE, True)])
def test_workers_read_the_program_while_it_is_executed(
    monkeypatch: pytest.MonkeyPatch, first: Verdict, left: bool
) -> None:
    teams: list[Team] = []

    def make_team(*_: Any) -> Team:
        teams.append(Team())
        return teams[-1]

    monkeypatch.setattr(module, "make_search", lambda *_: None)
    monkeypatch.setattr(module, "make_team", make_team)
    bench = Bench(monkeypatch, first, SAFE)
    bench.run(stage(1, "executions", role="violations"), stage(2, workers=2), workers=2)
    assert len(teams) == 1
    assert teams[0].gone == left, "who was hired for a stage that never begins is let go"
