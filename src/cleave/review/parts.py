"""A run as its journal tells it, for engines whose parts are a flat list: which there were, who solved what, and how.

    review = review_parts(path)
    review.parts["whole problem"].state          # "open" | "split" | "closed" | "violated" | "given up"
    review.workers[2].cost

What a worker's message says about parts is the engine's: see `pdr`, `threads` and `cegar`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import is_locked
from cleave.review.review import RunState, run_state
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
class WorkerSummary:
    """Costs are those of jobs that ended; ``unfinished`` is what it had told of another one when it was last heard of.
    ``lemmas`` counts what it told to others."""

    number: int
    place: str
    joined: float
    left: float | None = None
    why_left: str = ""
    jobs: int = 0
    cost: int = 0
    sharing: int = 0
    validation: int = 0
    unfinished: int = 0
    lemmas: int = 0
    busy: float = 0.0


@dataclass(slots=True)
class PartsReview:
    """``breaks`` counts how often the run was resumed, ``unreadable`` messages that mean nothing."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    parts: dict[str, PartRecord] = field(default_factory=dict)
    workers: dict[int, WorkerSummary] = field(default_factory=dict)
    breaks: int = 0
    unreadable: int = 0

    def lost(self) -> list[WorkerSummary]:
        """Those that were lost while the run went on."""
        return [w for w in self.workers.values() if w.left is not None and w.why_left != STOPPED]

    def part(self, name: str) -> PartRecord:
        return self.parts.setdefault(name, PartRecord(name))


class Listener(Protocol):
    """Adds what a message says to a review. Raises `msgspec.MsgspecError` for what is no message."""

    def __call__(self, review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None: ...


def review_parts(path: Path, listeners: Mapping[str, Callable[[], Listener]]) -> PartsReview:
    """``listeners`` are there for each engine, loaded when they are needed."""
    with Journal.open(path) as journal:
        result = journal.result
        seconds = max(journal.seconds(), float((result or {}).get("seconds", 0)))
        state = run_state(result, going_on=is_locked(path))
        review = PartsReview(path, journal.info, result, state, seconds)
        _Reader(review, listeners[journal.info.engine]()).read(journal.events())
    return review


class _Reader:
    def __init__(self, review: PartsReview, listen: Listener) -> None:
        self._review = review
        self._listen = listen
        self._present: set[int] = set()
        self._in_break = False

    def read(self, events: Iterable[tuple[float, Event]]) -> None:
        for seconds, event in events:
            stopped = isinstance(event, Lost) and event.reason == STOPPED
            self._review.breaks += stopped and not self._in_break
            self._in_break = stopped
            match event:
                case Joined(worker=number, place=place):
                    self._present.add(number)
                    self._review.workers[number] = WorkerSummary(number, place, seconds)
                case Lost(worker=number, reason=reason) if number in self._present:
                    self._present.discard(number)
                    worker = self._review.workers[number]
                    worker.left, worker.why_left = seconds, reason
                case Received(worker=number, message=data) if number in self._present:
                    self._on_data(self._review.workers[number], data, seconds)

    def _on_data(self, worker: WorkerSummary, data: bytes, seconds: float) -> None:
        try:
            self._listen(self._review, worker, data, seconds)
        except msgspec.MsgspecError:
            self._review.unreadable += 1


def parts_object(review: PartsReview) -> dict[str, Any]:
    """A review as an object that JSON can hold."""
    info: dict[str, Any] = msgspec.to_builtins(review.info)
    return {
        "run": info.pop("id"),
        "journal": str(review.path),
        "state": review.state,
        "verdict": (review.result or {}).get("verdict"),
        "seconds": round(review.seconds, 3),
        "breaks": review.breaks,
        **info,
        "result": review.result,
        "parts": [msgspec.to_builtins(part) for part in review.parts.values()],
        "workers_seen": [msgspec.to_builtins(worker) for worker in review.workers.values()],
        "lost_workers": [
            {"worker": worker.number, "seconds": worker.left, "reason": worker.why_left} for worker in review.lost()
        ],
        "unreadable_messages": review.unreadable,
    }
