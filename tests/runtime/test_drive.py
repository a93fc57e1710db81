"""The loop between a coordinator and a crew, with both of them scripted."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from cleave.engines.coordination import Command, Event, Finish, Hire, Joined, Lost, Passed, Received, Send
from cleave.runtime.drive import Ended, drive
from cleave.verdict import Reason


class Script:
    """A crew whose events are given, one batch for each wait, which takes ``step`` seconds. Then nothing happens.

    It is the coordinator as well: commands are given for each event. ``log`` has what was done to it, in order."""

    def __init__(
        self, *batches: list[Event], commands: dict[Event, list[Command]] | None = None, step: float = 0.1
    ) -> None:
        self.log: list[object] = []
        self.closed = False
        self._batches = list(batches)
        self._commands = commands or {}
        self._step = step
        self._now = 0.0

    def hire(self, workers: int) -> None:
        self.log.append(Hire(workers))

    def send(self, worker: int, message: bytes) -> None:
        self.log.append(Send(worker, message))

    def events(self, seconds: float) -> list[Event]:
        assert seconds >= 0
        self._now += min(self._step, seconds) if not self._batches else self._step
        return self._batches.pop(0) if self._batches else []

    def now(self) -> float:
        return self._now

    def close(self) -> None:
        self.closed = True

    def start(self) -> list[Command]:
        return [Hire(2)]

    def on(self, event: Event) -> list[Command]:
        self.log.append(event)
        return self._commands.get(event, [])

    def counters(self) -> dict[str, int | float]:
        return {"events": sum(not isinstance(entry, Command | str) for entry in self.log)}

    def record(self, events: Sequence[Event]) -> None:
        self.log.append(f"recorded {len(events)}")


A, B, C = Joined(1), Received(1, b"done"), Lost(1, "late")


def test_events_are_recorded_before_their_commands_are_carried_out() -> None:
    script = Script([A], [B], commands={A: [Send(1, b"go")], B: [Finish(b"42")]})
    assert drive(script, script, script.record) == b"42"
    assert script.log == [Hire(2), "recorded 1", A, Send(1, b"go"), "recorded 1", B]
    assert not script.closed, "who made the crew closes it"


def test_nothing_follows_the_end() -> None:
    script = Script([A, B, C], commands={A: [Hire(3)], B: [Finish(b""), Hire(4)], C: [Hire(5)]})
    assert drive(script, script, script.record) == b""
    assert script.log == [Hire(2), "recorded 3", A, Hire(3), B]


def test_a_run_may_be_over_before_it_begins() -> None:
    script = Script([A])
    assert drive(script, script, script.record, commands=[Finish(b"known")]) == b"known"
    assert script.log == []


def test_a_run_goes_on_with_the_commands_given() -> None:
    script = Script([A], commands={A: [Finish(b"x")]})
    assert drive(script, script, script.record, commands=[Hire(7), Send(3, b"again")]) == b"x"
    assert script.log == [Hire(7), Send(3, b"again"), "recorded 1", A]


def test_the_time_is_told_about_once_a_second() -> None:
    script = Script(step=0.09)
    drive(script, script, script.record, timelimit=10, elapsed=100)
    times = [entry.seconds for entry in script.log if isinstance(entry, Passed)]
    assert len(times) == 9
    assert times == sorted(times)
    assert times[0] == pytest.approx(101, abs=0.1)
    assert times[-1] == pytest.approx(109.5, abs=0.5)


def test_the_time_limit_ends_a_run() -> None:
    script = Script(step=0.07)
    assert drive(script, script, script.record, timelimit=2.5) == Ended(Reason.TIMEOUT)
    assert script.now() == pytest.approx(2.5)


def test_a_wish_to_stop_ends_a_run() -> None:
    script, stop = Script([A], [B], commands={B: [Finish(b"too late")]}), threading.Event()
    assert drive(script, script, lambda _: stop.set(), stop=stop) == Ended(Reason.INTERRUPTED)
    assert script.log == [Hire(2), A]


def test_an_outcome_is_not_given_up_for_a_limit() -> None:
    script, stop = Script([A], commands={A: [Finish(b"42")]}, step=9.0), threading.Event()
    assert drive(script, script, lambda _: stop.set(), stop=stop, timelimit=1) == b"42"


def test_the_counters_are_shown_while_it_runs_and_at_its_end() -> None:
    script = Script([A], [B], commands={B: [Finish(b"")]}, step=0.6)
    shown: list[dict[str, int | float]] = []
    drive(script, script, script.record, on_counters=shown.append)
    assert shown == [{"events": 1}, {"events": 2}]


class Broken(Script):
    def on(self, event: Event) -> list[Command]:
        raise ZeroDivisionError


def test_when_the_coordinator_raises_nothing_is_left_running() -> None:
    script = Broken([A])
    with pytest.raises(ZeroDivisionError):
        drive(script, script, script.record)
    assert script.closed


def test_what_is_not_recorded_has_no_effect() -> None:
    def record(_: Sequence[Event]) -> None:
        raise OSError("no space left")

    script = Script([A], commands={A: [Send(1, b"go")]})
    with pytest.raises(OSError, match="no space left"):
        drive(script, script, record)
    assert script.log == [Hire(2)]
    assert script.closed
