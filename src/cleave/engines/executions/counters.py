"""The counters of the engine executions."""

from __future__ import annotations

from cleave.engines.counters import Counters


class ExecutionsCounters(Counters, frozen=True, kw_only=True):
    """``contexts`` are those of the violating execution, where there are threads."""

    contexts: int | None = None

    def progress(self, rate: float = 0.0) -> str:
        return "trying executions"
