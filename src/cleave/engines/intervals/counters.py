"""The counters of the engine intervals."""

from __future__ import annotations

from cleave.engines.counters import Counters
from cleave.engines.text import count


class IntervalsCounters(Counters, frozen=True, kw_only=True):
    """``checks`` are all assertions of the program, ``proved`` those that intervals prove."""

    checks: int | None = None
    proved: int | None = None
    blocks: int | None = None

    def line(self) -> str:
        if self.checks is None:
            return super().line()
        if not self.checks:
            return "no check is left to prove"
        return f"{self.proved or 0} of {count(self.checks, 'check')} proved by the intervals of {self.blocks} blocks"
