"""Virtual workers: the arithmetic of virtual time, workers that end, and that a thousand of them are cheap."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from cleave.engines.coordination import Clock, Event, Joined, Lost, Received, Turn, Work, Worker
from cleave.errors import CleaveError
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from runtime.toy import WORKER, Adding, Task, encode_task, total

NOTHING = Assignment("", b"")


def counting(task: bytes, number: int, clock: Clock | None) -> Work:
    """Answers every batch of messages with their number, at a cost of 100."""
    cost = 0
    incoming = yield Turn(idle=True)
    while True:
        cost += 100
        incoming = yield Turn((str(len(incoming)).encode(),), idle=True, cost=cost)


def chattering(task: bytes, number: int, clock: Clock | None) -> Work:
    """Never waits and sends the number of its turn in each, at a cost of 100."""
    turn = 0
    while True:
        yield Turn((str(turn).encode(),), cost=100 * turn)
        turn += 1


def scripted(
    worker: Worker, *, workers: int = 1, faults: Faults = NO_FAULTS, handling: float = 0.0, latency: float = 0.5
) -> SimulatedCrew:
    """A crew in which a cost of 100 is a second."""
    crew = SimulatedCrew(NOTHING, worker=worker, latency=latency, cost_per_second=100, handling=handling, faults=faults)
    crew.hire(workers)
    return crew


def timed(crew: SimulatedCrew, until: float) -> Iterator[tuple[float, Event]]:
    """Each event with its time, to the millisecond."""
    while crew.now() < until:
        for event in crew.events(until - crew.now()):
            yield round(crew.now(), 3), event


# Virtual time


def test_a_turn_takes_its_cost_and_a_message_the_latency() -> None:
    crew = scripted(counting)
    assert list(timed(crew, 2.0)) == [(1.0, Joined(1, "simulated"))]
    crew.send(1, b"")
    assert list(timed(crew, 10.0)) == [(4.0, Received(1, b"1"))]
    assert crew.now() == 10.0


def test_workers_work_at_the_same_time() -> None:
    crew = scripted(counting, workers=2)
    assert len(crew.events(2.0)) == 2
    for worker in (1, 2):
        crew.send(worker, b"")
    assert list(timed(crew, 10.0)) == [(3.0, Received(1, b"1")), (3.0, Received(2, b"1"))]
    assert crew.statistics.busy == pytest.approx({1: 1.0, 2: 1.0}, abs=1e-5)
    assert crew.statistics.turns == 4
    assert crew.statistics.messages == crew.statistics.frames == 4
    assert crew.statistics.bytes == 2


def test_what_arrives_during_a_turn_is_seen_in_the_next() -> None:
    crew = scripted(counting)
    crew.events(2.0)
    crew.send(1, b"")
    crew.send(1, b"together with the first")
    crew.events(0.75)
    for _ in range(3):
        crew.send(1, b"too late for the first turn")
    assert list(timed(crew, 10.0)) == [(3.0, Received(1, b"2")), (4.0, Received(1, b"3"))]


def test_waiting_ends_after_so_many_virtual_seconds() -> None:
    crew = scripted(counting)
    assert crew.events(0.25) == []
    assert crew.now() == 0.25
    assert crew.events(0.0) == []
    assert crew.now() == 0.25
    assert crew.events(math.inf) == [Joined(1, "simulated")]
    assert crew.events(math.inf) == []  # nothing can happen any more
    assert crew.now() < 1.1


def test_the_workers_clock_tells_when_its_turn_began() -> None:
    def telling(task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        yield Turn(idle=True, cost=25)
        yield Turn((str(clock()).encode(),), idle=True, cost=100)

    crew = scripted(telling)
    assert list(timed(crew, 2.0)) == [(1.25, Joined(1, "simulated"))]
    crew.send(1, b"")
    assert list(timed(crew, 4.0)) == [(3.75, Received(1, b"2.5"))]


def test_the_coordinator_may_take_its_time() -> None:
    crew = scripted(counting, workers=3, handling=0.125)
    crew.events(2.0)
    for worker in (1, 2, 3):
        crew.send(worker, b"")
    assert [time for time, _ in timed(crew, 10.0)] == [3.125, 3.25, 3.375]


def test_turns_that_cost_nothing_do_not_stop_the_clock() -> None:
    def free(task: bytes, number: int, clock: Clock | None) -> Work:
        while True:
            yield Turn()

    crew = scripted(free, latency=0.001)
    assert crew.events(math.inf) == [Joined(1, "simulated")]
    assert crew.events(0.01) == []
    assert crew.now() > 0.01


def test_closing_counts_the_turn_that_is_under_way() -> None:
    crew = scripted(counting)
    crew.events(2.0)
    crew.send(1, b"")
    crew.events(0.75)
    crew.close()
    assert crew.statistics.busy == pytest.approx({1: 0.25}, abs=1e-5)
    assert crew.events(1.0) == []


# Workers that end


def test_a_crash_loses_the_messages_of_its_turn() -> None:
    """Turn k ends at second k + 0.5 with message k. Whatever was sent by the crash arrives, nothing else does."""
    crew = scripted(chattering, faults=Faults(crash_every=5.0))
    happened = list(timed(crew, 60.0))
    crashes = [(time, event.worker) for time, event in happened if isinstance(event, Lost)]
    assert len(crashes) >= 5
    assert crew.statistics.crashes >= len(crashes)
    for crashed, worker in crashes:
        joined = next(time for time, event in happened if event == Joined(worker, "simulated"))
        messages = [event.message for _, event in happened if isinstance(event, Received) and event.worker == worker]
        # Turn 0 costs nothing, and each later one a second; joining and losing are noticed after the same latency.
        assert messages == [str(turn).encode() for turn in range(math.floor(crashed - joined + 1e-3) + 1)]


def test_a_crashed_worker_is_replaced_under_a_new_number() -> None:
    crew = scripted(counting, workers=3, faults=Faults(crash_every=1.0, start_seconds=2.0))
    there: set[int] = set()
    numbers = []
    for _, event in timed(crew, 30.0):
        match event:
            case Joined(worker=worker):
                there.add(worker)
                numbers.append(worker)
            case Lost(worker=worker):
                there.remove(worker)
        assert len(there) <= 3
    assert len(numbers) == len(set(numbers)) > 10


def test_a_zombies_messages_are_dropped() -> None:
    alive: set[int] = set()

    def watched(task: bytes, number: int, clock: Clock | None) -> Work:
        alive.add(number)
        try:
            yield from chattering(task, number, clock)
        finally:
            alive.discard(number)

    crew = scripted(watched, faults=Faults(zombie_every=5.0, zombie_seconds=20.0))
    lost: set[int] = set()
    haunted = False
    for _, event in timed(crew, 100.0):
        match event:
            case Lost(worker=worker, reason=reason):
                lost.add(worker)
                assert reason == "silent"
            case Received(worker=worker):
                assert worker not in lost
        haunted |= bool(lost & alive)
    assert haunted
    assert crew.statistics.zombies == len(lost) > 5
    assert len(alive) < len(lost)
    crew.close()
    assert not alive


def test_a_worker_that_raises_is_lost_after_what_it_sent() -> None:
    def failing(task: bytes, number: int, clock: Clock | None) -> Work:
        yield Turn(idle=True)
        yield Turn((b"last words",))
        raise MemoryError if number == 2 else ValueError("no such thing")

    crew = scripted(failing, workers=1)
    events: list[Event] = []
    for number in (1, 2):
        events += crew.events(2.0)
        crew.send(number, b"")
        events += [event for _ in range(2) for event in crew.events(2.0)]
    assert [event for event in events if not isinstance(event, Joined)] == [
        Received(1, b"last words"),
        Lost(1, "ValueError: no such thing"),
        Received(2, b"last words"),
        Lost(2, "memory"),
    ]


def test_workers_that_can_not_start_end_the_run() -> None:
    def failing(task: bytes, number: int, clock: Clock | None) -> Work:
        raise ValueError("no such task")

    with pytest.raises(CleaveError, match="can't start: ValueError: no such task"):
        scripted(failing).events(2.0)


# Scale


def add_up(task: Task) -> SimulatedCrew:
    with SimulatedCrew(Assignment(WORKER, encode_task(task))) as crew:
        assert total(drive(Adding(task), crew, lambda _: None)) == task.expected
    return crew


def test_more_workers_take_less_virtual_time() -> None:
    times = {}
    for workers in (1, 4, 16):
        task = Task(size=20_000, workers=workers)
        crew = add_up(task)
        times[workers] = crew.now()
        # The work is the same, however many do it.
        assert sum(crew.statistics.busy.values()) == pytest.approx(20.0, rel=0.05)
    assert times[1] > 3 * times[4] > 6 * times[16]


def lines_per_event(workers: int, faults: Faults) -> float:
    """Lines of Python that run for each event while ten of so many workers are sent messages."""
    crew = scripted(counting, workers=workers, faults=faults)
    while crew.now() < 100.0:
        crew.events(100.0 - crew.now())
    lines = events = 0

    def trace(frame: FrameType, kind: str, _: object) -> Any:
        nonlocal lines
        lines += kind == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for worker in range(1, 11):
            crew.send(worker, b"")
        for _ in range(20):
            events += len(crew.events(1.0))
    finally:
        sys.settrace(before)
    assert events == 10
    return lines / events


@pytest.mark.parametrize("faults", [NO_FAULTS, Faults(drop=1e-9)], ids=["plain", "reliable"])
def test_an_event_costs_the_same_with_a_thousand_workers(faults: Faults) -> None:
    assert lines_per_event(1000, faults) == lines_per_event(10, faults)


def test_a_thousand_workers_share_the_work() -> None:
    task = Task(size=100_000, workers=1000)
    crew = add_up(task)
    assert len(crew.statistics.busy) == 1000
    assert crew.now() < 5.0  # where one worker would take a hundred seconds
