"""The workers of a stage of a run, from its events. All reviews have them.

    crew = Crew(WorkerSummary)
    for worker, message, seconds in crew.heard(events): ...
    crew.members[2].place
    crew.lost()                      # those that were lost while the run went on

Nothing here asks the coordinator: what workers said while they were there is all that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from itertools import pairwise
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec.structs import replace

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received
from cleave.engines.review.drawings import Block, Drawing, Lane, Lanes
from cleave.records import dataclass

State = Literal["open", "split", "closed", "violated", "given up"]
"""Of a part of a search."""

_MOST_LANES = 200
_LEAST_WAIT = 0.003  # of the whole time: between two pieces of work there is always a moment


class Review(Protocol):
    """What an engine's review of a stage is to whoever shows it. `Engine.review` names a function that makes one of the
    events, each with its second of the run."""

    def text(self, depth: int) -> Iterable[str]:
        """In lines; of a tree, so many levels."""

    def as_object(self) -> dict[str, Any]:
        """As an object that JSON can hold."""

    def drawings(self) -> Iterable[Drawing]:
        """What pages show of it."""

    def follow(self, events: Iterable[tuple[float, Event]]) -> None:
        """Goes on with events that came later."""


@dataclass(slots=True)
class Member:
    """A worker and when it was there, in seconds of the run. ``blocks`` are what it did when, ``since`` is the second
    after the last of them, ``at_work`` what it was last heard of to be doing."""

    number: int
    place: str
    joined: float
    left: float | None = None
    why_left: str = ""
    blocks: list[Block] = field(default_factory=list)
    since: float = 0.0
    at_work: str | None = None

    def did(self, kind: str, seconds: float, until: float, label: str) -> None:
        """It did something for so many seconds. The time before it is time that nobody knows of: it waited."""
        begin = max(until - seconds, self.since, self.joined)
        if until > begin:
            self.blocks.append(Block(round(begin, 3), round(until, 3), kind, label))
            self.since = until
        self.at_work = None

    @property
    def _is_lost(self) -> bool:
        return self.left is not None and self.why_left not in ("", STOPPED)

    def lane(self, now: float) -> Lane:
        """With what it is doing, and when it was lost."""
        blocks = list(self.blocks)
        until = now if self.left is None else self.left
        if self.at_work is not None and until > self.since:
            blocks.append(Block(round(max(self.since, self.joined), 3), round(until, 3), "in work", self.at_work))
        if self.left is not None and self._is_lost:
            blocks.append(Block(round(self.left, 3), round(max(now, self.left), 3), "lost", self.why_left))
        blocks = _in_turn(blocks)
        busy = sum(block.end - block.begin for block in blocks if block.kind != "lost")
        there = max(until - self.joined, 1e-9)
        shown = tuple(_with_waiting(blocks, self.joined, until, now * _LEAST_WAIT))
        note = f"lost at {self.left:.1f} s" if self._is_lost else f"{min(1.0, busy / there):.0%} busy"
        return Lane(f"worker {self.number}", shown, note)


def _with_waiting(blocks: list[Block], joined: float, until: float, least: float) -> Iterator[Block]:
    """While a worker was there and nobody knows of any work, it waited."""
    since = joined
    for block in blocks:
        if block.begin - since > least:
            yield Block(round(since, 3), block.begin, "waiting")
        yield block
        since = max(since, block.end)
    if until - since > least:
        yield Block(round(since, 3), round(until, 3), "waiting")


def _in_turn(blocks: list[Block]) -> list[Block]:
    """In the order of time; one during which the next begins ends there, in the picture."""
    ordered = sorted(blocks, key=lambda block: (block.begin, block.end))
    cut = [replace(one, end=min(one.end, after.begin)) for one, after in pairwise(ordered)]
    return [block for block in (*cut, *ordered[-1:]) if block.end > block.begin]


AnyMember = TypeVar("AnyMember", bound=Member)


class Crew(Generic[AnyMember]):
    def __init__(self, joined: Callable[[int, str, float], AnyMember]) -> None:
        self._joined = joined
        self.members: dict[int, AnyMember] = {}
        self.seconds = 0.0  # of the last event
        self._present: set[int] = set()

    def heard(self, events: Iterable[tuple[float, Event]]) -> Iterator[tuple[AnyMember, bytes, float]]:
        """What those that were there said, while who came and went is noted."""
        for seconds, event in events:
            self.seconds = seconds
            match event:
                case Joined(worker=number, place=place):
                    self._present.add(number)
                    self._joins(self._joined(number, place, seconds))
                case Lost(worker=number, reason=reason) if number in self._present:
                    self._present.discard(number)
                    self.members[number].left, self.members[number].why_left = seconds, reason
                case Received(worker=number, message=message) if number in self._present:
                    yield self.members[number], message, seconds

    def _joins(self, member: AnyMember) -> None:
        """They are kept in the order of their numbers, in which they need not come."""
        self.members[member.number] = member
        if member.number < max(self.members):
            ordered = sorted(self.members.items())
            self.members.clear()
            self.members.update(ordered)

    def lost(self) -> list[AnyMember]:
        """Those that were lost while the run went on."""
        return [one for one in self.members.values() if one.left is not None and one.why_left != STOPPED]

    def lanes(self) -> Iterator[Lanes]:
        """Who did what when."""
        members = list(self.members.values())
        if members:
            shown = tuple(one.lane(self.seconds) for one in members[:_MOST_LANES])
            further = len(members) - len(shown)
            note = f"{further} further workers are not drawn" if further else ""
            yield Lanes(title="Who did what when", lanes=shown, note=note)

    def lost_text(self) -> Iterator[str]:
        for one in self.lost():
            yield f"lost: worker {one.number} after {one.left:.1f} s: {one.why_left}"

    def lost_objects(self) -> list[dict[str, Any]]:
        return [{"worker": one.number, "seconds": rounded(one.left), "reason": one.why_left} for one in self.lost()]


def rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
