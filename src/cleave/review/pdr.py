"""A run of the pdr engine as its journal tells it: which partitions there were, who solved what, and how.

review = review_pdr(path)
review.parts["whole problem"].state          # "open" | "closed" | "violated" | "given up"
review.workers[2].lemmas
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received
from cleave.engines.pdr.division import leaves
from cleave.engines.pdr.messages import (
    Closed,
    Divided,
    Exchange,
    FromWorker,
    GivenUp,
    Outcome,
    Ready,
    Violated,
    from_worker,
)
from cleave.ir.horn_partition import Partition
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import is_locked
from cleave.review.review import RunState, run_state
from cleave.review.tree import State

WHOLE = "whole problem"


@dataclass(slots=True)
class PdrPart:
    """A partition, or the whole problem; once it is settled, by whom, when and with which strategy. ``tries`` are the
    jobs on it that ended without an answer, with their reasons."""

    name: str
    state: State = "open"
    worker: int | None = None
    seconds: float = 0.0
    strategy: str = ""
    cost: int = 0
    tries: list[str] = field(default_factory=list)


@dataclass(slots=True)
class PdrWorker:
    """Costs are those of jobs that ended; ``unfinished`` is what it had told of another one when it was last heard of.
    ``lemmas`` counts what it told."""

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
class PdrReview:
    """``breaks`` counts how often the run was resumed, ``unreadable`` messages that mean nothing."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    parts: dict[str, PdrPart] = field(default_factory=lambda: {WHOLE: PdrPart(WHOLE)})
    workers: dict[int, PdrWorker] = field(default_factory=dict)
    breaks: int = 0
    unreadable: int = 0

    def lost(self) -> list[PdrWorker]:
        """Those that were lost while the run went on."""
        return [w for w in self.workers.values() if w.left is not None and w.why_left != STOPPED]


def review_pdr(path: Path) -> PdrReview:
    with Journal.open(path) as journal:
        result = journal.result
        seconds = max(journal.seconds(), float((result or {}).get("seconds", 0)))
        state = run_state(result, going_on=is_locked(path))
        review = PdrReview(path, journal.info, result, state, seconds)
        _Reader(review).read(journal.events())
    return review


class _Reader:
    def __init__(self, review: PdrReview) -> None:
        self._review = review
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
                    self._review.workers[number] = PdrWorker(number, place, seconds)
                case Lost(worker=number, reason=reason) if number in self._present:
                    self._present.discard(number)
                    worker = self._review.workers[number]
                    worker.left, worker.why_left = seconds, reason
                case Received(worker=number, message=data) if number in self._present:
                    self._on_data(self._review.workers[number], data, seconds)

    def _on_data(self, worker: PdrWorker, data: bytes, seconds: float) -> None:
        message = from_worker(data)
        if message is None:
            self._review.unreadable += 1
        else:
            self._on_message(worker, message, seconds)

    def _on_message(self, worker: PdrWorker, message: FromWorker, seconds: float) -> None:
        match message:
            case Ready():
                pass
            case Exchange():
                worker.lemmas += len(message.lemmas)
                worker.unfinished = message.cost
            case Divided():
                worker.cost += message.effort.cost
                for partition in leaves(message.queries, message.divisions) or ():
                    self._part(partition)
            case Outcome():
                self._on_outcome(worker, message, seconds)

    def _on_outcome(self, worker: PdrWorker, message: Outcome, seconds: float) -> None:
        effort, part = message.effort, self._part(message.partition)
        worker.jobs += 1
        worker.cost += effort.cost
        worker.sharing += effort.sharing
        worker.validation += effort.validation
        worker.busy += effort.seconds
        worker.unfinished = 0
        match message.answer:
            case GivenUp(reason=reason, detail=detail):
                part.tries.append(f"{message.strategy}: {detail or reason}" if message.strategy else detail or reason)
                return
            case Closed():
                part.state = "closed"
            case Violated():
                part.state = "violated"
        part.worker, part.seconds, part.strategy, part.cost = worker.number, seconds, message.strategy, effort.cost

    def _part(self, partition: Partition | None) -> PdrPart:
        name = WHOLE if partition is None else str(partition)
        return self._review.parts.setdefault(name, PdrPart(name))


def pdr_object(review: PdrReview) -> dict[str, Any]:
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
