"""Limits on reading an input: time, memory, and somebody asking to stop. Engines have `watch` for the same.

limits = ReadingLimits(end=monotonic() + 5.0, memory_mb=2000, stop=stop)
limits.check()                         # raises StoppedError between steps
"""

from __future__ import annotations

import threading
from time import monotonic

from cleave.records import dataclass
from cleave.verdict import Reason, StoppedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """``end`` is a moment of the monotonic clock; ``memory_mb`` is for the compiler, 0: what it has by default."""

    end: float | None = None
    memory_mb: int = 0
    stop: threading.Event | None = None

    def exceeded(self) -> Reason | None:
        if self.stop is not None and self.stop.is_set():
            return Reason.INTERRUPTED
        return Reason.TIMEOUT if self.end is not None and monotonic() >= self.end else None

    def check(self) -> None:
        if (reason := self.exceeded()) is not None:
            raise StoppedError(reason)


NO_LIMITS = ReadingLimits()
