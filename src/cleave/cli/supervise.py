"""Runs one verification in a thread of its own, while the main thread shows progress and listens to signals, which
Python delivers nowhere else.

    with Signals() as signals:
        ended = supervise(work, "driver.bpl", signals=signals, timelimit=60.0, quiet=False)

A run that does not stop when told to (a solver deep in one step) is abandoned after a grace period, with a partial
result. Its thread can't be stopped: what it holds goes with the process, and its workers when they notice.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

from cleave.api import Progress
from cleave.cli.progress import ProgressLine
from cleave.smt.deep_thread import STACK_BYTES
from cleave.verdict import Reason, Result, Unknown

_GRACE_SECONDS = 5.0
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


def supervise(work: Work, label: str, *, signals: Signals, timelimit: float, workers: int, quiet: bool) -> Ended:
    """What the work returns or, if it had to be given up, what is known of it. What it raises is raised here."""
    threading.stack_size(STACK_BYTES)
    thread = _Thread(work, signals.stop)
    thread.start()
    with ProgressLine(label, quiet=quiet) as line:
        _wait(thread, line, signals, timelimit)
    if thread.error is not None:
        raise thread.error
    if thread.result is not None:
        return Ended(thread.result, abandoned=False)
    return Ended(_partial(thread, workers), abandoned=True)


class _Thread(threading.Thread):
    """One verification; afterwards ``result`` or ``error`` is set."""

    def __init__(self, work: Work, stop: threading.Event) -> None:
        super().__init__(name="cleave-verify", daemon=True)
        self.work, self.stop = work, stop
        self.started = monotonic()
        self.progress: dict[int, Progress] = {}  # the latest of each lane
        self.result: Result | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.work(self._note, self.stop)
        except BaseException as error:  # carried over to the main thread
            self.error = error

    def _note(self, progress: Progress) -> None:
        if progress.stage.group not in {one.stage.group for one in self.progress.values()}:
            self.progress = {}
        self.progress = {**self.progress, progress.stage.lane: progress}


def _wait(thread: _Thread, line: ProgressLine, signals: Signals, timelimit: float) -> None:
    deadline = monotonic() + timelimit + _GRACE_SECONDS if timelimit else None
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
        line.update(list(thread.progress.values()), stopping=signals.stop.is_set())
        if signals.at_once.is_set():
            return
        if signals.stop.is_set() and (deadline is None or deadline > monotonic() + _GRACE_SECONDS):
            deadline = monotonic() + _GRACE_SECONDS
        if deadline is not None and monotonic() > deadline:
            return


def _partial(thread: _Thread, workers: int) -> Result:
    reason = Reason.INTERRUPTED if thread.stop.is_set() else Reason.TIMEOUT
    last = next(iter(thread.progress.values()), None)
    seconds = monotonic() - thread.started
    if last is None:
        return Result(Unknown(reason), "", {}, seconds, workers, {})
    if last.so_far is not None:
        found = last.so_far()  # finished stages are not lost
        if not isinstance(found.verdict, Unknown):
            return replace(found, seconds=seconds, run=last.run)
    counters = last.counters
    bounds = {"recursion": counters["bound"]} if counters.get("bound") else {}
    how_far = ""
    if "open_partitions" in counters:
        how_far = f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
    return Result(Unknown(reason, how_far), last.stage.engine, bounds, seconds, workers, counters, run=last.run)
