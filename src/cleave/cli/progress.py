"""What a run is doing, on the standard error stream: on a terminal one live display, elsewhere a line now and then.

driver.bpl: 42 s: bound 2, 2 workers (2 busy), 41 splits (1.2/s), 30 parts closed, 12 open, 1834 instances, cost 12.3M
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from cleave.cli.effort import cegar_effort, pdr_effort
from cleave.cli.logs import are_shown
from cleave.cli.table import amount, count

if TYPE_CHECKING:
    from rich.status import Status

_PLAIN_SECONDS = 10.0
_RATE_SECONDS = 10.0  # the rate of splits is that of so long


class ProgressLine:
    def __init__(self, file: str, *, quiet: bool) -> None:
        self._file = file
        self._started = self._last = monotonic()
        self._rate = SplitRate()
        self._status: Status | None = None
        self._plain = not quiet
        if not quiet and sys.stderr.isatty() and not are_shown():
            from rich.console import Console  # large: loaded only where somebody looks

            self._plain = False
            self._status = Console(stderr=True).status("reading", spinner="dots")

    def __enter__(self) -> ProgressLine:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, counters: Mapping[str, Any], *, stopping: bool = False) -> None:
        now = monotonic()
        rate = self._rate.at(now, counters.get("splits", 0))
        if self._status is not None:
            from rich.markup import escape

            text = describe(counters, now - self._started, rate)
            self._status.update(escape(f"{self._file}: {text}{'; stopping' if stopping else ''}"))
        elif self._plain and now - self._last >= _PLAIN_SECONDS:
            self._last = now
            print(f"{self._file}: {describe(counters, now - self._started, rate)}", file=sys.stderr, flush=True)


class SplitRate:
    """Splits per second, over the last seconds.

    >>> rate = SplitRate()
    >>> [rate.at(second, splits) for second, splits in ((0, 0), (5, 20), (20, 20), (40, 20))]
    [0.0, 4.0, 0.0, 0.0]
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def at(self, now: float, splits: int) -> float:
        self._seen.append((now, splits))
        while self._seen[0][0] < now - _RATE_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        since, before = self._seen[0]
        return (splits - before) / (now - since) if now > since else 0.0


def describe(counters: Mapping[str, Any], seconds: float, rate: float = 0.0) -> str:
    if "jobs" in counters:
        return f"{seconds:.0f} s: {pdr_effort(counters)}"
    if "iterations" in counters:
        return f"{seconds:.0f} s: {cegar_effort(counters)}"
    if "contexts" in counters:
        return f"{seconds:.0f} s: {_threads(counters)}"
    if "level" in counters:
        return f"{seconds:.0f} s: level {counters['level']}, solver cost {amount(counters['cost'])}"
    if "instances" not in counters:
        return f"{seconds:.0f} s: reading"
    if "splits" in counters:
        return f"{seconds:.0f} s: {_distributed(counters, rate)}"
    return (
        f"{seconds:.0f} s: bound {counters['bound']}, {counters['instances']} instances, {counters['merges']} merges,"
        f" {counters['open_calls']} open calls, {counters['blocked_calls']} blocked, {counters['checks']} checks,"
        f" {counters['solver_seconds']:.1f} s in the solver"
    )


def _threads(counters: Mapping[str, Any]) -> str:
    parts = ""
    if "open_partitions" in counters:
        parts = f", {count(counters['closed'], 'part')} closed, {counters['open_partitions']} open"
    return f"{counters['contexts']} contexts{parts}, solver cost {amount(counters.get('cost', 0))}"


def _distributed(counters: Mapping[str, Any], rate: float) -> str:
    busy = counters["workers"] - counters["waiting"]
    lost = f", {counters['lost_workers']} lost" if counters["lost_workers"] else ""
    bound = f"bound {counters['bound']}, " if counters["bound"] else ""
    return (
        f"{bound}{count(counters['workers'], 'worker')} ({busy} busy{lost}), {count(counters['splits'], 'split')}"
        f" ({rate:.1f}/s), {count(counters['closed'], 'part')} closed, {counters['open_partitions']} open,"
        f" {counters['instances']} instances, cost {amount(counters['cost'])}"
    )
