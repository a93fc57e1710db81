"""A toy distributed engine that adds up the numbers below ``size``, for testing runtimes.

    task = Task(size=1000, workers=3)
    assignment = Assignment("runtime.toy:work", encode_task(task))
    outcome = drive(Adding(task), crew, record)
    assert total(outcome) == task.expected

The coordinator gives each idle worker a range; where none is left it asks a busy worker to share, which halves what it
still has to do. A range counts only once it is closed, so whoever is lost, and whenever, each number counts once. The
coordinator trusts no runtime: what breaks its promises (a message of an unknown worker, twice, or out of order) raises.

Another process finds this module with ``tests`` on its path: `ENVIRONMENT` has it.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TypeAlias

import msgspec

from cleave.engines.coordination import (
    Clock,
    Command,
    Event,
    Finish,
    Hire,
    Joined,
    Lost,
    Passed,
    Received,
    Send,
    Turn,
    Work,
)

WORKER = "runtime.toy:work"
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join((str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")))}


class Task(msgspec.Struct, frozen=True):
    """``fault`` strikes a worker as it reaches number ``fault_at``, unless its own number is above ``fault_until``:
    ``kill`` and ``exit`` end its process, ``raise`` raises, ``hog`` takes memory, ``spin`` never takes a turn again."""

    size: int
    workers: int = 2
    later: int = 0  # so many workers are wanted in all once the first has joined
    step: int = 10  # numbers added in one turn
    cost: int = 1000  # of adding one number
    pause: float = 0.0  # real seconds that a step takes
    gate: str = ""  # as long as this file exists, steps add nothing; workers go on to share
    padding: int = 0  # bytes that make every message longer
    fault: str = ""
    fault_at: int = 0
    fault_until: int = 1

    @property
    def expected(self) -> int:
        return self.size * (self.size - 1) // 2


def encode_task(task: Task) -> bytes:
    return msgspec.msgpack.encode(task)


def total(outcome: object) -> int:
    assert isinstance(outcome, bytes), outcome
    return int(outcome)


Range: TypeAlias = tuple[int, int]
"""The numbers from the first to before the second."""


class Add(msgspec.Struct, frozen=True, tag=True):
    """To a worker: the range to add up."""

    range: Range
    padding: bytes = b""


class Share(msgspec.Struct, frozen=True, tag=True):
    """To a worker: give up half of what is left, if there is enough."""


class Echo(msgspec.Struct, frozen=True, tag=True):
    """To a worker, which sends it back; only tests send it."""

    payload: bytes


class Shared(msgspec.Struct, frozen=True, tag=True):
    """To the coordinator: of ``range``, all from ``middle`` on is for somebody else."""

    range: Range
    middle: int
    padding: bytes = b""


class Closed(msgspec.Struct, frozen=True, tag=True):
    """To the coordinator: the numbers in the range add up to ``total``."""

    range: Range
    total: int
    padding: bytes = b""


ToWorker: TypeAlias = Add | Share | Echo
ToCoordinator: TypeAlias = Shared | Closed | Echo
_TO_WORKER: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)
_TO_COORDINATOR: msgspec.msgpack.Decoder[ToCoordinator] = msgspec.msgpack.Decoder(ToCoordinator)


def encode(message: ToWorker | ToCoordinator) -> bytes:
    return msgspec.msgpack.encode(message)


def decode_to_coordinator(data: bytes) -> ToCoordinator:
    return _TO_COORDINATOR.decode(data)


# The worker


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    worker = _Adder(msgspec.msgpack.decode(task, type=Task), number)
    incoming = yield Turn(idle=True)
    while True:
        outgoing = [reply for message in incoming for reply in worker.hear(_TO_WORKER.decode(message))]
        outgoing += worker.step()
        incoming = yield Turn(tuple(map(encode, outgoing)), idle=worker.range is None, cost=worker.cost)


class _Adder:
    def __init__(self, task: Task, number: int) -> None:
        self.range: Range | None = None
        self.cost = 0
        self._task = task
        self._padding = bytes(task.padding)
        self._struck = number > task.fault_until or not task.fault
        self._next = 0
        self._total = 0

    def hear(self, message: ToWorker) -> list[ToCoordinator]:
        match message:
            case Add(range=range_):
                assert self.range is None, "a range for a busy worker"
                self.range, self._next, self._total = range_, range_[0], 0
            case Share() if self.range is not None and self.range[1] - self._next > self._task.step:
                (first, after), middle = self.range, (self._next + self.range[1]) // 2
                self.range = (first, middle)
                return [Shared((first, after), middle, self._padding)]
            case Echo():
                return [message]
        return []

    def step(self) -> list[ToCoordinator]:
        if self.range is None:
            return []
        numbers = range(self._next, min(self._next + self._task.step, self.range[1]))
        self._suffer(numbers)
        time.sleep(self._task.pause)
        if self._task.gate and Path(self._task.gate).exists():
            return []
        self._total += sum(numbers)
        self._next = numbers.stop
        self.cost += self._task.cost * len(numbers)
        if self._next < self.range[1]:
            return []
        closed, self.range = self.range, None
        return [Closed(closed, self._total, self._padding)]

    def _suffer(self, numbers: range) -> None:
        if self._struck or self._task.fault_at not in numbers:
            return
        self._struck = True
        match self._task.fault:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                os._exit(3)
            case "raise":
                raise RuntimeError("a toy fault")
            case "hog":
                hoard = []
                while True:
                    hoard.append(b"x" * 1_000_000)
                    time.sleep(0.001)
            case "spin":
                while True:
                    pass


# The coordinator


class Adding:
    """Adds up the ranges that workers close; finishes with the total once nothing is open."""

    def __init__(self, task: Task) -> None:
        self.queue: list[Range] = [(0, task.size)]
        self.busy: dict[int, Range] = {}
        self.idle: list[int] = []
        self.closed: list[Range] = []
        self.joined: set[int] = set()
        self.lost = 0
        self.seconds = 0.0
        self._asked: set[int] = set()
        self._task = task
        self._total = 0
        self._padding = bytes(task.padding)

    def start(self) -> list[Command]:
        return [Hire(self._task.workers)]

    def on(self, event: Event) -> list[Command]:
        commands: list[Command] = []
        match event:
            case Joined(worker=worker):
                assert worker not in self.joined, f"worker {worker} joined twice"
                if self._task.later and not self.joined:
                    commands.append(Hire(self._task.later))
                self.joined.add(worker)
                self.idle.append(worker)
            case Lost(worker=worker):
                self._lose(worker)
            case Received(worker=worker, message=message):
                assert worker in self.busy, f"a message of worker {worker}, which has nothing to do or is not there"
                self._hear(worker, decode_to_coordinator(message))
            case Passed(seconds=seconds):
                assert seconds >= self.seconds, "time went backwards"
                self.seconds = seconds
        return commands + self._assign()

    def counters(self) -> dict[str, int | float]:
        return {"closed": len(self.closed), "busy": len(self.busy), "idle": len(self.idle), "lost": self.lost}

    def _lose(self, worker: int) -> None:
        assert worker in self.busy or worker in self.idle, f"worker {worker} was lost, but is not there"
        self.lost += 1
        self._asked.discard(worker)
        if worker in self.busy:
            self.queue.append(self.busy.pop(worker))
        else:
            self.idle.remove(worker)

    def _hear(self, worker: int, message: ToCoordinator) -> None:
        self._asked.discard(worker)
        match message:
            case Shared(range=range_, middle=middle):
                assert self.busy[worker] == range_, "a range was shared that the worker has not got"
                self.busy[worker] = (range_[0], middle)
                self.queue.append((middle, range_[1]))
            case Closed(range=range_, total=total):
                assert self.busy.pop(worker) == range_, "a range was closed that the worker has not got"
                self.closed.append(range_)
                self.idle.append(worker)
                self._total += total

    def _assign(self) -> list[Command]:
        if not self.queue and not self.busy:
            return [Finish(str(self._total).encode())]
        commands: list[Command] = []
        while self.queue and self.idle:
            worker, range_ = self.idle.pop(0), self.queue.pop()
            self.busy[worker] = range_
            commands.append(Send(worker, encode(Add(range_, self._padding))))
        for worker in list(self.busy)[: len(self.idle)]:
            if worker not in self._asked:
                self._asked.add(worker)
                commands.append(Send(worker, encode(Share())))
        return commands
