"""The progress of a run, on the standard error stream: on a terminal one live display, elsewhere a line now and then.

driver.bpl: 42 s: bound 2, 2 workers (2 busy), 41 splits (1.2/s), 30 parts closed, 12 open, 1834 instances, cost 12.3M
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from cleave.api import Progress
from cleave.cli.logs import are_shown
from cleave.cli.printing import say
from cleave.engines.registry import engine
from cleave.explain.characters import harmless

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

    def update(self, running: Sequence[Progress], *, stopping: bool = False) -> None:
        now = monotonic()
        splits = sum(one.counters.get("splits") or 0 for one in running)
        rate = self._rate.at(now, splits)
        if self._status is not None:
            from rich.markup import escape

            text = _described(running, now - self._started, rate)
            self._status.update(escape(harmless(f"{self._file}: {text}{'; stopping' if stopping else ''}")))
        elif self._plain and now - self._last >= _PLAIN_SECONDS:
            self._last = now
            say(f"{self._file}: {_described(running, now - self._started, rate)}", file=sys.stderr)


def _described(running: Sequence[Progress], seconds: float, rate: float) -> str:
    """Engines that run side by side are named."""
    told = [(one.stage.engine, engine(one.stage.engine).counters.of(one.counters).progress(rate)) for one in running]
    if not told:
        return f"{seconds:.0f} s: reading"
    texts = [text for _, text in told] if len(told) == 1 else [f"{engine}: {text}" for engine, text in told]
    return f"{seconds:.0f} s: {'; '.join(texts)}"


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
