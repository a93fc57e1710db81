"""Local workers as processes: what happens when they, or the coordinator's process, end in whatever way."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from cleave.engines.coordination import Event, Joined, Lost, Received
from cleave.errors import CleaveError
from cleave.runtime import life
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.local import LocalCrew
from cleave.verdict import Reason, StoppedError
from runtime.toy import ENVIRONMENT, WORKER, Add, Adding, Echo, Task, encode, encode_task, total


def crew_for(task: Task, *, memlimit_mb: int = 0, first: int = 1) -> LocalCrew:
    return LocalCrew(
        Assignment(WORKER, encode_task(task)), memlimit_mb=memlimit_mb, environment=ENVIRONMENT, first=first
    )


def process_of(event: Joined) -> int:
    [number] = re.findall(r"local, process (\d+)", event.place)
    return int(number)


def hire(crew: LocalCrew, workers: int) -> dict[int, int]:
    """Hires so many workers of a new crew; the process of each."""
    crew.hire(workers)
    found: dict[int, int] = {}
    while len(found) < workers:
        found |= {event.worker: process_of(event) for event in crew.events(1.0) if isinstance(event, Joined)}
    return found


def next_of(crew: LocalCrew, kind: type[Event]) -> Event:
    """The next event of that kind; there is one within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for event in crew.events(0.1):
            if isinstance(event, kind):
                return event
    raise AssertionError(f"no {kind.__name__}")


def runs(process: int) -> bool:
    """Whether there is such a process; one that only waits to be noticed as ended does not run."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def becomes_true(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("seed", [1])
def test_workers_killed_at_random_moments_cost_nothing_but_time(seed: int) -> None:
    task = Task(size=1500, workers=3, pause=0.003)
    dice = random.Random(seed)
    there: dict[int, int] = {}
    lost: list[Lost] = []

    def record(events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Joined):
                there[event.worker] = process_of(event)
            elif isinstance(event, Lost):
                lost.append(event)
                there.pop(event.worker, None)
        time.sleep(dice.random() * 0.03)
        if there and len(lost) < 4 and dice.random() < 0.5:
            # The crew takes note of its processes' ends in this thread only: the number is still the process's.
            os.kill(there.pop(dice.choice(list(there))), signal.SIGKILL)

    with crew_for(task) as crew:
        assert total(drive(Adding(task), crew, record)) == task.expected
    assert lost
    assert {event.reason for event in lost} == {"killed by SIGKILL"}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("raise", "RuntimeError: a toy fault"), ("exit", "exit code 3"), ("kill", "killed by SIGKILL")],
)
def test_a_lost_worker_tells_why(fault: str, reason: str) -> None:
    with crew_for(Task(size=10, fault=fault)) as crew:
        [number] = hire(crew, 1)
        crew.send(number, encode(Add((0, 10))))
        assert next_of(crew, Lost) == Lost(number, reason)


def test_a_worker_that_hits_its_memory_limit_says_so() -> None:
    task = Task(size=100, workers=1, fault="hog", fault_at=50)
    record: list[Event] = []
    with crew_for(task, memlimit_mb=200) as crew:
        assert total(drive(Adding(task), crew, record.extend)) == task.expected
    assert Lost(1, "memory") in record


def test_a_worker_dies_of_the_usual_signal() -> None:
    with crew_for(Task(size=1)) as crew:
        [(number, process)] = hire(crew, 1).items()
        os.kill(process, signal.SIGTERM)
        assert next_of(crew, Lost) == Lost(number, "killed by SIGTERM")


def test_numbers_may_start_where_an_earlier_crew_ended() -> None:
    with crew_for(Task(size=1), first=17) as crew:
        assert list(hire(crew, 1)) == [17]


def test_workers_that_can_not_start_are_given_up() -> None:
    def wait(crew: LocalCrew) -> None:
        while True:
            assert crew.events(0.2) == []

    with LocalCrew(Assignment("runtime.nowhere:work", b""), environment=ENVIRONMENT) as crew:
        crew.hire(2)
        with pytest.raises(CleaveError, match=r"can't start: .*No module named 'runtime.nowhere'"):
            wait(crew)


def test_a_stuck_worker_does_not_hold_up_the_coordinator() -> None:
    with crew_for(Task(size=10, fault="spin")) as crew:
        processes = hire(crew, 2)
        crew.send(1, encode(Add((0, 10))))  # computes and takes no turn
        for _ in range(3):
            crew.send(1, encode(Echo(bytes(10_000_000))))
        os.kill(processes[2], signal.SIGSTOP)  # does not even read
        began = time.monotonic()
        crew.send(2, encode(Echo(bytes(10_000_000))))
        assert time.monotonic() - began < 1.0
        assert crew.events(0.3) == []
        os.kill(processes[2], signal.SIGCONT)
        answer = next_of(crew, Received)
        assert isinstance(answer, Received)
        assert (answer.worker, answer.message) == (2, encode(Echo(bytes(10_000_000))))
        os.kill(processes[2], signal.SIGSTOP)
    assert not any(map(runs, processes.values()))


def test_a_round_trip_is_cheap() -> None:
    with crew_for(Task(size=1)) as crew:
        [number] = hire(crew, 1)
        spent = time.process_time()
        for _ in range(500):
            crew.send(number, encode(Echo(b"ping")))
            assert crew.events(10) == [Received(number, encode(Echo(b"ping")))]
        assert (time.process_time() - spent) / 500 < 0.001


_COORDINATOR = f"""
import signal, sys, time
from runtime.toy import Add, Task, encode, encode_task
from cleave.runtime.crew import Assignment
from cleave.runtime.local import LocalCrew

told = []
signal.signal(signal.SIGINT, lambda *_: told.append(True))
crew = LocalCrew(Assignment("{WORKER}", encode_task(Task(size=10, fault="spin"))))
crew.hire(2)
print("hired", flush=True)
joined = []
while len(joined) < 2:
    joined += crew.events(1.0)
crew.send(1, encode(Add((0, 10))))
print(*(event.place.split()[-1] for event in joined), flush=True)
while len(told) < 2:
    time.sleep(0.05)
print(crew.events(0.5), flush=True)
time.sleep(60)
"""


@contextmanager
def a_coordinator() -> Iterator[subprocess.Popen[str]]:
    """A process with two workers, one of them stuck, in a process group of its own. Killed in the end."""
    command = [sys.executable, "-c", _COORDINATOR]
    environment = {**os.environ, **ENVIRONMENT}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as coordinator:
        try:
            yield coordinator
        finally:
            coordinator.kill()


def said(coordinator: subprocess.Popen[str]) -> str:
    assert coordinator.stdout is not None
    return coordinator.stdout.readline().strip()


def test_workers_do_not_outlive_a_killed_coordinator() -> None:
    with a_coordinator() as coordinator:
        assert said(coordinator) == "hired"
        processes = [int(process) for process in said(coordinator).split()]
        assert len(processes) == 2
        assert all(map(runs, processes))
    assert becomes_true(lambda: not any(map(runs, processes)))


def test_workers_leave_it_to_the_coordinator_what_an_interrupt_means() -> None:
    with a_coordinator() as coordinator:
        assert said(coordinator) == "hired"
        os.killpg(coordinator.pid, signal.SIGINT)  # workers that just start
        processes = [int(process) for process in said(coordinator).split()]
        assert len(processes) == 2
        os.killpg(coordinator.pid, signal.SIGINT)  # and such that are at work
        assert said(coordinator) == "[]", "nobody was lost"
        assert all(map(runs, processes))
    assert becomes_true(lambda: not any(map(runs, processes)))


def test_a_worker_that_is_stopped_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "_SILENT_SECONDS", 3.0)
    with crew_for(Task(size=1, workers=2)) as crew:
        stopped, going_on = hire(crew, 2).items()
        os.kill(stopped[1], signal.SIGSTOP)
        assert next_of(crew, Lost) == Lost(stopped[0], "no sign of life")
        assert not runs(stopped[1])
        assert isinstance(next_of(crew, Joined), Joined), "another one takes its place"
        assert runs(going_on[1]), "it has nothing to do, and says that it is there"


def test_a_worker_that_is_stopped_while_it_starts_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "_SILENT_SECONDS", 1.5)
    with crew_for(Task(size=1, workers=1)) as crew:
        crew.hire(1)
        [process] = (one.pid for one in crew._processes.values())
        os.kill(process, signal.SIGSTOP)
        joined = next_of(crew, Joined)
        assert isinstance(joined, Joined)
        assert process_of(joined) != process


def test_work_and_waiting_for_a_processor_are_signs_of_life(tmp_path: Path) -> None:
    def look(state: str, used: int, now: float) -> bool:
        (tmp_path / "8").mkdir(exist_ok=True)
        (tmp_path / "8" / "stat").write_text(f"7 (name) {state} " + "0 " * 10 + f"{used} 0 0")
        return one.is_hung(now)

    one = life.Life(1)
    one._folder = tmp_path
    assert not any(look("S", used, float(used)) for used in range(20)), "a solver that lets no thread send"
    assert not any(look("R", 20, 20.0 + n) for n in range(20)), "nobody lets it run"
    assert not look("T", 20, 5_000.0), "nobody looked"
    assert [look("T", 20, 5_001.0 + n) for n in range(10)] == [False] * 8 + [True] * 2
    one.heard()
    assert not look("T", 20, 5_020.0)


def test_workers_that_are_killed_while_they_start_are_no_defect() -> None:
    def killing(crew: LocalCrew) -> None:
        crew.hire(1)
        while True:
            for process in list(crew._processes.values()):
                process.kill()
            crew.events(0.05)

    with crew_for(Task(size=1, workers=1)) as crew, pytest.raises(StoppedError) as stopped:
        killing(crew)
    assert stopped.value.reason is Reason.WORKERS
    assert "killed by SIGKILL" in stopped.value.detail
