"""The parts of a run as the messages of the threads engine's workers show them: sets of schedules, for each number of
contexts, named by the bits of the scheduled threads that are decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cleave.engines.coordination import Event
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.review.drawings import Drawing, Node, Tree
from cleave.engines.review.parts import Listener, PartsReview, WorkerSummary
from cleave.engines.threads.messages import Divided, Empty, Outcome, Progress, from_worker
from cleave.records import dataclass

_NOTE = "A set is as wide as what it and its parts cost. Each split decides one bit of which thread runs in a context."


@dataclass(slots=True)
class ThreadsReview(PartsReview):
    def drawings(self) -> Iterable[Drawing]:
        if self.parts:
            yield Tree(title="Sets of schedules", nodes=tuple(_nodes(self)), note=_NOTE)
        yield from PartsReview.drawings(self)


def review(events: Iterable[tuple[float, Event]]) -> ThreadsReview:
    found = ThreadsReview(listener(_name))
    found.follow(events)
    return found


def listener(named: Callable[[int, str], str]) -> Listener:
    """``named`` says what a part of a level is called."""

    def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
        _listen(review, worker, message, seconds, named)

    return listen


def _listen(
    review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float, named: Callable[[int, str], str]
) -> None:
    match from_worker(message):
        case Progress(cost=cost):
            worker.unfinished = cost
            worker.at_work = worker.at_work or "a part"
        case Divided(contexts=contexts, name=name):
            part = review.part(named(contexts, name))
            part.state, part.worker, part.seconds = "split", worker.number, seconds
            worker.at_work = named(contexts, name + "0")
            for bit in "01":
                review.part(named(contexts, name + bit))
        case Outcome() as outcome:
            _on_outcome(review, worker, outcome, seconds, named(outcome.contexts, outcome.name))
        case _:
            pass


def _on_outcome(review: PartsReview, worker: WorkerSummary, outcome: Outcome, seconds: float, name: str) -> None:
    effort, part = outcome.effort, review.part(name)
    worker.jobs += 1
    worker.cost += effort.cost
    worker.busy += effort.seconds
    worker.did("search", effort.seconds, seconds, part.name)
    worker.unfinished = 0
    match outcome.answer:
        case GivenUp(reason=reason, detail=detail):
            part.tries.append(detail or reason)
            return
        case Empty():
            part.state = "closed"
        case Violation():
            part.state = "violated"
    part.worker, part.seconds, part.cost = worker.number, seconds, effort.cost


def _nodes(review: ThreadsReview) -> Iterable[Node]:
    """A part's name ends in the bits that are decided; those of one number of contexts are a tree."""
    yield Node(id="", parent=None, label="all numbers of contexts", state="split")
    working = {worker.at_work for worker in review.crew.members.values() if worker.left is None}
    for name in sorted(review.parts, key=lambda name: (int(name.split()[0]), len(name), name)):
        part = review.parts[name]
        contexts, _, bits = name.partition(", ")
        digits = bits.removeprefix("bits ") if bits.startswith("bits ") else ""
        parent = f"{contexts}/{digits[:-1]}" if digits else ""
        by = [f"{part.state} by worker {part.worker} at {part.seconds:.1f} s"] if part.worker is not None else []
        is_open = part.state == "open"
        yield Node(
            id=f"{contexts}/{digits}",
            parent=parent,
            label=f"{contexts}, bits {digits}" if digits else contexts,
            state="in work" if is_open and name in working else part.state,
            cost=part.cost,
            begin=_began(review, contexts, digits),
            end=part.seconds if part.worker is not None else None,
            details=(*by, *(f"cost {part.cost:,}",) * bool(part.cost), *part.tries),
        )


def _began(review: ThreadsReview, contexts: str, digits: str) -> float:
    """When what it is a part of was split."""
    above = review.parts.get(f"{contexts}, {f'bits {digits[:-1]}' if digits[:-1] else 'all schedules'}")
    return above.seconds if digits and above is not None else 0.0


def _name(contexts: int, name: str) -> str:
    return f"{contexts} contexts, {f'bits {name}' if name else 'all schedules'}"
