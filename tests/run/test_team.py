"""Workers of a stage: what happens to them, or to the process that they work for, changes no answer."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cleave.engines.coordination import Event, Hire, Joined, Lost, Passed, Received
from cleave.engines.engine import Setting
from cleave.engines.findings import Finding, GaveUp, Proof
from cleave.engines.inline.messages import Closed, Outcome, encode, from_worker
from cleave.engines.inline.search import InlineSearch, coverage
from cleave.frontends.input import Input
from cleave.run.plan import Place
from cleave.run.team import Team
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.verdict import Reason
from support.runs import Notes, run_stage
from support.sums import LONG, OFTEN, closed_ids, splits, sums

Act = Callable[[list[Event]], None]
LOCAL = Place()


class Stage:
    """A stage with two workers, whose ``events`` are kept. ``act`` is called whenever something was kept."""

    def __init__(self, text: str, act: Act = lambda events: None, before: Sequence[Event] = ()) -> None:
        input = Input.of("program.bpl", text.encode(), "main")
        self.search = InlineSearch.make(input, OFTEN, Setting(workers=2))
        self.events = list(before)
        self.halt = threading.Event()
        self._act = act

    def team(self, place: Place = LOCAL) -> Team:
        before = [(float(number), event) for number, event in enumerate(self.events)]
        return Team(self.search, place, self._record, before=before)

    def solve(self) -> Finding[Any]:
        with self.team() as team:
            outcome = team.solve(self.halt, lambda counters: None)
            assert list(team.events()) == self.events
            if isinstance(outcome, Reason):
                return GaveUp(outcome)
            return self.search.found(outcome, team.coordinator.counters())

    def again(self) -> Stage:
        """As whoever goes on with it makes it, from what was kept."""
        return Stage(self.search.input.source.decode(), before=self.events)

    def _record(self, events: Sequence[Event]) -> None:
        self.events += events
        self._act(self.events)


def assert_covered(found: Finding[Any], events: list[Event]) -> None:
    assert isinstance(found, Proof)
    assert coverage(events).holds
    assert found.evidence == len(closed_ids(events)) == len(set(closed_ids(events))) == splits(events) + 1


def process_of(events: list[Event], worker: int) -> int:
    place = next(event.place for event in events if isinstance(event, Joined) and event.worker == worker)
    (number,) = re.findall(r"process (\d+)", place)
    return int(number)


def test_a_worker_that_is_killed_at_work_changes_nothing() -> None:
    killed: list[int] = []

    def kill(events: list[Event]) -> None:
        if not killed and splits(events) > 5:
            killed.append(process_of(events, 1))
            os.kill(killed[0], signal.SIGKILL)

    stage = Stage(LONG, kill)
    assert_covered(stage.solve(), stage.events)
    assert [event.worker for event in stage.events if isinstance(event, Lost)] == [1]


# --- stages that stop -----------------------------------------------------------------------------------------------


def stopped_in_the_middle() -> Stage:
    """A stage that was stopped when some of its partitions were closed."""

    def stop(events: list[Event]) -> None:
        if len(closed_ids(events)) > 3:
            stage.halt.set()

    stage = Stage(LONG, stop)
    assert stage.solve() == GaveUp(Reason.INTERRUPTED)
    return stage


def test_a_stage_that_was_stopped_goes_on_and_solves_nothing_twice() -> None:
    stopped = stopped_in_the_middle()
    before = list(stopped.events)
    assert 3 < len(closed_ids(before)) <= splits(before), "something is closed and something is open"
    stage = stopped.again()
    assert_covered(stage.solve(), stage.events)
    assert stage.events[: len(before)] == before
    old, new = ({e.worker for e in part if isinstance(e, Joined)} for part in (before, stage.events[len(before) :]))
    assert new
    assert max(old) < min(new), "no number is used again"
    assert {event.worker for event in stage.events if isinstance(event, Lost)} >= old


def finished() -> Stage:
    """One that stopped after its last event and before its outcome was kept."""
    stage = Stage(sums(6, target=7))
    assert isinstance(stage.solve(), Proof)
    return stage


def test_a_stage_that_stopped_before_its_outcome_needs_no_worker_for_it() -> None:
    first = finished()
    stage = first.again()
    assert_covered(stage.solve(), stage.events)
    assert stage.events == first.events


def test_every_beginning_of_a_stage_leads_to_the_same_answer() -> None:
    events = finished().events
    text = sums(6, target=7)
    for length in range(1, len(events), max(1, len(events) // 6)):
        stage = Stage(text, before=events[:length])
        assert_covered(stage.solve(), stage.events)


@pytest.mark.parametrize("events", [[Passed(1.5)], [Passed(1.5), Joined(1), Lost(1)], [Joined(1), Passed(1.5)]])
def test_a_stage_that_goes_on_hires_as_many_as_it_had_wanted(
    monkeypatch: pytest.MonkeyPatch, events: list[Event]
) -> None:
    hired: list[int] = []

    class Recorded(SimulatedCrew):
        def hire(self, workers: int) -> None:
            hired.append(workers)
            super().hire(workers)

    monkeypatch.setattr("cleave.runtime.simulation.crew.SimulatedCrew", Recorded)
    stage = Stage(LONG, before=events)
    stage.halt.set()
    with stage.team(Place(runtime="simulated")) as team:
        assert team.solve(stage.halt, lambda counters: None) is Reason.INTERRUPTED
    assert hired[-1] == Hire(2).workers


# --- events that are not what they were -----------------------------------------------------------------------------


def test_a_partition_that_was_closed_under_other_decisions_is_a_gap() -> None:
    events = finished().events
    last = [name for name in closed_ids(events) if name][-1]

    def weakened(event: Event) -> Event:
        message = from_worker(event.message) if isinstance(event, Received) else None
        if not isinstance(message, Outcome) or message.id != last or not isinstance(message.answer, Closed):
            return event
        assert isinstance(event, Received)
        (meaning, reach), *others = message.answer.decisions
        answer = Closed(None, ((meaning, not reach), *others), "checked")
        return Received(event.worker, encode(Outcome(last, answer, message.effort)))

    stage = Stage(sums(6, target=7), before=[weakened(event) for event in events])
    assert isinstance(stage.solve(), Proof), "the coordinator believes its workers"
    cover = coverage(stage.events)
    assert not cover.holds
    assert f"partition {last!r} was closed under other decisions than its own" in cover.text
    recorder = Notes({1: [(0.0, event) for event in stage.events]})
    verdict = run_stage("program.bpl", sums(6, target=7), "inline", OFTEN, workers=2, recorder=recorder).unknown
    assert verdict is not None
    assert verdict.reason is Reason.UNCONFIRMED
    assert cover.text in verdict.detail


def test_what_was_not_kept_as_closed_is_solved_again() -> None:
    whole = finished().events
    last = closed_ids(whole)[-1]
    events = list(whole)
    while closed_ids(events)[-1:] == [last]:
        events.pop()
    assert closed_ids(events) == closed_ids(whole)[:-1]
    stage = Stage(sums(6, target=7), before=events)
    assert_covered(stage.solve(), stage.events)
    assert closed_ids(stage.events).count(last) <= 1
