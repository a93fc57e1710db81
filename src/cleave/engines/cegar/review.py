"""A run as the messages of the cegar engine's workers show it: its parts are the iterations, each ended by the
analysis of its counterexample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from cleave.engines.cegar.messages import Analysed, Expanded, Failed, Feasible, Learned, Ready, Refined, from_worker
from cleave.engines.cegar.pictures import COUNTEREXAMPLES, ITERATIONS, TREE
from cleave.engines.coordination import Event
from cleave.engines.review.drawings import Drawing, Line, Lines, Node, Rows, Tree
from cleave.engines.review.parts import PartRecord, PartsReview, WorkerSummary
from cleave.engines.text import amount
from cleave.logic import encoding
from cleave.records import dataclass

_MOST_ROWS = 500
_MOST_LOCATIONS = 400
_COLUMNS = ("iteration", "answer", "states", "predicates", "cost", "by", "at", "predicates that exclude the path")


@dataclass(slots=True)
class CegarReview(PartsReview):
    """``states`` by iteration: abstract states whose successors were computed. ``found`` counts the successors by
    location, ``first_from`` says from where a location was first reached."""

    states: Counter[str] = field(default_factory=Counter)
    settled: int = 0
    transitions: tuple[tuple[int, int], ...] = ()
    found: Counter[int] = field(default_factory=Counter)
    first_from: dict[int, int | None] = field(default_factory=dict)

    def reached(self, transition: int) -> None:
        if transition < len(self.transitions):
            source, target = self.transitions[transition]
            self.first_from.setdefault(source, None)
            self.first_from.setdefault(target, source)
            self.found[target] += 1

    def drawings(self) -> Iterable[Drawing]:
        if self.parts:
            yield _growth(self)
            yield _iterations(self)
        if 1 < len(self.first_from) <= _MOST_LOCATIONS:
            yield _locations(self)
        parts, workers = "Parts", PartsReview.drawings(self)
        yield from (one for one in workers if one.title != parts)


def review(events: Iterable[tuple[float, Event]]) -> CegarReview:
    found = CegarReview(listen)
    found.follow(events)
    return found


def listen(review: PartsReview, worker: WorkerSummary, message: bytes, seconds: float) -> None:
    assert isinstance(review, CegarReview)
    part = review.part(f"iteration {review.settled + 1}")
    match from_worker(message):
        case Ready(transitions=transitions):
            worker.since = seconds
            review.transitions = transitions
        case Expanded(successors=successors, cost=cost):
            worker.jobs += 1
            worker.cost += cost
            part.cost += cost
            review.states[part.name] += len(successors)
            for transition, _ in (one for own in successors for one in own.taken):
                review.reached(transition)
            worker.busy += seconds - max(worker.since, worker.joined)
            worker.did(
                "search", seconds - worker.since, seconds, f"{part.name}: successors of {len(successors)} states"
            )
        case Analysed(answer=answer, cost=cost):
            worker.jobs += 1
            worker.cost += cost
            part.cost += cost
            part.worker, part.seconds = worker.number, seconds
            worker.busy += seconds - max(worker.since, worker.joined)
            worker.did("checking", seconds - worker.since, seconds, f"{part.name}: its counterexample")
            review.settled += 1
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
            worker.since = seconds


def _text(learned: Learned) -> str:
    return f"at location {learned.location}: {', '.join(map(str, encoding.decode(learned.formula)))}"


def _growth(review: CegarReview) -> Lines:
    states, predicates, known = [], [], 0
    for number, part in enumerate(review.parts.values(), 1):
        known += len(part.learned)
        states.append((float(number), float(review.states[part.name])))
        predicates.append((float(number), float(known)))
    lines = (Line("states looked at", tuple(states)), Line("predicates known", tuple(predicates)))
    return Lines(title=ITERATIONS, x="iteration", y="number", lines=lines)


def _locations(review: CegarReview) -> Tree:
    """Breadth first: a location was reached before those that were reached from it."""
    below: dict[int | None, list[int]] = {}
    for location, source in review.first_from.items():
        below.setdefault(source, []).append(location)
    nodes = [Node(id="all", parent=None, label="all locations", state="reached")]
    pending = [(location, "all") for location in below.get(None, ())]
    for location, parent in pending:  # grows
        number = review.found[location]
        label = f"location {location}: {number} states" if number else f"location {location}"
        nodes.append(Node(id=str(location), parent=parent, label=label, state="reached", cost=number))
        pending += [(child, str(location)) for child in below.get(location, ())]
    return Tree(
        title=TREE,
        nodes=tuple(nodes),
        note="The tree itself is drawn once the stage is over. Until then, each location is below the one from which"
        " it was first reached, and as wide as the abstract states that were found there and below, in all iterations.",
    )


def _iterations(review: CegarReview) -> Rows:
    parts = list(review.parts.values())
    return Rows(
        title=COUNTEREXAMPLES,
        columns=_COLUMNS,
        rows=tuple(_row(review, number, part) for number, part in enumerate(parts[:_MOST_ROWS], 1)),
        numbers=("iteration", "states", "predicates", "cost", "at"),
        further=max(0, len(parts) - _MOST_ROWS),
    )


def _row(review: CegarReview, number: int, part: PartRecord) -> tuple[str, ...]:
    by, at = (f"worker {part.worker}", f"{part.seconds:.1f} s") if part.worker is not None else ("", "")
    answer = part.strategy or "; ".join(part.tries) or part.state
    told = "; ".join(part.learned)
    return str(number), answer, str(review.states[part.name]), str(len(part.learned)), amount(part.cost), by, at, told
