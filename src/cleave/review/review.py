"""A run as its journal tells it, whether it is over, going on or has stopped.

    review = review_run(path)
    review.state                    # "finished" | "going on" | "stopped"
    review.tree.below()[""].closed  # how many parts of the search are closed
    review.workers[2].cost

Nothing here asks the coordinator: what workers said while they were there is all that is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received
from cleave.engines.inline.messages import (
    Closed,
    FromWorker,
    GetPartition,
    GivenUp,
    Outcome,
    Progress,
    SendPartition,
    Violated,
    from_worker,
)
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import is_locked
from cleave.review.dissimilarity import Dissimilarity, dissimilarity
from cleave.review.tree import Settled, SplitTree
from cleave.review.workers import WorkerRecord

RunState = Literal["finished", "going on", "stopped"]


@dataclass(slots=True)
class Review:
    """A run that is ``stopped`` can be resumed; if it was told to stop, it has a result all the same. ``breaks`` counts
    how often it was resumed."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    tree: SplitTree = field(default_factory=SplitTree)
    workers: dict[int, WorkerRecord] = field(default_factory=dict)
    breaks: int = 0

    def lost(self) -> list[WorkerRecord]:
        """Those that were lost while the run went on."""
        return [w for w in self.workers.values() if w.left is not None and w.why_left != STOPPED]

    def dissimilarity(self) -> Dissimilarity | None:
        return dissimilarity({worker.number: worker.inlined for worker in self.workers.values()})


def run_state(result: Mapping[str, Any] | None, *, going_on: bool) -> RunState:
    if going_on:
        return "going on"
    return "stopped" if result is None or result.get("verdict") == "unknown" else "finished"


def review_run(path: Path) -> Review:
    with Journal.open(path) as journal:
        going_on, result = is_locked(path), journal.result
        seconds = max(journal.seconds(), float((result or {}).get("seconds", 0)))
        review = Review(path, journal.info, result, run_state(result, going_on=going_on), seconds)
        _Reader(review).read(journal.events())
    return review


class _Reader:
    """Adds one event after the other to a review."""

    def __init__(self, review: Review) -> None:
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
                    self._review.workers[number] = WorkerRecord(number, place, seconds)
                case Lost(worker=number, reason=reason) if number in self._present:
                    self._present.discard(number)
                    worker = self._review.workers[number]
                    worker.left, worker.why_left = seconds, reason
                case Received(worker=number, message=message) if number in self._present:
                    self._on_message(self._review.workers[number], from_worker(message), seconds)

    def _on_message(self, worker: WorkerRecord, message: FromWorker, seconds: float) -> None:
        match message:
            case GetPartition():
                pass
            case Progress():
                worker.heard(seconds)
                worker.told_cost(message.cost)
            case SendPartition():
                worker.heard(seconds)
                worker.splits += 1
                worker.inlined.update(message.inlined)
                self._review.tree.divided(message.id, worker.number, seconds, message.call)
            case Outcome():
                worker.finished(message.effort)
                worker.closed += isinstance(message.answer, Closed)
                worker.inlined.update(message.inlined)
                self._review.tree.settled(message.id, _settled(worker.number, message, seconds))


def _settled(worker: int, outcome: Outcome, seconds: float) -> Settled:
    match outcome.answer:
        case Closed(bound=bound):
            return Settled("closed", worker, seconds, outcome.effort, bound)
        case Violated():
            return Settled("violated", worker, seconds, outcome.effort)
        case GivenUp(reason=reason):
            return Settled("given up", worker, seconds, outcome.effort, reason=reason)
