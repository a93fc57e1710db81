"""The counters of the engine inline."""

from __future__ import annotations

from cleave.engines.counters import Counters, workers_line
from cleave.engines.text import amount, count


class InlineCounters(Counters, frozen=True, kw_only=True):
    """``cost`` is that of searches. ``bound`` is the recursion bound at work, ``bound_done`` the last one that was
    closed; ``part_cost`` is for finding what the proof needs, ``validation_cost`` for its check. From ``workers`` on:
    only of a search that is distributed; ``claimed`` counts the parts that are searched, but whose proofs are still to
    be checked, ``went_back`` the halves that a worker took up itself, ``set_up`` those that others did."""

    bound: int | None = None
    bound_done: int | None = None
    instances: int | None = None
    merges: int | None = None
    open_calls: int | None = None
    blocked_calls: int | None = None
    checks: int | None = None
    cost: int | None = None
    part_cost: int | None = None
    validation_cost: int | None = None
    solver_seconds: float | None = None
    merge_seconds: float | None = None
    encode_seconds: float | None = None
    workers: int | None = None
    waiting: int | None = None
    lost_workers: int | None = None
    open_partitions: int | None = None
    claimed: int | None = None
    splits: int | None = None
    closed: int | None = None
    went_back: int | None = None
    set_up: int | None = None
    setup_cost: int | None = None

    def line(self) -> str:
        if self.splits is not None:
            return self._together()
        if self.instances is None:
            return super().line()
        return (
            f"{self.instances} instances, {self.merges} merges, {self.open_calls} calls open,"
            f" {self.blocked_calls} at the bound, {self.checks} checks, solver cost {self.cost}"
        )

    def progress(self, rate: float = 0.0) -> str:
        if self.instances is None:
            return "reading"
        if self.splits is None:
            return (
                f"bound {self.bound}, {self.instances} instances, {self.merges} merges, {self.open_calls} open calls,"
                f" {self.blocked_calls} blocked, {self.checks} checks, {self.solver_seconds or 0:.1f} s in the solver"
            )
        busy = (self.workers or 0) - (self.waiting or 0)
        lost = f", {self.lost_workers} lost" if self.lost_workers else ""
        bound = f"bound {self.bound}, " if self.bound else ""
        return (
            f"{bound}{count(self.workers or 0, 'worker')} ({busy} busy{lost}), {count(self.splits, 'split')}"
            f" ({rate:.1f}/s), {count(self.closed or 0, 'part')} closed, {self.open_partitions} open,"
            f" {self.instances} instances, cost {amount(self.cost or 0)}"
        )

    def _together(self) -> str:
        """Of a search that was split, or could have been."""
        workers = workers_line(self.workers, self.lost_workers)
        setup = self.setup_cost or 0
        cost = (self.cost or 0) + setup + (self.validation_cost or 0)
        if not self.splits:
            return f"{workers}, not split, cost {amount(cost)}"
        share = f", {setup / cost:.0%} of it to set up parts" if cost else ""
        return (
            f"{workers}, {count(self.splits, 'split')}, {count(self.closed or 0, 'part')} closed,"
            f" {self.open_partitions} open, cost {amount(cost)}{share}"
        )
