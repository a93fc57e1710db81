"""A run as its journal tells it, for engines whose parts are a flat list: which there were, who solved what, and how.

    review = review_parts(path)
    review.parts["whole problem"].state          # "open" | "split" | "closed" | "violated" | "given up"
    review.workers[2].cost

What a worker's message says about parts is the engine's: see `pdr`, `threads` and `cegar`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from cleave.journal.journal import Journal
from cleave.review.run import Member, RunReview, about
from cleave.review.tree import State


@dataclass(slots=True)
class PartRecord:
    """Once a part is settled: by whom, when, with which strategy if there are several, and at what cost. ``tries`` are
    the jobs on it that ended without an answer, with their reasons; ``learned`` is what it gave to those after it."""

    name: str
    state: State = "open"
    worker: int | None = None
    seconds: float = 0.0
    strategy: str = ""
    cost: int = 0
    tries: list[str] = field(default_factory=list)
    learned: list[str] = field(default_factory=list)


@dataclass(slots=True)
class WorkerSummary(Member):
    """Costs are those of jobs that ended; ``unfinished`` is what it had told of another one when it was last heard of.
    ``lemmas`` counts what it told to others."""

    jobs: int = 0
    cost: int = 0
    sharing: int = 0
    validation: int = 0
    unfinished: int = 0
    lemmas: int = 0
    busy: float = 0.0


@dataclass(slots=True)
class PartsReview(RunReview[WorkerSummary]):
    """``unreadable`` counts messages that mean nothing."""

    parts: dict[str, PartRecord] = field(default_factory=dict)
    unreadable: int = 0

    def part(self, name: str) -> PartRecord:
        return self.parts.setdefault(name, PartRecord(name))


class Listener(Protocol):
    """Adds what a message says to a review. Raises `msgspec.MsgspecError` for what is no message."""

    def __call__(self, review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None: ...


def review_parts(path: Path, listeners: Mapping[str, Callable[[], Listener]]) -> PartsReview:
    """``listeners`` are there for each engine, loaded when they are needed."""
    with Journal.open(path) as journal:
        review = PartsReview(*about(path, journal))
        listen = listeners[journal.info.engine]()

        def heard(worker: WorkerSummary, message: bytes, seconds: float) -> None:
            try:
                listen(review, worker, message, seconds)
            except msgspec.MsgspecError:
                review.unreadable += 1

        review.read(journal.events(), WorkerSummary, heard)
    return review


def parts_object(review: PartsReview) -> dict[str, Any]:
    """A review as an object that JSON can hold."""
    return {
        **review.described(),
        "parts": [msgspec.to_builtins(part) for part in review.parts.values()],
        "workers_seen": [msgspec.to_builtins(worker) for worker in review.workers.values()],
        "unreadable_messages": review.unreadable,
    }
