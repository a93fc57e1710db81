"""A run as the messages of the pdr engine's workers show it: its parts, the levels that strategies reached, and the
lemmas that workers exchanged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import field

from cleave.engines.coordination import Event
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.division import leaves
from cleave.engines.pdr.messages import INVARIANT, Closed, Divided, Exchange, Outcome, from_worker
from cleave.engines.review.drawings import Drawing, Graph, Line, Lines, Rows
from cleave.engines.review.parts import PartsReview, WorkerSummary
from cleave.ir.horn_partition import Partition
from cleave.records import dataclass

WHOLE = "whole problem"
_MOST_POINTS = 400  # of a line
_MOST_LINES = 24
_MOST_NODES = 24  # of the graph of lemmas
_MOST_LEMMAS = 200


@dataclass(slots=True)
class PdrReview(PartsReview):
    """``levels`` by worker and strategy: seconds and levels, where they changed. ``told`` and ``imported`` count lemmas
    by worker; ``invariants`` are told lemmas that hold at every level, by predicate."""

    levels: dict[tuple[int, str], list[tuple[float, float]]] = field(default_factory=dict)
    told: Counter[int] = field(default_factory=Counter)
    imported: Counter[int] = field(default_factory=Counter)
    invariants: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def drawings(self) -> Iterable[Drawing]:
        if self.levels:
            yield _levels(self)
        if sum(self.told.values()):
            yield _lemmas(self)
        yield from PartsReview.drawings(self)
        if self.invariants:
            yield _invariants(self)


def review(events: Iterable[tuple[float, Event]]) -> PdrReview:
    found = PdrReview(listen)
    found.follow(events)
    return found


def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
    assert isinstance(review, PdrReview)
    review.part(WHOLE)
    match from_worker(message):
        case None:
            review.unreadable += 1
        case Exchange() as exchange:
            _on_exchange(review, worker, exchange, seconds)
        case Divided(queries=queries, divisions=divisions, effort=effort):
            worker.cost += effort.cost
            worker.did("setup", effort.seconds, seconds, "divides the problem")
            for partition in leaves(queries, divisions) or ():
                review.part(_name(partition))
        case Outcome() as outcome:
            _on_outcome(review, worker, outcome, seconds)
        case _:
            pass


def _on_exchange(review: PdrReview, worker: WorkerSummary, exchange: Exchange, seconds: float) -> None:
    worker.lemmas += len(exchange.lemmas)
    worker.unfinished = exchange.cost
    worker.at_work = f"{exchange.strategy or 'a strategy'} on {_name(exchange.partition)}, level {exchange.level}"
    review.told[worker.number] += len(exchange.lemmas)
    review.imported[worker.number] += exchange.imported
    points = review.levels.setdefault((worker.number, exchange.strategy), [])
    if not points or points[-1][1] != exchange.level:
        points.append((round(seconds, 3), exchange.level))
    for lemma in exchange.lemmas:
        if lemma.level == INVARIANT:
            review.invariants[lemma.predicate].setdefault(lemma.text, worker.number)


def _on_outcome(review: PdrReview, worker: WorkerSummary, outcome: Outcome, seconds: float) -> None:
    effort, part = outcome.effort, review.part(_name(outcome.partition))
    worker.jobs += 1
    worker.cost += effort.cost
    worker.sharing += effort.sharing
    worker.validation += effort.validation
    worker.busy += effort.seconds
    worker.unfinished = 0
    doing = f"{outcome.strategy} on {part.name}" if outcome.strategy else part.name
    checking = effort.seconds * effort.validation / effort.cost if effort.cost else 0.0
    worker.did("search", effort.seconds - checking, seconds - checking, doing)
    worker.did("checking", checking, seconds, doing)
    match outcome.answer:
        case GivenUp(reason=reason, detail=detail):
            part.tries.append(f"{outcome.strategy}: {detail or reason}" if outcome.strategy else detail or reason)
            return
        case Closed():
            part.state = "closed"
        case Violation():
            part.state = "violated"
    part.worker, part.seconds, part.strategy, part.cost = worker.number, seconds, outcome.strategy, effort.cost


def _name(partition: Partition | None) -> str:
    return WHOLE if partition is None else str(partition)


def _levels(review: PdrReview) -> Lines:
    lines = [
        Line(f"worker {worker}{f', {strategy}' if strategy else ''}", _thinned([*points, (end, points[-1][1])]))
        for (worker, strategy), points in review.levels.items()
        for end in (max(points[-1][0], round(review.crew.seconds, 3)),)
    ]
    further = len(lines) - _MOST_LINES
    note = f"{further} further ones are not drawn" if further > 0 else ""
    return Lines(title="Levels", x="seconds", y="level", lines=tuple(lines[:_MOST_LINES]), note=note, stepped=True)


def _thinned(points: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple(points[:: max(1, len(points) // _MOST_POINTS)])


def _lemmas(review: PdrReview) -> Graph:
    """Lemmas go to all others through the coordinator, which is the node in the middle."""
    workers = sorted(review.crew.members)[: _MOST_NODES - 1]
    edges = []
    for position, worker in enumerate(workers, 1):
        edges.append((position, 0, float(review.told[worker])))
        edges.append((0, position, float(review.imported[worker])))
    return Graph(
        title="Lemmas",
        nodes=("coordinator", *(f"worker {worker}" for worker in workers)),
        edges=tuple(edge for edge in edges if edge[2]),
        note="Out of a worker: lemmas that it sent. Into a worker: lemmas of others that it received and uses.",
    )


def _invariants(review: PdrReview) -> Rows:
    rows = [(name, text, f"worker {who}") for name, own in review.invariants.items() for text, who in own.items()]
    return Rows(
        title="Lemmas that hold at every level",
        columns=("predicate", "lemma", "found by"),
        rows=tuple(rows[:_MOST_LEMMAS]),
        further=max(0, len(rows) - _MOST_LEMMAS),
    )
