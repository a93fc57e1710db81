"""What the messages of the threads engine's workers say about the parts of a run: sets of schedules, for each number of
contexts, named by the bits of the scheduled threads that are decided."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.coordination import Event
from cleave.engines.review.parts import PartsReview, WorkerSummary, review_parts
from cleave.engines.threads.messages import Divided, Empty, GivenUp, Outcome, Progress, Violated, from_worker


def review(events: Iterable[tuple[float, Event]]) -> PartsReview:
    return review_parts(events, listen)


def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
    match from_worker(message):
        case Progress(cost=cost):
            worker.unfinished = cost
        case Divided(contexts=contexts, name=name):
            part = review.part(_name(contexts, name))
            part.state, part.worker, part.seconds = "split", worker.number, seconds
            for bit in "01":
                review.part(_name(contexts, name + bit))
        case Outcome() as outcome:
            _on_outcome(review, worker, outcome, seconds)
        case _:
            pass


def _on_outcome(review: PartsReview, worker: WorkerSummary, outcome: Outcome, seconds: float) -> None:
    effort, part = outcome.effort, review.part(_name(outcome.contexts, outcome.name))
    worker.jobs += 1
    worker.cost += effort.cost
    worker.busy += effort.seconds
    worker.unfinished = 0
    match outcome.answer:
        case GivenUp(reason=reason, detail=detail):
            part.tries.append(detail or reason)
            return
        case Empty():
            part.state = "closed"
        case Violated():
            part.state = "violated"
    part.worker, part.seconds, part.cost = worker.number, seconds, effort.cost


def _name(contexts: int, name: str) -> str:
    return f"{contexts} contexts, {f'bits {name}' if name else 'all schedules'}"
