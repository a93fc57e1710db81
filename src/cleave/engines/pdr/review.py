"""What the messages of the pdr engine's workers say about the parts of a run."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.coordination import Event
from cleave.engines.pdr.division import leaves
from cleave.engines.pdr.messages import Closed, Divided, Exchange, GivenUp, Outcome, Violated, from_worker
from cleave.engines.review.parts import PartsReview, WorkerSummary, review_parts
from cleave.ir.horn_partition import Partition

WHOLE = "whole problem"


def review(events: Iterable[tuple[float, Event]]) -> PartsReview:
    return review_parts(events, listen)


def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
    review.part(WHOLE)
    match from_worker(message):
        case None:
            review.unreadable += 1
        case Exchange(lemmas=lemmas, cost=cost):
            worker.lemmas += len(lemmas)
            worker.unfinished = cost
        case Divided(queries=queries, divisions=divisions, effort=effort):
            worker.cost += effort.cost
            for partition in leaves(queries, divisions) or ():
                review.part(_name(partition))
        case Outcome() as outcome:
            _on_outcome(review, worker, outcome, seconds)
        case _:
            pass


def _on_outcome(review: PartsReview, worker: WorkerSummary, outcome: Outcome, seconds: float) -> None:
    effort, part = outcome.effort, review.part(_name(outcome.partition))
    worker.jobs += 1
    worker.cost += effort.cost
    worker.sharing += effort.sharing
    worker.validation += effort.validation
    worker.busy += effort.seconds
    worker.unfinished = 0
    match outcome.answer:
        case GivenUp(reason=reason, detail=detail):
            part.tries.append(f"{outcome.strategy}: {detail or reason}" if outcome.strategy else detail or reason)
            return
        case Closed():
            part.state = "closed"
        case Violated():
            part.state = "violated"
    part.worker, part.seconds, part.strategy, part.cost = worker.number, seconds, outcome.strategy, effort.cost


def _name(partition: Partition | None) -> str:
    return WHOLE if partition is None else str(partition)
