"""The counters of the engine threads."""

from __future__ import annotations

from cleave.engines.counters import Counters, workers_line
from cleave.engines.text import amount, count


class ThreadsCounters(Counters, frozen=True, kw_only=True):
    """``positions`` are those where a thread can be interrupted, ``shared`` the cells that threads share. Sizes of
    formulas are those of the largest part. From ``workers`` on: only of a search that is distributed; ``slowest`` is
    the seconds that a part took at most."""

    threads: int | None = None
    positions: int | None = None
    shared: int | None = None
    contexts: int | None = None
    unwind: int | None = None
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
        cost = amount(self.cost or 0)
        if self.splits is not None:
            workers = workers_line(self.workers, self.lost_workers)
            if not self.splits:
                return f"{workers}, not split, cost {cost}"
            closed = f"{count(self.closed or 0, 'part')} closed, {self.open_partitions} open"
            return f"{workers}, {count(self.splits, 'split')}, {closed}, cost {cost}"
        if self.unwind is None:
            return super().line()
        size = f", {amount(self.clauses)} clauses" if self.clauses else ""
        return f"{self.contexts} contexts, unwind {self.unwind}{size}, solver cost {cost}"

    def progress(self, rate: float = 0.0) -> str:
        if self.contexts is None:
            return "reading"
        parts = ""
        if self.open_partitions is not None:
            parts = f", {count(self.closed or 0, 'part')} closed, {self.open_partitions} open"
        return f"{self.contexts} contexts{parts}, solver cost {amount(self.cost or 0)}"
