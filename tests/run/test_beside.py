"""Lanes side by side, each in a process: which one settles it, and what becomes of the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cleave import Options, PdrOptions, verify
from cleave.engines import registry
from cleave.engines.coordination import Joined
from cleave.errors import UnsupportedError, UsageError
from cleave.frontends.input import Input
from cleave.journal.journal import Journal, RunInfo
from cleave.run import beside as module
from cleave.run.beside import beside
from cleave.run.carry_out import JournalRecorder
from cleave.run.merge import merge
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage, given_options, groups
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown

PLUGINS = Path(__file__).parents[1] / "support" / "plugins"
PROGRAM = b"procedure main() { assert true; }"
INFO = RunInfo(
    id="r",
    files=("p.bpl",),
    engine="toy",
    workers=2,
    runtime="local",
    options={},
    started=datetime.now(UTC),
    version="0",
    source="",
)
LONG = 60.0


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the toy package was installed, also for the processes of lanes."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    monkeypatch.setenv("PYTHONPATH", str(PLUGINS))
    registry.engine.cache_clear()
    yield
    registry.engine.cache_clear()


class Run:
    """Lanes of toys, each told what to say and after how many seconds."""

    def __init__(self, *lanes: list[tuple[str, float]]) -> None:
        stages = [
            Stage(
                number=10 * lane + number,
                engine="toy",
                purpose="",
                options={"says": says, "seconds": seconds},
                lane=lane,
            )
            for lane, own in enumerate(lanes)
            for number, (says, seconds) in enumerate(own, start=1)
        ]
        self.plan = Plan(stages=tuple(stages), workers=len(lanes))
        self.journal = Journal.in_memory(INFO)
        self.news: list[tuple[int, Any]] = []
        self.begun: list[int] = []
        self.outcomes: dict[int, Outcome] = {}
        self.seconds = 0.0

    def run(self, stop: threading.Event | None = None, seconds: float | None = None) -> dict[int, Outcome]:
        recorder = JournalRecorder(
            self.plan, self.journal, lambda stage, news, _: self.news.append((stage.number, news))
        )
        begin = recorder.begin

        def note(stage: Stage) -> None:
            begin(stage)
            self.begun.append(stage.number)

        recorder.begin = note  # type: ignore[method-assign]
        (lanes,) = groups(self.plan.stages)
        started = time.monotonic()
        input = Input.of("p.bpl", PROGRAM)
        beside(lanes, self.plan, input, recorder, self.outcomes, stop=stop or threading.Event(), seconds=seconds)
        self.seconds = time.monotonic() - started
        return self.outcomes

    def finished(self) -> set[int]:
        """Stages that the journal says will not be done again."""
        return {row.number for row in self.journal.stages() if row.outcome is not None}


@pytest.mark.parametrize("lanes", [(("safe", 0.2), ("unknown", LONG)), (("unknown", LONG), ("safe", 0.2))])
def test_what_settles_it_ends_the_other(lanes: tuple[tuple[str, float], ...]) -> None:
    run = Run(*([one] for one in lanes))
    (outcome,) = run.run().values()
    assert outcome.verdict == Safe("because")
    assert run.seconds < LONG / 2
    assert run.finished() == {outcome.stage}, "the other one has no outcome, and could go on"
    assert {row.number for row in run.journal.stages()} == {1, 11}


def test_a_verdict_within_bounds_waits_for_a_better_one() -> None:
    outcomes = Run([("bounded", 0.0)], [("unknown", 0.2), ("safe", 0.2)]).run()
    assert {number: one.verdict.word for number, one in outcomes.items()} == {
        1: "bounded-safe",
        11: "unknown",
        12: "safe",
    }


def test_stages_of_a_lane_are_in_turn_and_end_with_what_is_settled() -> None:
    run = Run([("unknown", 0.0), ("safe", 0.0), ("unknown", 0.0)], [("unknown", 0.0)])
    assert 3 not in run.run()
    assert run.outcomes[2].settles


def test_counters_reach_the_process_of_the_run() -> None:
    run = Run([("unknown", 0.6)], [("bounded", 0.0)])
    outcomes = run.run()
    assert {stage for stage, news in run.news if news.get("rounds")} >= {1}
    assert outcomes[1].counters["rounds"] > 5


@pytest.mark.parametrize("word", ["crashes", "memory"])
def test_a_process_that_is_lost_is_an_outcome(word: str) -> None:
    run = Run([(word, 0.0), ("safe", 0.0)], [("bounded", 0.5)])
    outcomes = run.run()
    lost = outcomes[1].verdict
    assert isinstance(lost, Unknown)
    if word == "crashes":
        assert lost.reason is Reason.SOLVER
        assert "SIGKILL" in lost.detail
        assert set(outcomes) == {1, 11}, "its lane is lost with it"
        assert outcomes[11].verdict == BoundedSafe({"rounds": 1}, "because")
    else:
        assert lost.reason is Reason.MEMORY
        assert outcomes[2].settles, "that takes no process with it"
    assert 1 in run.finished()


def test_an_engine_that_refuses_the_problem_leaves_it_to_the_others() -> None:
    run = Run([("refuses", 0.0)], [("safe", 0.3)])
    outcomes = run.run()
    assert merge(run.plan, outcomes, Input("p.bpl", PROGRAM), seconds=1.0).verdict == Safe("because")
    both = Run([("refuses", 0.0)], [("refuses", 0.0)])
    both.run()
    with pytest.raises(UnsupportedError, match="not for toys") as raised:
        merge(both.plan, both.outcomes, Input("p.bpl", PROGRAM), seconds=1.0)
    assert (raised.value.file, raised.value.line) == ("p.bpl", 3)


def test_an_error_of_the_user_reaches_whoever_called() -> None:
    with pytest.raises(UsageError, match="toys are not used like that"):
        Run([("misused", 0.0)], [("misused", 0.0)]).run()
    run = Run([("misused", 0.0), ("safe", 0.0)], [("bounded", 0.3)])
    assert {number: one.verdict.word for number, one in run.run().items()} == {1: "unknown", 11: "bounded-safe"}
    assert run.finished() == {11}


def test_why_nobody_knows() -> None:
    run = Run([("unknown", 0.0)], [("unknown", LONG)])
    verdict = merge(run.plan, run.run(seconds=1.0), Input("p.bpl", PROGRAM), seconds=1.0).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason is Reason.TIMEOUT
    assert "what was the question?" in verdict.detail


def test_who_asks_to_stop_is_heard() -> None:
    run, stop = Run([("safe", LONG)], [("safe", LONG)]), threading.Event()

    def ask() -> None:
        while len(run.begun) < 2:
            time.sleep(0.02)
        stop.set()

    threading.Thread(target=ask, daemon=True).start()
    outcomes = run.run(stop)
    assert run.seconds < LONG / 2
    assert [one.unknown.reason for one in outcomes.values() if one.unknown] == [Reason.INTERRUPTED] * 2
    assert run.finished() == set(), "both go on when the run is resumed"


def test_a_time_limit_ends_all_lanes() -> None:
    run = Run([("safe", LONG)], [("safe", LONG)])
    outcomes = run.run(seconds=1.0)
    assert 0.9 < run.seconds < LONG / 2
    assert [one.unknown.reason for one in outcomes.values() if one.unknown] == [Reason.TIMEOUT] * 2
    assert run.finished() == set()


def test_a_process_that_does_not_hear_the_limit_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deaf = tmp_path / "toy_engine.py"
    deaf.write_text((PLUGINS / "toy_engine.py").read_text().replace("desk.watch.check()", "pass"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{PLUGINS}")
    monkeypatch.setattr(module, "_GRACE_SECONDS", 0.5)
    run = Run([("safe", LONG)], [("unknown", 0.0)])
    outcomes = run.run(seconds=1.0)
    assert run.seconds < LONG / 2
    assert outcomes[1].verdict == Unknown(Reason.TIMEOUT)
    assert run.finished() == {11}


def test_events_of_workers_in_a_lane_are_in_the_journal() -> None:
    """Two engines with workers of their own, in two hosts; the first lane can't settle anything."""
    text = b"""
    procedure main() { var x, y: int; x, y := 0, 0; while (*) { x, y := x + 1, y + 2; } assert y == 2 * x; }
    """
    run = Run([], [])
    run.plan = Plan(
        stages=(
            Stage(number=1, engine="inline", purpose="", options={"bounds": [2]}, workers=2),
            Stage(
                number=2,
                engine="pdr",
                purpose="",
                options=given_options(PdrOptions(alone_seconds=0.0)),
                workers=2,
                lane=1,
            ),
        ),
        workers=4,
    )
    recorder = JournalRecorder(run.plan, run.journal, lambda *_: None)
    (lanes,) = groups(run.plan.stages)
    input, outcomes = Input.of("p.bpl", text), run.outcomes
    beside(lanes, run.plan, input, recorder, outcomes, stop=threading.Event(), seconds=60.0)
    assert outcomes[2].safe is not None
    for stage in outcomes:
        joined = [event for _, event in run.journal.events(stage) if isinstance(event, Joined)]
        assert joined
        assert all("process" in event.place for event in joined)


def test_a_plan_with_an_engine_of_another_package(tmp_path: Path) -> None:
    from toy_engine import ToyOptions  # type: ignore[import-not-found]

    file = tmp_path / "p.bpl"
    file.write_bytes(PROGRAM)
    result = verify(str(file), Options(engine="toy", engines=(ToyOptions(says="bounded"),), workers=1))
    assert (result.engine, result.verdict) == ("toy", BoundedSafe({"rounds": 1}, "because"))
    assert [engine.name for engine in registry.engines()][-1] == "toy"
    with pytest.raises(UsageError, match=r"there are inline, pdr, cegar, threads, bmc, intervals, executions, .*toy"):
        verify(str(file), Options(engine="toi"))


def test_stages_that_are_added_to_a_lane_are_in_the_journal() -> None:
    """A lane that deepens; its host tells about stages that the plan does not have."""
    text = (
        b"procedure main() { call f(5); }\nprocedure f(n: int) { if (n > 0) { call f(n - 1); } else { assert false; } }"
    )
    inline = Stage(number=1, engine="inline", purpose="", options={"bounds": [1]}, deepens=True, patience=60.0)
    run = Run([], [("unknown", LONG)])
    run.plan = msgspec.structs.replace(run.plan, stages=(inline, *run.plan.stages))
    recorder = JournalRecorder(run.plan, run.journal, lambda *_: None)
    (lanes,) = groups(run.plan.stages)
    input = Input.of("p.bpl", text)
    beside(lanes, run.plan, input, recorder, run.outcomes, stop=threading.Event(), seconds=LONG)
    added = [number for number in run.outcomes if number > 50]
    assert added
    assert run.outcomes[added[-1]].unsafe is not None
    assert set(added) <= {row.number for row in run.journal.stages()}
    bounds = [recorder.stages[number].options["bounds"][-1] for number in (1, *added)]
    assert bounds == sorted(set(bounds))


def test_facts_reach_the_other_lanes() -> None:
    """The second lane waits; what the first one found is there when its next stage begins."""
    run = Run([("facts", 0.0), ("unknown", 3.0)], [("unknown", 1.5), ("asks", 0.0)])
    stages = [msgspec.structs.replace(one, uses=1) if one.number == 12 else one for one in run.plan.stages]
    run.plan = msgspec.structs.replace(run.plan, stages=tuple(stages))
    assert run.run()[12].verdict == Safe("told what others found")
