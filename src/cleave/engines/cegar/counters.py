"""The counters of the engine cegar."""

from __future__ import annotations

from typing import ClassVar

from cleave.engines.counters import Counters, workers_line
from cleave.engines.text import amount, count


class CegarCounters(Counters, frozen=True, kw_only=True):
    """``states`` are those of the iteration's tree; ``cost`` includes that of refinements."""

    steady: ClassVar[tuple[str, ...]] = ("iterations", "predicates", "states", "transitions", "locations")

    transitions: int | None = None
    locations: int | None = None
    iterations: int | None = None
    predicates: int | None = None
    states: int | None = None
    posts: int | None = None
    queries: int | None = None
    cost: int | None = None
    refinement_cost: int | None = None
    workers: int | None = None
    waiting: int | None = None
    lost_workers: int | None = None

    def line(self) -> str:
        """Without what depends on the workers, if that was left out."""
        if self.iterations is None:
            return super().line()
        steady = (
            count(self.iterations, "iteration"),
            count(self.predicates or 0, "predicate"),
            count(self.states or 0, "abstract state"),
        )
        if self.workers is None:
            return ", ".join(steady)
        effort = (f"{amount(self.queries or 0)} queries", f"solver cost {amount(self.cost or 0)}")
        return ", ".join((workers_line(self.workers, self.lost_workers), *steady, *effort))
