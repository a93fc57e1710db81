"""A run of the inline engine, from its events: the split tree, and what each worker did.

found = review(journal.events())
found.tree.below()[""].closed    # how many parts of the search are closed
found.workers[2].cost
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.dissimilarity import Dissimilarity, dissimilarity
from cleave.engines.inline.messages import (
    Closed,
    GetPartition,
    Outcome,
    Progress,
    Searched,
    SendPartition,
    ToldProof,
    from_worker,
)
from cleave.engines.inline.review_drawings import review_drawings
from cleave.engines.inline.review_text import review_text
from cleave.engines.inline.review_tree import Part, Settled, SplitTree
from cleave.engines.inline.review_workers import WorkerRecord, effort
from cleave.engines.review.drawings import Drawing
from cleave.engines.review.members import Crew, rounded
from cleave.records import dataclass

_LONG = 20  # digits of a part's id


@dataclass(slots=True)
class InlineReview:
    crew: Crew[WorkerRecord] = field(default_factory=lambda: Crew(WorkerRecord))
    tree: SplitTree = field(default_factory=SplitTree)
    last_split: SendPartition | None = None
    whole: ToldProof | None = None  # of a search that was not split

    @property
    def workers(self) -> dict[int, WorkerRecord]:
        return self.crew.members

    def dissimilarity(self) -> Dissimilarity | None:
        return dissimilarity({worker.number: worker.inlined for worker in self.workers.values()})

    def follow(self, events: Iterable[tuple[float, Event]]) -> None:
        for worker, message, seconds in self.crew.heard(events):
            self.heard(worker, message, seconds)

    def text(self, depth: int) -> Iterable[str]:
        return review_text(self, depth)

    def drawings(self) -> Iterable[Drawing]:
        return review_drawings(self)

    def as_object(self) -> dict[str, Any]:
        """The tree is a flat list: nested, its depth would be more than readers of JSON can take."""
        sums = self.tree.below()[""]
        return {
            "splits": sums.splits,
            "parts": {"open": sums.open, "closed": sums.closed, "violated": sums.violated, "given_up": sums.given_up},
            "effort": effort(self.workers.values()),
            "workers_seen": [_worker_object(worker) for worker in self.workers.values()],
            "lost_workers": self.crew.lost_objects(),
            "dissimilarity": _dissimilarity_object(self.dissimilarity()),
            "tree": [_part_object(part) for _, part in sorted(self.tree.parts.items())],
        }

    def heard(self, worker: WorkerRecord, data: bytes, seconds: float) -> None:
        match message := from_worker(data):
            case GetPartition():
                pass
            case Progress():
                worker.heard(seconds)
                worker.told_cost(message.cost)
                self._works_on(worker, message.id)
            case SendPartition():
                worker.heard(seconds)
                worker.splits += 1
                self.last_split = message
                worker.inlined.update(message.inlined)
                self.tree.divided(message.id, worker.number, seconds, message.call)
                self._works_on(worker, message.id + "0")
            case Searched():
                worker.at_work = f"checks the proof of {_named(message.id)}"
                worker.part = None
                worker.searched[message.id] = seconds
                self.whole = message.proof or self.whole
            case Outcome():
                worker.finished(message.effort)
                worker.closed += isinstance(message.answer, Closed)
                worker.inlined.update(message.inlined)
                self.tree.settled(message.id, _settled(worker.number, message, seconds))
                worker.part = None if worker.part == message.id else worker.part
                worker.spent(message.effort, seconds, _named(message.id), worker.searched.pop(message.id, None))

    def _works_on(self, worker: WorkerRecord, part: str | None) -> None:
        if part is not None:
            worker.part, worker.at_work = part, _named(part)


def review(events: Iterable[tuple[float, Event]]) -> InlineReview:
    found = InlineReview()
    found.follow(events)
    return found


def _named(part: str) -> str:
    if len(part) > _LONG:
        return f"part …{part[-_LONG:]}, {len(part)} splits deep"
    return f"part {part}" if part else "the whole search"


def _settled(worker: int, outcome: Outcome, seconds: float) -> Settled:
    match outcome.answer:
        case Closed(bound=bound):
            return Settled("closed", worker, seconds, outcome.effort, bound)
        case Violation():
            return Settled("violated", worker, seconds, outcome.effort)
        case GivenUp(reason=reason):
            return Settled("given up", worker, seconds, outcome.effort, reason=reason)


def _worker_object(worker: WorkerRecord) -> dict[str, Any]:
    return {
        "worker": worker.number,
        "place": worker.place,
        "joined": rounded(worker.joined),
        "left": rounded(worker.left),
        "why_left": worker.why_left,
        "closed": worker.closed,
        "splits": worker.splits,
        "search": worker.search,
        "setup": worker.setup,
        "validation": worker.validation,
        "unfinished": worker.unfinished,
        "checks": worker.checks,
        "instances": len(worker.inlined),
        "instances_set_up": worker.instances_set_up,
        "seconds_busy": rounded(worker.seconds_busy),
    }


def _part_object(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {"id": part.id, "state": part.state}
    if part.split_by is not None:
        found |= {"split_by": part.split_by, "split_at": rounded(part.split_at), "call": part.call}
    if (settled := part.settled) is not None:
        found |= {
            "settled_by": settled.worker,
            "settled_at": rounded(settled.seconds),
            "effort": msgspec.to_builtins(msgspec.structs.asdict(settled.effort)),
        }
        found |= {"bound": settled.bound} if settled.answer == "closed" else {}
        found |= {"reason": settled.reason} if settled.reason else {}
    return found


def _dissimilarity_object(found: Dissimilarity | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": found.mean,
        "least": found.least,
        "most": found.most,
        "workers": found.workers,
        "matrix": found.matrix,
    }
