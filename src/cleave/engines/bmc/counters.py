"""The counters of the engine bmc."""

from __future__ import annotations

from cleave.engines.counters import Counters, workers_line
from cleave.engines.text import amount, count


class BmcCounters(Counters, frozen=True, kw_only=True):
    """``levels`` are the bounds that were tried in turn; ``unwind`` the largest of a loop. ``held_back_by`` are the
    loops that an execution may leave the bounds by. Sizes are those of the largest formula. From ``workers`` on: only
    of a search that is distributed; ``slowest`` is the seconds that a part took at most."""

    levels: int | None = None
    unwind: int | None = None
    held_back_by: list[str] | None = None
    unfold_seconds: float | None = None
    checks: int | None = None
    nodes: int | None = None
    variables: int | None = None
    clauses: int | None = None
    cost: int | None = None
    workers: int | None = None
    waiting: int | None = None
    lost_workers: int | None = None
    open_partitions: int | None = None
    splits: int | None = None
    closed: int | None = None
    slowest: float | None = None
    setup_cost: int | None = None
    validation_cost: int | None = None

    def line(self) -> str:
        if self.levels is None:
            return super().line()
        made = f"{count(self.levels, 'bound')} tried, up to {self.unwind} iterations"
        size = f", {amount(self.clauses)} clauses" if self.clauses else ""
        done = f"{made}{size}, solver cost {amount(self.cost or 0)}"
        if self.splits is None:
            return done
        workers = workers_line(self.workers, self.lost_workers)
        return f"{workers}, {count(self.splits, 'split')}, {count(self.closed or 0, 'part')} closed, {done}"

    def progress(self, rate: float = 0.0) -> str:
        return self.line() or "reading"
