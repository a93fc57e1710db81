"""The split tree of a run: which parts of the search were split or closed, by whom, when, and at what cost.

    tree.divided("", worker=1, seconds=1.2)                  # the whole search is split into "0" and "1"
    tree.settled("1", "closed", worker=2, seconds=3.4, ...)
    tree.parts["1"].state                                    # "closed"
    tree.below()[""]                                         # Below(splits=1, open=1, closed=1, cost=...)

Ids are paths: a part's must-avoid half has its id and "0", its must-reach half its id and "1".
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from cleave.engines.inline.messages import Effort
from cleave.engines.review.members import State
from cleave.records import dataclass

Answer = Literal["closed", "violated", "given up"]


@dataclass(slots=True)
class Settled:
    """How the search of a part ended. The effort is that of its worker since it was given the part, or the larger one
    that it is a half of."""

    answer: Answer
    worker: int
    seconds: float
    effort: Effort
    bound: int | None = None
    reason: str = ""


@dataclass(slots=True)
class Part:
    """The whole search may be both, split and settled, where a worker searched it unsplit."""

    id: str
    split_by: int | None = None
    split_at: float = 0.0
    call: str = ""
    settled: Settled | None = None

    @property
    def state(self) -> State:
        if self.settled is not None and (self.split_by is None or self.settled.answer != "given up"):
            return self.settled.answer
        return "open" if self.split_by is None else "split"


@dataclass(slots=True)
class Below:
    """A part and everything that it was split into, added up."""

    splits: int = 0
    open: int = 0
    closed: int = 0
    violated: int = 0
    given_up: int = 0
    cost: int = 0
    workers: set[int] = field(default_factory=set)

    def add(self, other: Below) -> None:
        self.splits += other.splits
        self.open += other.open
        self.closed += other.closed
        self.violated += other.violated
        self.given_up += other.given_up
        self.cost += other.cost
        self.workers |= other.workers


class SplitTree:
    def __init__(self) -> None:
        self.parts: dict[str, Part] = {"": Part("")}

    def divided(self, part: str, worker: int, seconds: float, call: str = "") -> None:
        """``call`` is what the halves avoid and reach, in words."""
        node = self._part(part)
        node.split_by, node.split_at, node.call = worker, seconds, call
        self._part(part + "0")
        self._part(part + "1")

    def settled(self, part: str, how: Settled) -> None:
        self._part(part).settled = how

    def below(self) -> dict[str, Below]:
        """For each part; the longest ids first, so that halves are added up before what they are halves of."""
        sums = {part: _alone(node) for part, node in self.parts.items()}
        for part in sorted(self.parts, key=len, reverse=True):
            if part and part[:-1] in sums:
                sums[part[:-1]].add(sums[part])
        return sums

    def _part(self, part: str) -> Part:
        return self.parts.setdefault(part, Part(part))


def _alone(part: Part) -> Below:
    alone = Below(splits=int(part.split_by is not None))
    match part.state:
        case "open":
            alone.open = 1
        case "closed":
            alone.closed = 1
        case "violated":
            alone.violated = 1
        case "given up":
            alone.given_up = 1
        case "split":
            pass
    if part.settled is not None:
        effort = part.settled.effort
        alone.cost = effort.search + effort.setup + effort.validation
        alone.workers = {part.settled.worker}
    return alone
