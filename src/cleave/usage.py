"""The cost of a run on the machine: processor time and memory of this process and of all processes that it has started.

    with Meter(stop, cpulimit=900.0) as meter:      # sets `stop` when the processes have used so much together
        ...
    meter.read()                                    # Usage(seconds=12.1, cpu_seconds=23.4, peak_memory_mb=310.2)

Processor time counts processes that live and those that have ended. Memory is the private memory of all processes at
one moment, and once what they share: the largest such sum that was seen. A process that lives for less than a tenth of
a second may be missed in the sum. Workers of a Ray cluster are started by Ray, and are not counted.
"""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from pathlib import Path
from time import clock_gettime, monotonic
from types import TracebackType
from typing import NamedTuple

from cleave.records import dataclass

_POLL_SECONDS = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATE, _USED, _STARTED = 0, slice(11, 15), 19  # of /proc/PID/stat, behind the name: utime, stime, cutime, cstime


@dataclass(frozen=True, slots=True)
class Usage:
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float


class Tree(NamedTuple):
    """Of a process and all its descendants, now."""

    cpu_seconds: float
    memory_bytes: int


def process_age() -> float:
    """Seconds since this process started; 0 where the system does not tell."""
    try:
        started = int(_stat("self")[_STARTED]) / _TICKS
        return max(0.0, clock_gettime(7) - started)  # CLOCK_BOOTTIME
    except (OSError, ValueError, IndexError):
        return 0.0


def tree(process: int) -> Tree:
    """Of another process, with the descendants that it has waited for."""
    cpu, private, shared = 0.0, 0, 0
    for one in descendants(process):
        try:
            cpu += sum(map(int, _stat(str(one))[_USED])) / _TICKS
            _, resident, common, *_ = (int(n) * _PAGE for n in Path(f"/proc/{one}/statm").read_text().split())
        except (OSError, ValueError, IndexError):
            continue  # it has just ended
        private, shared = private + resident - common, max(shared, common)
    return Tree(cpu, private + shared)


def descendants(process: int) -> Iterator[int]:
    """The process itself first."""
    waiting = [process]
    while waiting:
        one = waiting.pop()
        yield one
        try:
            threads = os.listdir(f"/proc/{one}/task")
            for thread in threads:
                waiting += map(int, Path(f"/proc/{one}/task/{thread}/children").read_text().split())
        except (OSError, ValueError):
            continue


def cpu_seconds() -> float:
    """Of this process, the processes that it started and those that they started."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    used = own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
    living = list(descendants(os.getpid()))[1:]
    for one in living:
        try:
            used += sum(map(int, _stat(str(one))[_USED])) / _TICKS
        except (OSError, ValueError, IndexError):
            continue
    return used


def _stat(process: str) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


@dataclass(frozen=True, slots=True)
class CpuBudget:
    """Processor time for a process and all its descendants. Each of them can ask what is left."""

    limit: float
    process: int
    before: float  # that they had used when it began

    def left(self) -> float:
        return self.limit - (tree(self.process).cpu_seconds - self.before)

    def without(self, kept: float) -> CpuBudget:
        """So much of it is for something else."""
        return CpuBudget(self.limit - kept, self.process, self.before)


class _Either(threading.Event):
    """Set if another event is, or by itself."""

    def __init__(self, other: threading.Event) -> None:
        super().__init__()
        self._other = other

    def is_set(self) -> bool:
        return self._other.is_set() or super().is_set()


class Meter:
    """Measures from ``since``, a moment of `time.monotonic`, else from now. ``before`` is the processor time that was
    used for something else. When a limit is hit or ``asked`` is set, it sets ``stop``; ``is_over`` tells the first."""

    def __init__(
        self, asked: threading.Event, *, cpulimit: float = 0.0, since: float | None = None, before: float | None = None
    ) -> None:
        self.stop = _Either(asked)
        self.is_over = False
        self._asked = asked
        self._limit = cpulimit
        self._since = monotonic() if since is None else since
        self._before = cpu_seconds() if before is None else before
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="cleave-meter", daemon=True)

    @property
    def budget(self) -> CpuBudget | None:
        """None: no limit of processor time."""
        return CpuBudget(self._limit, os.getpid(), self._before) if self._limit else None

    def __enter__(self) -> Meter:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._done.set()
        self._thread.join()

    def read(self) -> Usage:
        own, ended = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        peak = max(self._peak, own * 1024, ended * 1024)
        return Usage(monotonic() - self._since, cpu_seconds() - self._before, peak / 1e6)

    def _watch(self) -> None:
        while not self._done.wait(_POLL_SECONDS):
            self._peak = max(self._peak, tree(os.getpid()).memory_bytes)
            if self._limit and cpu_seconds() - self._before >= self._limit:
                self.is_over = True
            if self.is_over or self._asked.is_set():
                self.stop.set()
