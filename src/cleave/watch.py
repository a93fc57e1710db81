"""Limits on a run: time, memory, and somebody asking it to stop.

    with Watch(timelimit=60, memlimit_mb=4000) as watch:
        watch.guard(solver.interrupt)      # called when a limit is hit, again and again until the block ends
        ...
        watch.check()                      # raises Stopped between steps that no solver is part of

Nothing is killed: the run notices and says how far it got.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, process_time
from types import TracebackType

from cleave.usage import CpuBudget
from cleave.verdict import Reason, StoppedError

EXTRA_SECONDS = 3.0
"""To confirm what was found when a limit is hit."""

_RESERVED = 0.05


def reserve(timelimit: float) -> float:
    """The seconds of a time limit that are kept back to confirm what was found before: searching ends that much
    earlier, so that confirming does not go on for long after the limit."""
    return min(EXTRA_SECONDS, timelimit * _RESERVED)


_POLL_SECONDS = 0.1


def usable_cores() -> int:
    """Not those of the machine that this process may not use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Watch:
    """Watches one run from a thread of its own."""

    def __init__(
        self,
        *,
        timelimit: float = 0.0,
        cpulimit: float = 0.0,
        cpu: CpuBudget | None = None,
        memlimit_mb: int = 0,
        stop: threading.Event | None = None,
        longest: float = 0.0,
    ) -> None:
        """``cpulimit`` is in seconds of this process: a busy machine does not shorten it. ``cpu`` is what all processes
        of the run may use. ``longest`` is the time that the run has left, for `prolong`."""
        self.reason: Reason | None = None
        self._cpu_end = process_time() + cpulimit if cpulimit else None
        self._cpu = cpu
        self._started = monotonic()
        self._deadline = self._started + timelimit if timelimit else None
        self._longest = self._started + longest if longest else None
        self._memlimit = memlimit_mb * 1024 * 1024
        self._stop = stop or threading.Event()
        self._done = threading.Event()
        self._interrupts: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._watch, name="cleave-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        self._thread.join()

    def guard(self, interrupt: Callable[[], None], *, unless: bool = False) -> None:
        if not unless:
            self._interrupts.append(interrupt)

    def unguard(self, interrupt: Callable[[], None]) -> None:
        if interrupt in self._interrupts:
            self._interrupts.remove(interrupt)

    @contextmanager
    def guarding(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Guards as long as the context lasts. What was hit before is noticed at once."""
        self.guard(interrupt)
        try:
            yield
        finally:
            self.unguard(interrupt)

    def seconds(self) -> float:
        """Since the watch was made."""
        return monotonic() - self._started

    def remaining(self) -> float | None:
        """Seconds until the time limit; None without one."""
        return None if self._deadline is None else max(0.0, self._deadline - monotonic())

    def prolong(self) -> None:
        """Once a proof was found, its confirmation may go beyond the limits of a part of the run, and take half of what
        the run has left. Who confirms keeps to limits of its own."""
        if self._deadline is not None and self._longest is not None:
            now = monotonic()
            self._deadline = max(self._deadline, now + (self._longest - now) / 2)
        self._cpu_end = None

    def stop(self, reason: Reason) -> None:
        """Ends what is watched, as a limit does."""
        if self.reason is None:
            self.reason = reason

    def check(self) -> None:
        """Looks for itself: the thread that watches may not have had its turn yet."""
        if self.reason is None:
            self.reason = self._exceeded()
        if self.reason is not None:
            raise StoppedError(self.reason)

    def _watch(self) -> None:
        while not self._done.wait(_POLL_SECONDS):
            if self.reason is None:
                self.reason = self._exceeded()
            if self.reason is None and self._cpu is not None and self._cpu.left() <= 0:  # too dear to ask in `check`
                self.reason = Reason.TIMEOUT
            if self.reason is not None:
                for interrupt in list(self._interrupts):
                    interrupt()

    def _exceeded(self) -> Reason | None:
        if self._stop.is_set():
            return Reason.INTERRUPTED
        if self._deadline is not None and monotonic() >= self._deadline:
            return Reason.TIMEOUT
        if self._cpu_end is not None and process_time() >= self._cpu_end:
            return Reason.BUDGET
        if self._memlimit and resident_bytes() > self._memlimit:
            return Reason.MEMORY
        return None


def resident_bytes() -> int:
    """The memory that this process occupies; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * 4096
