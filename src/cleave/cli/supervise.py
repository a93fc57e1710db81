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
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

from cleave.cli.progress import ProgressLine
from cleave.engines.engine import Counters
from cleave.verdict import Reason, Result, Unknown

_GRACE_SECONDS = 5.0
_POLL_SECONDS = 0.1
_STACK_BYTES = 512 * 1024 * 1024  # solvers recurse on deep terms

Work: TypeAlias = Callable[[Callable[[Counters], None], threading.Event], Result]
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
    threading.stack_size(_STACK_BYTES)
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
        self.counters: dict[str, Any] = {}
        self.result: Result | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.work(self.counters.update, self.stop)
        except BaseException as error:  # carried over to the main thread
            self.error = error


def _wait(thread: _Thread, line: ProgressLine, signals: Signals, timelimit: float) -> None:
    deadline = monotonic() + timelimit + _GRACE_SECONDS if timelimit else None
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
        line.update(thread.counters.copy(), stopping=signals.stop.is_set())
        if signals.at_once.is_set():
            return
        if signals.stop.is_set() and (deadline is None or deadline > monotonic() + _GRACE_SECONDS):
            deadline = monotonic() + _GRACE_SECONDS
        if deadline is not None and monotonic() > deadline:
            return


def _partial(thread: _Thread, workers: int) -> Result:
    reason = Reason.INTERRUPTED if thread.stop.is_set() else Reason.TIMEOUT
    counters = thread.counters.copy()
    run, engine = counters.pop("run", None), counters.pop("engine", "")
    bounds = {"recursion": counters["bound"]} if counters.get("bound") else {}
    how_far = (
        f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
        if "closed" in counters
        else ""
    )
    verdict = Unknown(reason, how_far)
    return Result(verdict, engine, bounds, monotonic() - thread.started, workers, counters, run=run)
