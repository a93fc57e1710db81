"""Facts that workers found about transitions, for the other workers: a question is put to a solver once, and not once
by each worker that meets it."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.cegar.messages import Fact


class FactBoard:
    def __init__(self) -> None:
        self._found: dict[int, list[tuple[int, Fact]]] = {}  # by transition, with the worker that found it
        self._seen: dict[int, dict[int, int]] = {}  # by worker and transition, how many it was told

    def add(self, worker: int, fact: Fact) -> None:
        self._found.setdefault(fact.transition, []).append((worker, fact))

    def news(self, worker: int, transitions: Iterable[int]) -> tuple[Fact, ...]:
        """What others found about these transitions since the worker was last told."""
        seen = self._seen.setdefault(worker, {})
        news: list[Fact] = []
        for transition in dict.fromkeys(transitions):
            found = self._found.get(transition)
            if found is not None:
                news += (fact for finder, fact in found[seen.get(transition, 0) :] if finder != worker)
                seen[transition] = len(found)
        return tuple(news)

    def forget(self, worker: int) -> None:
        """It is gone."""
        self._seen.pop(worker, None)
