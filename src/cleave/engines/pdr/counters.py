"""The counters of the engine pdr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cleave.engines.counters import Counters, workers_line
from cleave.engines.text import amount, count

_SOLVED_BY = "solved_by "


class PdrCounters(Counters, frozen=True, kw_only=True):
    """``level`` is the largest one at work; ``runs`` counts the strategies of a search alone. From ``workers`` on: only
    of a search that is distributed. ``solved_by`` counts the proofs and derivations of each strategy; told and in JSON
    it is a key for each, such as ``solved_by global``."""

    clauses: int | None = None
    prepared_clauses: int | None = None
    level: int | None = None
    runs: int | None = None
    cost: int | None = None
    lemmas_pushed: int | None = None
    lemmas_repeated: int | None = None
    lemmas_pulled: int | None = None
    lemmas_refused: int | None = None
    workers: int | None = None
    waiting: int | None = None
    lost_workers: int | None = None
    partitions: int | None = None
    open_partitions: int | None = None
    closed: int | None = None
    jobs: int | None = None
    stopped: int | None = None
    ignored: int | None = None
    divided_cost: int | None = None
    sharing_cost: int | None = None
    validation_cost: int | None = None
    seconds: float | None = None
    sharing_seconds: float | None = None
    solved_by: Mapping[str, int] = msgspec.field(default_factory=dict)

    def updated(self, news: Mapping[str, Any]) -> PdrCounters:
        solved = {name.removeprefix(_SOLVED_BY): news[name] for name in news if name.startswith(_SOLVED_BY)}
        rest = {name: value for name, value in news.items() if not name.startswith(_SOLVED_BY)}
        return super().updated({**rest, "solved_by": {**self.solved_by, **solved}})

    def as_object(self) -> dict[str, Any]:
        found = super().as_object()
        return found | {f"{_SOLVED_BY}{name}": number for name, number in found.pop("solved_by").items()}

    def line(self) -> str:
        if self.jobs is not None:
            return self._together()
        if self.level is None:
            return super().line()
        return f"{count(self.runs or 0, 'strategy run')}, {self._at_work()}"

    def progress(self, rate: float = 0.0) -> str:
        if self.jobs is not None:
            return self._together()
        return self._at_work() if self.level is not None else "reading"

    def _at_work(self) -> str:
        return f"level {self.level}, solver cost {amount(self.cost or 0)}"

    def _together(self) -> str:
        parts = f"{self.closed} of {count(self.partitions, 'partition')} closed, " if self.partitions else ""
        by = f", solved by {', '.join(self.solved_by)}" if self.solved_by else ""
        workers = workers_line(self.workers, self.lost_workers)
        lemmas = f"{count(self.lemmas_pushed or 0, 'lemma')} sent, {self.lemmas_pulled} passed on"
        return f"{workers}, {parts}level {self.level}, {lemmas}, solver cost {amount(self.cost or 0)}{by}"
