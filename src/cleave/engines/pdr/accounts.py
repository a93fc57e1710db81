"""The costs of a run so far, for its progress (P3, Table III): part of the coordinator."""

from __future__ import annotations

from cleave.engines.pdr.messages import Effort


class Accounts:
    def __init__(self) -> None:
        self.totals = {"jobs": 0, "stopped": 0, "lost_workers": 0, "ignored": 0, "divided_cost": 0}
        self._efforts = {"cost": 0, "sharing_cost": 0, "validation_cost": 0}
        self._seconds = {"seconds": 0.0, "sharing_seconds": 0.0}
        self._solved_by: dict[str, int] = {}

    def add(self, effort: Effort) -> None:
        self._efforts["cost"] += effort.cost
        self._efforts["sharing_cost"] += effort.sharing
        self._efforts["validation_cost"] += effort.validation
        self._seconds["seconds"] += effort.seconds
        self._seconds["sharing_seconds"] += effort.sharing_seconds

    def credit(self, strategy: str) -> None:
        """A proof or a derivation was this strategy's."""
        self._solved_by[strategy] = self._solved_by.get(strategy, 0) + 1

    def counters(self, under_way: Effort) -> dict[str, int | float]:
        return {
            **self.totals,
            **self._efforts,
            **self._seconds,
            "cost": self._efforts["cost"] + under_way.cost,
            "sharing_cost": self._efforts["sharing_cost"] + under_way.sharing,
            **{f"solved_by {strategy}": count for strategy, count in self._solved_by.items()},
        }
