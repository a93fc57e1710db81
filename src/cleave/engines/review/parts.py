"""A review for engines whose parts are a flat list: which there were, and how each was solved.

    review = review_parts(events, listen)
    review.parts["whole problem"].state          # "open" | "split" | "closed" | "violated" | "given up"
    review.crew.members[2].cost

``listen`` is the engine's: it adds what a message says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any, Protocol

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.review.drawings import Drawing
from cleave.engines.review.members import Crew, Member, State
from cleave.engines.review.parts_text import parts_tables, parts_text
from cleave.records import dataclass


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
    ``lemmas`` counts those that it sent."""

    jobs: int = 0
    cost: int = 0
    sharing: int = 0
    validation: int = 0
    unfinished: int = 0
    lemmas: int = 0
    busy: float = 0.0


@dataclass(slots=True)
class PartsReview:
    """``unreadable`` counts messages that mean nothing."""

    listen: Listener
    crew: Crew[WorkerSummary] = field(default_factory=lambda: Crew(WorkerSummary))
    parts: dict[str, PartRecord] = field(default_factory=dict)
    unreadable: int = 0

    def part(self, name: str) -> PartRecord:
        return self.parts.setdefault(name, PartRecord(name))

    def follow(self, events: Iterable[tuple[float, Event]]) -> None:
        for worker, message, seconds in self.crew.heard(events):
            try:
                self.listen(self, worker, message, seconds)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self.unreadable += 1

    def text(self, depth: int) -> Iterable[str]:
        return parts_text(self)

    def drawings(self) -> Iterable[Drawing]:
        return (*self.crew.lanes(), *parts_tables(self))

    def as_object(self) -> dict[str, Any]:
        return {
            "parts": [msgspec.to_builtins(part) for part in self.parts.values()],
            "workers_seen": [_worker_object(worker) for worker in self.crew.members.values()],
            "lost_workers": self.crew.lost_objects(),
            "unreadable_messages": self.unreadable,
        }


def _worker_object(worker: WorkerSummary) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(worker)
    return {name: value for name, value in found.items() if name not in ("blocks", "since", "at_work")}


class Listener(Protocol):
    """Adds what a message says to a review. Raises `msgspec.MsgspecError` for what is no message."""

    def __call__(self, review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None: ...


def review_parts(events: Iterable[tuple[float, Event]], listen: Listener) -> PartsReview:
    review = PartsReview(listen)
    review.follow(events)
    return review
