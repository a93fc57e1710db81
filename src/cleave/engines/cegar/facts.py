"""What workers found out about transitions, for the others: a question is put to a solver once, and not once by each
worker that meets it."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.cegar.messages import Fact


class FactBoard:
    def __init__(self) -> None:
        self._found: dict[int, list[tuple[int, Fact]]] = {}  # by location, with the worker that found it
        self._seen: dict[int, dict[int, int]] = {}  # by worker and location, how many it was told

    def add(self, worker: int, location: int, fact: Fact) -> None:
        """``location`` is where the fact's transition begins."""
        self._found.setdefault(location, []).append((worker, fact))

    def news(self, worker: int, locations: Iterable[int]) -> tuple[Fact, ...]:
        """What others found about these locations since the worker was last told."""
        seen = self._seen.setdefault(worker, {})
        news: list[Fact] = []
        for location in dict.fromkeys(locations):
            found = self._found.get(location, [])
            news += (fact for finder, fact in found[seen.get(location, 0) :] if finder != worker)
            seen[location] = len(found)
        return tuple(news)

    def forget(self, worker: int) -> None:
        """It is gone."""
        self._seen.pop(worker, None)
