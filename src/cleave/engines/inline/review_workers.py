"""The work of each worker of the inline engine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import Any

from cleave.engines.inline.messages import Effort
from cleave.engines.review.drawings import Block
from cleave.engines.review.members import Member
from cleave.records import dataclass


@dataclass(slots=True)
class WorkerRecord(Member):
    """Costs are the solver's units and what instances cost; ``search``, ``setup`` and ``validation`` are those of
    parts that the worker finished, ``unfinished`` is what it had spent on another one when it was last heard of."""

    closed: int = 0
    splits: int = 0
    search: int = 0
    setup: int = 0
    validation: int = 0
    checks: int = 0
    instances_set_up: int = 0
    busy: float = 0.0  # seconds
    inlined: set[int] = field(default_factory=set)
    part: str | None = None  # that it was last heard of to be searching
    searched: dict[str, float] = field(default_factory=dict)  # when, of parts whose proofs are being checked
    _told_cost: int = 0
    _busy_since: float | None = None
    _last_sign: float = 0.0

    @property
    def cost(self) -> int:
        return self.search + self.setup + self.validation

    @property
    def unfinished(self) -> int:
        return max(0, self._told_cost - self.cost)

    @property
    def seconds_busy(self) -> float:
        """With the part that it was last heard of to be working on, to the second."""
        return self.busy + (self._last_sign - self._busy_since if self._busy_since is not None else 0.0)

    def spent(self, effort: Effort, until: float, label: str, searched: float | None) -> None:
        """A block for each kind of work on a part. Setup and search end when the part was ``searched``, each as wide as
        its share of the cost; the rest is the check of the proof, during which the worker may search the next part."""
        doing = self.at_work
        found = until if searched is None else searched
        begin = max(found - effort.seconds, self.since, self.joined)
        middle = begin + (found - begin) * effort.setup / max(1, effort.search + effort.setup)
        self.did("setup", middle - begin, middle, label)
        self.did("search", found - middle, found, label)
        if until > found:
            self.blocks.append(Block(round(found, 3), round(until, 3), "checking", label))
        self.at_work = None if doing is None or doing.endswith(label) else doing

    def heard(self, seconds: float) -> None:
        """It is working."""
        self._last_sign = seconds
        if self._busy_since is None:
            self._busy_since = seconds

    def told_cost(self, cost: int) -> None:
        self._told_cost = cost

    def finished(self, effort: Effort) -> None:
        self.search += effort.search
        self.setup += effort.setup
        self.validation += effort.validation
        self.checks += effort.checks
        self.instances_set_up += effort.instances_set_up
        self.busy += effort.seconds
        self._busy_since = None


def effort(workers: Collection[WorkerRecord]) -> dict[str, Any]:
    """Where the cost went, added up over all workers."""
    search, setup = sum(w.search for w in workers), sum(w.setup for w in workers)
    validation, unfinished = sum(w.validation for w in workers), sum(w.unfinished for w in workers)
    spent = search + setup + validation
    return {
        "search": search,
        "setup": setup,
        "validation": validation,
        "unfinished": unfinished,
        "setup_share": round(setup / spent, 4) if spent else 0.0,
        "checks": sum(w.checks for w in workers),
        "instances": sum(len(w.inlined) for w in workers),
        "instances_set_up": sum(w.instances_set_up for w in workers),
        "seconds_busy": round(sum(w.seconds_busy for w in workers), 3),
    }
