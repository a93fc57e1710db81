"""Ray workers: what happens when they, their nodes or the coordinator's process end, and who may join which cluster."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from cleave.engines.coordination import Event, Joined, Lost, Received
from cleave.errors import CleaveError, UsageError
from cleave.runtime import ray as ray_runtime
from cleave.runtime import ray_cluster
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.ray import RayCrew
from runtime import ray_nodes
from runtime.toy import ENVIRONMENT, WORKER, Add, Adding, Echo, Task, encode, encode_task, total

pytest.importorskip("ray")

E_ = TypeVar("E_", bound=Event)


def crew_for(task: Task, *, memlimit_mb: int = 0, first: int = 1) -> RayCrew:
    assignment = Assignment(WORKER, encode_task(task))
    return RayCrew(assignment, address=ray_nodes.start(), memlimit_mb=memlimit_mb, first=first)


def process_of(event: Joined) -> int:
    [number] = re.findall(r"Ray, node 127.0.0.1, process (\d+)", event.place)
    return int(number)


def hire(crew: RayCrew, workers: int) -> dict[int, int]:
    """Hires so many workers of a new crew; the process of each."""
    crew.hire(workers)
    return {event.worker: process_of(event) for event in next_of(crew, Joined, workers)}


def next_of(crew: RayCrew, kind: type[E_], count: int = 1) -> list[E_]:
    """The next events of that kind; they come within half a minute."""
    found: list[E_] = []
    deadline = time.monotonic() + 30
    while len(found) < count:
        assert time.monotonic() < deadline, found
        found += [event for event in crew.events(0.1) if isinstance(event, kind)]
    return found


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def runs(process: int) -> bool:
    """Whether there is such a process; one that only waits to be noticed as ended does not run."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def becomes_true(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


# Workers


def test_a_lost_worker_tells_why(capfd: pytest.CaptureFixture[str]) -> None:
    ray_nodes.start()
    capfd.readouterr()
    with crew_for(Task(size=1), first=17) as crew:
        processes = hire(crew, 2)
        assert sorted(processes) == [17, 18]
        os.kill(processes[17], signal.SIGKILL)
        [lost] = next_of(crew, Lost)
        assert lost.worker == 17
        assert lost.reason.startswith("killed by SIGKILL")
        os.kill(parent_of(processes[18]), signal.SIGKILL)
        [lost] = next_of(crew, Lost)
        assert lost.worker == 18
        assert lost.reason.startswith(("its actor's process died", "its actor does not answer"))
        assert becomes_true(lambda: not runs(processes[18])), "a worker outlived its actor"
        assert next_of(crew, Joined)[0].worker in (19, 20)
    assert capfd.readouterr() == ("", ""), "and tells nobody else"


def test_a_worker_that_hits_its_memory_limit_says_so() -> None:
    with crew_for(Task(size=100, fault="hog", fault_at=50), memlimit_mb=200) as crew:
        [number] = hire(crew, 1)
        crew.send(number, encode(Add((0, 100))))
        assert next_of(crew, Lost) == [Lost(number, "memory")]


def test_small_messages_do_not_overtake_large_ones_and_are_cheap() -> None:
    sent = [encode(Echo(bytes([index]) * (300_000 if index % 5 == 0 else 10))) for index in range(60)]
    received: list[bytes] = []
    with crew_for(Task(size=1)) as crew:
        [number] = hire(crew, 1)
        for message in sent:  # each is a call of its own
            crew.send(number, message)
            received += [event.message for event in crew.events(0.0) if isinstance(event, Received)]
        received += [event.message for event in next_of(crew, Received, len(sent) - len(received))]
        assert received == sent
        spent = time.process_time()
        for _ in range(200):
            crew.send(number, encode(Echo(b"ping")))
            assert next_of(crew, Received) == [Received(number, encode(Echo(b"ping")))]
        assert (time.process_time() - spent) / 200 < 0.005


def test_stuck_workers_hold_up_nobody_and_end_with_the_crew() -> None:
    with crew_for(Task(size=10, fault="spin")) as crew:
        processes = hire(crew, 2)
        crew.send(1, encode(Add((0, 10))))  # computes and takes no turn
        os.kill(processes[2], signal.SIGSTOP)  # does not even read
        for _ in range(3):
            crew.send(2, encode(Echo(bytes(10_000_000))))
        began = time.monotonic()
        assert crew.events(0.3) == []
        assert time.monotonic() - began < 2.0
    assert not any(map(runs, processes.values()))


def test_workers_that_can_not_start_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_runtime, "_FAILED_STARTS", 2)
    with RayCrew(Assignment("runtime.nowhere:work", b""), address=ray_nodes.start()) as crew:
        crew.hire(1)
        with pytest.raises(CleaveError, match=r"can't start: .*No module named 'runtime.nowhere'"):
            next_of(crew, Joined)


def test_a_node_with_another_version_of_cleave_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with crew_for(Task(size=1)) as crew:
        monkeypatch.setattr(ray_runtime, "__version__", "0.0.7")
        crew.hire(1)
        with pytest.raises(CleaveError, match=r"node 127.0.0.1 has Cleave .*, but the coordinator's is 0.0.7"):
            next_of(crew, Joined)


# Nodes


class _ComingAndGoing:
    """Adds a node to the cluster once all CPUs are used, and kills it once its workers have something to do. As long
    as the gate's file exists, nothing is finished: it is removed once these workers are lost."""

    def __init__(self, coordinator: Adding, gate: Path) -> None:
        self.joined: list[Joined] = []
        self.lost: list[Lost] = []
        self._coordinator = coordinator
        self._gate = gate
        self._gate.touch()
        self._steps = iter([self._add, self._kill, self._open])
        self._step = next(self._steps)

    def __call__(self, events: Sequence[Event]) -> None:
        self.joined += [event for event in events if isinstance(event, Joined)]
        self.lost += [event for event in events if isinstance(event, Lost)]
        if self._step():
            self._step = next(self._steps, lambda: False)

    def of_the_node(self) -> set[int]:
        return {event.worker for event in self.joined[ray_nodes.CPUS :]}

    def _add(self) -> bool:
        if len(self.joined) < ray_nodes.CPUS:
            return False
        self._node = ray_nodes.add_node(cpus=2)
        return True

    def _kill(self) -> bool:
        if len(self.of_the_node()) < 2 or not self.of_the_node() <= self._coordinator.busy.keys():
            return False
        ray_nodes.kill_node(self._node)
        return True

    def _open(self) -> bool:
        if len(self.lost) < 2:
            return False
        self._gate.unlink()
        return True


def test_nodes_may_join_and_die_during_a_run(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    task = Task(size=1000, workers=ray_nodes.CPUS + 2, pause=0.01, gate=str(gate))
    coordinator = Adding(task)
    record = _ComingAndGoing(coordinator, gate)
    with crew_for(task) as crew:
        assert total(drive(coordinator, crew, record)) == task.expected
    assert len(record.joined) == ray_nodes.CPUS + 2, "all that there were CPUs for"
    assert {event.worker for event in record.lost} == record.of_the_node()
    # A node's processes die one after the other: the actor may see the worker's end before its own.
    reasons = {"its node died", "its actor does not answer", "killed by SIGKILL"}
    assert {event.reason for event in record.lost} <= reasons


# Clusters


def test_a_run_may_have_a_ray_of_its_own(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    before = dict(os.environ)
    handler = signal.getsignal(signal.SIGTERM)
    task = Task(size=3000, workers=1, later=3, pause=0.01)
    record: list[Event] = []
    with RayCrew(Assignment(WORKER, encode_task(task))) as crew:
        assert total(drive(Adding(task), crew, record.extend)) == task.expected
        with RayCrew(Assignment(WORKER, b"")) as other, pytest.raises(CleaveError, match="connected to Ray already"):
            other.hire(1)
    places = [event for event in record if isinstance(event, Joined)]
    assert 1 <= len(places) <= 3  # on a busy machine the first may be done before the last has joined
    assert not any(runs(process_of(place)) for place in places)
    assert {name: value for name, value in os.environ.items() if name in before} == before
    assert signal.getsignal(signal.SIGTERM) is handler
    assert not (Path.home() / ".ray" / "auth_token").exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("token", ["", "wrong" * 8])
def test_a_token_that_is_missing_or_wrong_is_told(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = ray_nodes.start()
    monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    began = time.monotonic()
    with RayCrew(Assignment(WORKER, b""), address=address) as crew, pytest.raises(CleaveError) as told:
        crew.hire(1)
    assert str(told.value).startswith(f"the Ray cluster at {address} wants a token, which is missing or wrong: set RAY")
    assert "\n" not in str(told.value)
    assert time.monotonic() - began < 10


def test_auto_means_the_cluster_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    address = ray_nodes.start()
    monkeypatch.setenv("RAY_ADDRESS", address)
    with ray_cluster.joined("auto"):
        assert ray_cluster.load_ray().get_runtime_context().gcs_address == address
    monkeypatch.setenv("RAY_ADDRESS", "ray://127.0.0.1:10001")
    with pytest.raises(UsageError, match="client protocol"):
        RayCrew(Assignment(WORKER, b""), address="auto")


def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    began = time.monotonic()
    refused = pytest.raises(CleaveError, match=r"no Ray cluster answers at .*: Connection refused")
    with RayCrew(Assignment(WORKER, b""), address=address) as crew, refused:
        crew.hire(1)
    assert time.monotonic() - began < 5


def test_something_else_that_listens_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "_ANSWER_SECONDS", 1.0)
    refused = pytest.raises(CleaveError, match="does not answer as a Ray cluster does")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with RayCrew(Assignment(WORKER, b""), address=address) as crew, refused:
            crew.hire(1)


@pytest.mark.parametrize("address", ["ray://127.0.0.1:10001", "head", "head:", ":6379", ""])
def test_an_address_that_can_not_be_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        RayCrew(Assignment(WORKER, b""), address=address)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"needs Ray: pip install 'cleave-verifier\[ray\]'"):
        RayCrew(Assignment(WORKER, b""))


# The coordinator's process

_COORDINATOR = f"""
import sys, time
from runtime.toy import Add, Task, encode, encode_task
from cleave.runtime.crew import Assignment
from cleave.runtime.ray import RayCrew

task = encode_task(Task(size=10, fault="spin"))
crew = RayCrew(Assignment("{WORKER}", task), address=sys.argv[1] or None)
crew.hire(2)
joined = []
while len(joined) < 2:
    joined += crew.events(1.0)
crew.send(1, encode(Add((0, 10))))
crew.events(0.5)
print(*(event.place.split()[-1] for event in joined), flush=True)
time.sleep(60)
"""


@contextmanager
def a_coordinator(address: str, environment: Mapping[str, str]) -> Iterator[tuple[int, list[int]]]:
    """A process with two workers, one of them stuck: its number and theirs. Killed in the end."""
    command = [sys.executable, "-c", _COORDINATOR, address]
    environment = {**os.environ, **environment}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as coordinator:
        try:
            assert coordinator.stdout is not None
            yield coordinator.pid, [int(process) for process in coordinator.stdout.readline().split()]
        finally:
            coordinator.kill()


def test_workers_do_not_outlive_a_killed_coordinator_whose_token_is_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = ray_nodes.start()
    file = tmp_path / "token"
    file.write_text(os.environ["RAY_AUTH_TOKEN"])
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    with a_coordinator(address, {"RAY_AUTH_TOKEN_PATH": str(file)}) as (_, processes):
        assert len(processes) == 2
        assert all(map(runs, processes))
        actors = list(map(parent_of, processes))
    assert becomes_true(lambda: not any(map(runs, processes + actors)))


@pytest.mark.slow
def test_a_ray_of_its_own_does_not_outlive_a_killed_coordinator() -> None:
    with a_coordinator("", ENVIRONMENT) as (coordinator, processes):
        assert len(processes) == 2
        actors = list(map(parent_of, processes))
        [raylet] = {parent_of(actor) for actor in actors}
        assert parent_of(raylet) == coordinator
        agents = [process for process in children_of(raylet) if process not in actors]
    assert becomes_true(lambda: not any(map(runs, [*processes, *actors, raylet])))
    for agent in filter(runs, agents):
        os.kill(agent, signal.SIGKILL)  # would end after a minute
    [session] = Path("/tmp").glob(f"cleave-ray-*/session_*_{coordinator}")
    shutil.rmtree(session.parent)
