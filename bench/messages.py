"""What the coordinator can take: messages per second of its own CPU time, and memory by open partitions.

    python -m bench messages --workers 1000

The coordinator is HYDRA's, the crew the simulator's; the workers do no work. Each has an amount of it, splits off a
random share of what is left when its interval has passed, and says the rest as a real worker does: messages of real
sizes, proofs checked while it waits. Time is measured around `HydraCoordinator.on`, which decodes what comes and
encodes what goes, and separately around appending to a journal on disk, which happens in the same process.

Memory is that of all objects that the coordinator refers to, counted at moments of the run. In a second run, partitions
are made and closed for a long time while few are open: that must not leave anything behind.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from random import Random
from statistics import linear_regression
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from bench.fake_worker import FakeWorker
from cleave.engines.coordination import Clock, Command, Event, Joined, Received, Send, Work
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import (
    Back,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    Searched,
    SendPartition,
    Task,
    ToWorker,
    decode_finding,
    encode,
    to_worker,
)
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.partition import Decision, Partition
from cleave.journal.journal import Journal, RunInfo
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import SimulatedCrew

GOAL = 5_000  # messages per second of the coordinator's CPU time
MOST_GROWTH = 1.5  # in memory, while partitions come and go

_WAITING = 50  # partitions that wait in the meantime
_DEPTH = 12  # of the split tree in which they come and go
_NO_PART = (type, ModuleType, FunctionType, BuiltinFunctionType, Enum)  # of the coordinator, but of the program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, default=1000, metavar="N")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="of work for each worker (default 20)")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--profile", action="store_true", help="where the time goes; the figures are then too low")


def main(options: argparse.Namespace) -> int:
    seconds = options.workers * options.seconds
    watched = Watched(_task(options.workers, InlineOptions(unsplit=False)), samples_every=options.workers * 4)
    print(f"{options.workers} workers, {seconds:g} virtual seconds of work", flush=True)
    with TemporaryDirectory() as folder:
        _run(watched, seconds, options.seed, Path(folder) / "run.journal", profile=options.profile)
    rate = watched.report()
    growth = _endure()
    return int(rate < GOAL or growth > MOST_GROWTH)


def _endure() -> float:
    """One worker has many partitions waiting. Another searches a split tree from left to right: it splits and goes back
    to what it split off, again and again. How many times as much memory the coordinator takes after that."""
    watched = Watched(_task(2, InlineOptions()), samples_every=0)
    for worker in (1, 2):
        watched.on(Joined(worker))
        watched.say(worker, GetPartition())
        for depth in range(_WAITING if worker == 1 else 0):
            watched.say(1, _half("0" * depth))
    at_work, leaves = "1", 0
    while at_work.startswith("1"):
        while len(at_work) <= _DEPTH:
            watched.say(2, _half(at_work))
            at_work += "0"
        (told,) = watched.say(2, Searched(at_work))
        watched.say(2, Outcome(at_work, Closed(3, (), ""), Effort()))
        at_work = told.id if isinstance(told, Back) else ""
        leaves += 1
        if leaves == 2:
            watched.sample()
    watched.sample()
    before, after = watched.samples
    print(f"{leaves} partitions made and closed, while {after.partitions} to {before.partitions} were open:")
    print(f"  {before.bytes:,} bytes before, {after.bytes:,} after (goal: at most {MOST_GROWTH:g} times as much)")
    return after.bytes / before.bytes


def _half(name: str) -> SendPartition:
    decisions = tuple(Decision(number, bit == "1") for number, bit in enumerate(name + "1", start=1))
    return SendPartition(name, bytes(16), Partition(bytes(500), decisions, bound=1))


def _task(workers: int, options: InlineOptions) -> Task:
    return Task("none", b"", None, None, options, workers)


def _run(watched: Watched, seconds: float, seed: int, journal: Path | None, *, profile: bool = False) -> None:
    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        return FakeWorker(Random(f"{seed} {number}"), clock, seconds).run()

    crew = SimulatedCrew(Assignment("", b""), worker=start, seed=seed)
    began = perf_counter()
    with crew, _recorder(watched, journal) as record, _profiler(profile):
        outcome = drive(watched, crew, record, on_counters=lambda _: None)
        watched.virtual_seconds = crew.now()
    assert isinstance(outcome, bytes)
    assert isinstance(decode_finding(outcome).answer, Closed)
    watched.real_seconds = perf_counter() - began
    watched.sample()


class Sample(NamedTuple):
    partitions: int
    bytes: int


class Watched:
    """A coordinator, with the time that it takes and samples of its memory."""

    def __init__(self, task: Task, samples_every: int) -> None:
        self.coordinator = HydraCoordinator(task)
        self.samples: list[Sample] = []
        self.received = self.sent = self.bytes = 0
        self.cpu_seconds = self.journal_seconds = self.virtual_seconds = self.real_seconds = 0.0
        self._samples_every = samples_every

    def start(self) -> list[Command]:
        return self.coordinator.start()

    def on(self, event: Event) -> list[Command]:
        began = thread_time()
        commands = self.coordinator.on(event)
        self.cpu_seconds += thread_time() - began
        if isinstance(event, Received):
            self.received += 1
            self.bytes += len(event.message)
            if self._samples_every and not self.received % self._samples_every:
                self.sample()
        self.sent += sum(isinstance(command, Send) for command in commands)
        return commands

    def say(self, worker: int, message: FromWorker) -> list[ToWorker]:
        """What the worker is told when it says that."""
        told = [c for c in self.on(Received(worker, encode(message))) if isinstance(c, Send) and c.worker == worker]
        return [decoded for c in told if not isinstance(decoded := to_worker(c.message), Pace)]

    def counters(self) -> dict[str, int | float]:
        began = thread_time()
        found = self.coordinator.counters()
        self.cpu_seconds += thread_time() - began
        return found

    def sample(self) -> None:
        self.samples.append(Sample(int(self.coordinator.counters()["open_partitions"]), deep_size(self.coordinator)))

    def report(self) -> float:
        """Prints the figures; the messages per second."""
        counters = self.coordinator.counters()
        rate = self.received / self.cpu_seconds
        print(f"{self.virtual_seconds:.1f} virtual seconds, {self.real_seconds:.1f} real ones for the simulation")
        print(f"{counters['splits']} splits, {counters['went_back']} gone back to, {counters['set_up']} moved")
        print(
            f"messages: {self.received} received, {self.bytes / self.received:.0f} bytes on average; {self.sent} sent"
        )
        print(
            f"coordinator: {self.cpu_seconds:.2f} CPU seconds, {rate:,.0f} messages received a second (goal {GOAL:,})"
        )
        both = self.cpu_seconds + self.journal_seconds
        print(f"  with the journal: {both:.2f} CPU seconds, {self.received / both:,.0f} a second")
        self._report_memory()
        return rate

    def _report_memory(self) -> None:
        print(f"memory: {'open partitions':>18}{'bytes':>12}")
        for sample in _picked(self.samples, 10):
            print(f"        {sample.partitions:>18,}{sample.bytes:>12,}")
        slope, fixed = linear_regression([s.partitions for s in self.samples], [s.bytes for s in self.samples])
        print(f"  about {slope:,.0f} bytes for each open partition, and {fixed:,.0f} for all workers together")


def _picked(samples: Sequence[Sample], most: int) -> Iterator[Sample]:
    """The first, the last and some between them."""
    step = max(1, len(samples) // most)
    yield from samples[:-1:step]
    yield samples[-1]


def deep_size(root: object) -> int:
    """The bytes of all objects that can be reached from ``root``, without what belongs to the program itself."""
    seen: set[int] = set()
    pending: list[object] = [root]
    total = 0
    while pending:
        one = pending.pop()
        if id(one) in seen or isinstance(one, _NO_PART):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        pending += gc.get_referents(one)
    return total


class _recorder:  # noqa: N801 (a context manager, used like a function)
    """Appends events to a journal, and measures how long that takes; without a path, nothing is kept."""

    def __init__(self, watched: Watched, path: Path | None) -> None:
        self._watched = watched
        self._journal = Journal.create(path, _info()) if path is not None else None

    def __enter__(self) -> Callable[[Sequence[Event]], None]:
        return self._record

    def __exit__(self, *_: object) -> None:
        if self._journal is not None:
            self._journal.close()

    def _record(self, events: Sequence[Event]) -> None:
        if self._journal is not None:
            began = thread_time()
            self._journal.append(events)
            self._watched.journal_seconds += thread_time() - began


class _profiler:  # noqa: N801
    def __init__(self, wanted: bool) -> None:
        self._profile: Any = None
        if wanted:
            import cProfile

            self._profile = cProfile.Profile()

    def __enter__(self) -> None:
        if self._profile is not None:
            self._profile.enable()

    def __exit__(self, *_: object) -> None:
        if self._profile is not None:
            import pstats

            self._profile.disable()
            pstats.Stats(self._profile).sort_stats("tottime").print_stats("inline|msgspec", 15)


def _info() -> RunInfo:
    return RunInfo(
        id="bench",
        files=("none",),
        engine="inline",
        workers=0,
        runtime="simulated",
        options={},
        started=datetime.now(UTC),
        version="",
        source="",
    )
