"""What every crew promises, with the toy engine on each of them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest

from cleave.engines.coordination import Event, Joined, Lost, Passed, Received
from cleave.runtime.crew import Assignment, Crew
from cleave.runtime.drive import Ended, drive
from cleave.runtime.local import LocalCrew
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import Faults
from cleave.verdict import Reason
from runtime.toy import ENVIRONMENT, WORKER, Add, Adding, Echo, Task, decode_to_coordinator, encode, encode_task, total

MakeCrew: TypeAlias = Callable[[Assignment], Crew]


def local(assignment: Assignment) -> Crew:
    return LocalCrew(assignment, environment=ENVIRONMENT)


def simulated(assignment: Assignment) -> Crew:
    return SimulatedCrew(assignment)


def simulated_with_faults(assignment: Assignment) -> Crew:
    return SimulatedCrew(assignment, faults=Faults(drop=0.3, repeat=0.3, delay=0.3, start_seconds=0.1))


def ray(assignment: Assignment) -> Crew:
    pytest.importorskip("ray")
    from cleave.runtime.ray import RayCrew
    from runtime import ray_nodes

    return RayCrew(assignment, address=ray_nodes.start())


KINDS: list[MakeCrew] = [local, simulated, simulated_with_faults, ray]


@pytest.fixture(params=KINDS, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> MakeCrew:
    kind: MakeCrew = request.param
    return kind


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    yield
    assert not processes(), "a worker outlived its crew"


def processes() -> list[int]:
    """The worker processes that this process has."""
    found = []
    own = f"PPid:\t{os.getpid()}\n"
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if own in (directory / "status").read_text() and b"cleave.runtime" in (directory / "cmdline").read_bytes():
                found.append(int(directory.name))
        except OSError:
            continue
    return found


def assignment(task: Task) -> Assignment:
    return Assignment(WORKER, encode_task(task))


def collect(crew: Crew, enough: Callable[[list[Event]], object]) -> list[Event]:
    """What happens until that is enough."""
    events: list[Event] = []
    deadline = time.monotonic() + 60
    while not enough(events):
        assert time.monotonic() < deadline, events
        events += crew.events(0.1)
    return events


def joined(events: Sequence[Event]) -> list[int]:
    return [event.worker for event in events if isinstance(event, Joined)]


def echoes(events: Sequence[Event]) -> list[tuple[int, bytes]]:
    messages = [(e.worker, decode_to_coordinator(e.message)) for e in events if isinstance(e, Received)]
    return [(worker, message.payload) for worker, message in messages if isinstance(message, Echo)]


def check_promises(events: Sequence[Event]) -> None:
    """A worker is heard of only between its joining and its loss, and no number is used again."""
    seen: set[int] = set()
    there: set[int] = set()
    for event in events:
        match event:
            case Joined(worker=worker):
                assert worker not in seen
                seen.add(worker)
                there.add(worker)
            case Lost(worker=worker):
                there.remove(worker)
            case Received(worker=worker):
                assert worker in there
            case Passed():
                pass


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_add_up_the_numbers(make: MakeCrew, workers: int) -> None:
    task = Task(size=5000, workers=workers)
    record: list[Event] = []
    with closing(make(assignment(task))) as crew:
        assert total(drive(Adding(task), crew, record.extend)) == task.expected
    check_promises(record)


def test_more_workers_may_be_hired_later(make: MakeCrew) -> None:
    task = Task(size=5000, workers=1, later=2)
    with closing(make(assignment(task))) as crew:
        assert total(drive(Adding(task), crew, lambda _: None)) == task.expected


def test_hiring_means_so_many_in_all(make: MakeCrew) -> None:
    with closing(make(assignment(Task(size=1)))) as crew:
        crew.hire(1)
        events = collect(crew, joined)
        crew.hire(3)
        crew.hire(3)
        events += collect(crew, lambda more: len(joined(more)) == 2)
        crew.hire(3)
        events += crew.events(0.2)
    assert len(set(joined(events))) == len(joined(events)) == 3


def test_a_lost_workers_range_is_added_by_another(make: MakeCrew) -> None:
    task = Task(size=3000, workers=2, fault="raise", fault_at=1234, fault_until=3)
    coordinator = Adding(task)
    record: list[Event] = []
    with closing(make(assignment(task))) as crew:
        assert total(drive(coordinator, crew, record.extend)) == task.expected
    assert coordinator.lost >= 1
    assert [event.worker for event in record if isinstance(event, Lost)]
    check_promises(record)


def test_what_is_sent_to_a_lost_worker_is_dropped(make: MakeCrew) -> None:
    with closing(make(assignment(Task(size=10, fault="raise")))) as crew:
        crew.hire(1)
        [number] = joined(collect(crew, joined))
        crew.send(number, encode(Add((0, 10))))
        events = collect(crew, joined)
        assert isinstance(events[0], Lost)
        assert events[0].worker == number
        crew.send(number, encode(Echo(b"to nobody")))
        crew.send(number + 1000, encode(Echo(b"to nobody")))
        [other] = joined(events)
        assert other != number
        crew.send(other, encode(Echo(b"to the other")))
        assert echoes(collect(crew, echoes)) == [(other, b"to the other")]


def test_messages_arrive_once_and_in_order(make: MakeCrew) -> None:
    sent = [str(index).encode() for index in range(300)]
    with closing(make(assignment(Task(size=1)))) as crew:
        crew.hire(2)
        workers = joined(collect(crew, lambda events: len(joined(events)) == 2))
        for payload in sent:
            for worker in workers:
                crew.send(worker, encode(Echo(payload)))
        received = echoes(collect(crew, lambda events: len(echoes(events)) >= 600))
    for worker in workers:
        assert [payload for sender, payload in received if sender == worker] == sent


def test_large_messages_pass_in_both_directions_at_once(make: MakeCrew) -> None:
    sent = [bytes([index]) * 10_000_000 for index in range(4)]
    with closing(make(assignment(Task(size=1)))) as crew:
        crew.hire(2)
        workers = joined(collect(crew, lambda events: len(joined(events)) == 2))
        for payload in sent:
            for worker in workers:
                crew.send(worker, encode(Echo(payload)))
        received = echoes(collect(crew, lambda events: len(events) >= 8))
    for worker in workers:
        assert [payload for sender, payload in received if sender == worker] == sent


ENDLESS = Task(size=10**12)


def test_a_run_stops_when_told_to(make: MakeCrew) -> None:
    stop = threading.Event()
    told: list[float] = []

    def tell() -> None:
        told.append(time.monotonic())
        stop.set()

    with closing(make(assignment(ENDLESS))) as crew:
        threading.Timer(0.6, tell).start()
        assert drive(Adding(ENDLESS), crew, lambda _: None, stop=stop) == Ended(Reason.INTERRUPTED)
        assert time.monotonic() - told[0] < 1.0


def test_a_run_ends_at_its_time_limit(make: MakeCrew) -> None:
    with closing(make(assignment(ENDLESS))) as crew:
        assert drive(Adding(ENDLESS), crew, lambda _: None, timelimit=1.2) == Ended(Reason.TIMEOUT)
        assert 1.2 <= crew.now() < 2.5


def test_a_crew_may_be_closed_at_any_time_and_again(make: MakeCrew) -> None:
    unused = make(assignment(ENDLESS))
    unused.close()
    crew = make(assignment(ENDLESS))
    crew.hire(2)
    crew.close()
    crew.close()
