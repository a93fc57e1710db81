"""What the messages of the cegar engine's workers say about a run: its parts are the iterations, each ended by the
analysis of its counterexample."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.cegar.messages import Analysed, Expanded, Failed, Feasible, Learned, Refined, from_worker
from cleave.engines.coordination import Event
from cleave.engines.review.parts import PartsReview, WorkerSummary, review_parts
from cleave.logic import encoding


def review(events: Iterable[tuple[float, Event]]) -> PartsReview:
    return review_parts(events, listen)


def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
    number = sum(part.state != "open" for part in review.parts.values()) + 1
    part = review.part(f"iteration {number}")
    match from_worker(message):
        case Expanded(cost=cost):
            worker.jobs += 1
            worker.cost += cost
            part.cost += cost
        case Analysed(answer=answer, cost=cost):
            worker.jobs += 1
            worker.cost += cost
            part.cost += cost
            part.worker, part.seconds = worker.number, seconds
            match answer:
                case Feasible(states=states):
                    part.state, part.strategy = "violated", f"path of {len(states)} steps taken"
                case Refined(predicates=predicates):
                    part.state, part.strategy = "closed", f"path excluded, predicates: {len(predicates)}"
                    part.learned += map(_text, predicates)
                case Failed(reason=reason):
                    part.state = "given up"
                    part.tries.append(reason)
        case _:
            pass


def _text(learned: Learned) -> str:
    return f"at location {learned.location}: {', '.join(map(str, encoding.decode(learned.formula)))}"
