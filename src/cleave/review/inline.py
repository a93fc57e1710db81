"""A run of the inline engine as its journal tells it: the split tree, and what each worker did.

review = review_inline(path)
review.tree.below()[""].closed    # how many parts of the search are closed
review.workers[2].cost
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cleave.engines.inline.messages import (
    Closed,
    GetPartition,
    GivenUp,
    Outcome,
    Progress,
    SendPartition,
    Violated,
    from_worker,
)
from cleave.journal.journal import Journal
from cleave.review.dissimilarity import Dissimilarity, dissimilarity
from cleave.review.run import RunReview, about
from cleave.review.tree import Settled, SplitTree
from cleave.review.workers import WorkerRecord


@dataclass(slots=True)
class InlineReview(RunReview[WorkerRecord]):
    tree: SplitTree = field(default_factory=SplitTree)

    def dissimilarity(self) -> Dissimilarity | None:
        return dissimilarity({worker.number: worker.inlined for worker in self.workers.values()})

    def heard(self, worker: WorkerRecord, data: bytes, seconds: float) -> None:
        match message := from_worker(data):
            case GetPartition():
                pass
            case Progress():
                worker.heard(seconds)
                worker.told_cost(message.cost)
            case SendPartition():
                worker.heard(seconds)
                worker.splits += 1
                worker.inlined.update(message.inlined)
                self.tree.divided(message.id, worker.number, seconds, message.call)
            case Outcome():
                worker.finished(message.effort)
                worker.closed += isinstance(message.answer, Closed)
                worker.inlined.update(message.inlined)
                self.tree.settled(message.id, _settled(worker.number, message, seconds))


def review_inline(path: Path) -> InlineReview:
    with Journal.open(path) as journal:
        review = InlineReview(*about(path, journal))
        review.read(journal.events(), WorkerRecord, review.heard)
    return review


def _settled(worker: int, outcome: Outcome, seconds: float) -> Settled:
    match outcome.answer:
        case Closed(bound=bound):
            return Settled("closed", worker, seconds, outcome.effort, bound)
        case Violated():
            return Settled("violated", worker, seconds, outcome.effort)
        case GivenUp(reason=reason):
            return Settled("given up", worker, seconds, outcome.effort, reason=reason)
