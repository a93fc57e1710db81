"""The coordinator of a distributed search of executions: parts as for threads; a level is a set of bounds."""

from __future__ import annotations

from cleave.engines.bmc.levels import first_bounds, next_bounds, sent
from cleave.engines.bmc.task import Task
from cleave.engines.threads.coordinator import WHOLE, PartsCoordinator
from cleave.engines.threads.messages import Solve
from cleave.ir.loops import LoopBounds


class BmcCoordinator(PartsCoordinator):
    """``largest`` are the bounds beyond which none grows."""

    def __init__(self, task: Task, largest: LoopBounds) -> None:
        self._largest = largest
        self.bounds = first_bounds(largest)
        self._level = 1
        how = task.options
        super().__init__(task.workers, (WHOLE,), splits=True, patience=how.patience, most_losses=how.most_losses)

    def counters(self) -> dict[str, int | float]:
        found = super().counters()
        unwind = max((self.bounds.most, *self.bounds.own.values()))
        return {"levels": found.pop("contexts"), "unwind": unwind, **found}

    @property
    def _contexts(self) -> int:
        return self._level

    def _order(self, name: str) -> Solve:
        return Solve(self._level, name, True, sent(self.bounds))

    def _advance(self) -> bool:
        """The bounds that an execution of any part went beyond grow."""
        following = next_bounds(self.bounds, self._largest, self._bounds)
        if following is None:
            return False
        self.bounds, self._level = following, self._level + 1
        return True
