"""Runs one verification in a thread of its own, while the main thread shows progress and listens to signals, which
Python delivers nowhere else.

    with Signals() as signals:
        ended = supervise(work, "driver.bpl", signals=signals, timelimit=60.0, quiet=False)

A run that does not stop when asked (a solver deep in one step) is abandoned after a grace period, with a partial
result. Its thread can't be stopped: what it holds goes with the process, and its workers when they notice.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from time import monotonic, sleep
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

from cleave.api import Progress
from cleave.cli.progress import ProgressLine
from cleave.smt.deep_thread import STACK_BYTES
from cleave.usage import Usage, cpu_seconds, descendants, tree
from cleave.verdict import Reason, Result, Unknown
from cleave.watch import resident_bytes

_GRACE_SECONDS = 0.4  # after the time limit, or after somebody asked to stop
_POLL_SECONDS = 0.1

Work: TypeAlias = Callable[[Callable[[Progress], None], threading.Event], Result]
"""Gets whom to tell about progress, and an event that is set when it has to stop."""


class Ended(NamedTuple):
    result: Result
    abandoned: bool


class Signals:
    """Ctrl-C and SIGTERM set ``stop`` while this is active; a second one sets ``at_once``."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.at_once = threading.Event()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self.stop.is_set():
            self.at_once.set()
        self.stop.set()


def supervise(
    work: Work,
    label: str,
    *,
    signals: Signals,
    timelimit: float,
    workers: int,
    quiet: bool,
    memlimit_mb: int = 0,
    cputimelimit: float = 0.0,
    since: float | None = None,
    before: float = 0.0,
) -> Ended:
    """What the work returns or, if it had to be given up, what is known of it. What it raises is raised here. Seconds
    count from ``since``; ``before`` is processor time that was used for something else."""
    cpu_end = before + cputimelimit + _GRACE_SECONDS if cputimelimit else None
    threading.stack_size(STACK_BYTES)
    thread = _Thread(work, signals.stop)
    try:
        thread.start()
    except RuntimeError:  # there is no room for its stack
        raise MemoryError from None
    with ProgressLine(label, quiet=quiet) as line:
        end = (thread.started if since is None else since) + timelimit if timelimit else None
        over = _wait(thread, line, signals, end, memlimit_mb, cpu_end)
    if thread.error is not None:
        raise thread.error
    if thread.result is not None:
        return Ended(thread.result, abandoned=False)
    partial = _partial(thread, workers, over or Reason.TIMEOUT)
    age = monotonic() - (thread.started if since is None else since)
    return Ended(partial.costing(Usage(age, cpu_seconds() - before, tree(os.getpid()).memory_bytes / 1e6)), True)


def end_processes() -> None:
    """Those that this process has started, before it ends with a thread that can't be stopped. They would notice by
    themselves, a little later."""
    for process in list(descendants(os.getpid()))[1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    deadline = monotonic() + _GRACE_SECONDS
    with contextlib.suppress(ChildProcessError):
        while monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                sleep(_POLL_SECONDS / 10)


class _Thread(threading.Thread):
    """One verification; afterwards ``result`` or ``error`` is set."""

    def __init__(self, work: Work, stop: threading.Event) -> None:
        super().__init__(name="cleave-verify", daemon=True)
        self.work, self.stop = work, stop
        self.started = monotonic()
        self.progress: dict[int, Progress] = {}  # the latest of each lane
        self.found: Result | None = None  # before its files are written
        self.result: Result | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.work(self._note, self.stop)
        except BaseException as error:  # carried over to the main thread
            self.error = error

    def _note(self, progress: Progress) -> None:
        if progress.result is not None:
            self.found = progress.result
            return
        if progress.stage.group not in {one.stage.group for one in self.progress.values()}:
            self.progress = {}
        self.progress = {**self.progress, progress.stage.lane: progress}


def _wait(
    thread: _Thread,
    line: ProgressLine,
    signals: Signals,
    end: float | None,
    memlimit_mb: int,
    cpu_end: float | None,
) -> Reason | None:
    """Until the thread ends, or is given up, and then why."""
    deadlines = {Reason.TIMEOUT: end + _GRACE_SECONDS} if end is not None else {}
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
        line.update(list(thread.progress.values()), stopping=signals.stop.is_set())
        if signals.at_once.is_set():
            return Reason.INTERRUPTED
        if signals.stop.is_set():
            deadlines.setdefault(Reason.INTERRUPTED, monotonic() + _GRACE_SECONDS)
        if memlimit_mb and resident_bytes() > memlimit_mb * 1024 * 1024:  # stages watch it, reading does not
            deadlines.setdefault(Reason.MEMORY, monotonic() + _GRACE_SECONDS)
        else:
            deadlines.pop(Reason.MEMORY, None)
        if cpu_end is not None and cpu_seconds() > cpu_end:
            return Reason.TIMEOUT
        if deadlines and monotonic() > min(deadlines.values()):
            return min(deadlines, key=lambda reason: deadlines[reason])
    return None


def _partial(thread: _Thread, workers: int, reason: Reason) -> Result:
    last = next(iter(thread.progress.values()), None)
    seconds = monotonic() - thread.started
    if thread.found is not None:
        return replace(thread.found, seconds=seconds)
    if last is None:
        return Result(Unknown(reason), "", {}, seconds, workers, {})
    if last.so_far is not None:
        found = last.so_far()  # finished stages are not lost
        if found.each or not isinstance(found.verdict, Unknown):
            return replace(found, seconds=seconds, run=last.run)
    counters = last.counters
    bounds = {"recursion": counters["bound"]} if counters.get("bound") else {}
    how_far = ""
    if "open_partitions" in counters:
        how_far = f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
    return Result(Unknown(reason, how_far), last.stage.engine, bounds, seconds, workers, counters, run=last.run)
