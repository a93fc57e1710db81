"""Engines side by side: who wins, and what becomes of the other."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import cleave.flows.race as module
from cleave.errors import InputError
from cleave.flows.race import Runner, race
from cleave.flows.run import OnProgress
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Verdict
from cleave.verify import Options, verify


def result(verdict: Verdict, engine: str = "one") -> Result:
    return Result(verdict, engine, {}, 0.1, 1, {})


def ends(verdict: Verdict, engine: str = "one") -> Runner:
    return lambda _progress, _stop: result(verdict, engine)


def goes_on(engine: str = "other") -> Runner:
    """Works until it is told to stop."""

    def run(_progress: OnProgress, stop: threading.Event) -> Result:
        assert stop.wait(60)
        return result(Unknown(Reason.INTERRUPTED), engine)

    return run


def fails(_progress: OnProgress, _stop: threading.Event) -> Result:
    raise InputError("not for this engine")


@pytest.mark.parametrize("first", [True, False])
def test_what_settles_it_stops_the_other(first: bool) -> None:
    runners = [ends(Safe("checked")), goes_on()]
    found = race(runners if first else runners[::-1], None, None)
    assert found.verdict == Safe("checked")
    assert threading.active_count() == 1 or not any(t.name == "cleave-race" for t in threading.enumerate())


def test_a_verdict_within_bounds_waits_for_a_better_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LEAST_SECONDS", 0.2)
    within = BoundedSafe({"recursion": 3}, "checked")
    assert race([ends(within), ends(Safe("checked"), "other")], None, None).engine == "other"
    assert race([ends(within), goes_on()], None, None).verdict == within, "but not for ever"


def test_an_engine_that_can_not_leaves_it_to_the_other() -> None:
    assert race([fails, ends(Safe("checked"))], None, None).verdict == Safe("checked")
    with pytest.raises(InputError, match="not for this engine"):
        race([fails, fails], None, None)


def test_why_nobody_knows() -> None:
    found = race([ends(Unknown(Reason.SOLVER, "what")), ends(Unknown(Reason.TIMEOUT), "other")], None, None)
    assert found.verdict == Unknown(Reason.TIMEOUT, "one: solver gave up: what; other: timeout")


def test_who_asks_to_stop_is_heard() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    found = race([goes_on("one"), goes_on("other")], stop, None)
    assert isinstance(found.verdict, Unknown)
    assert found.verdict.reason is Reason.INTERRUPTED


def test_one_worker_takes_the_engine_that_fits(tmp_path: Path) -> None:
    file = f"{tmp_path}/p.bpl"
    with open(file, "w") as stream:
        stream.write("procedure main() { assert true; }")
    assert verify(file, Options(engine="auto")).engine == "inline"
