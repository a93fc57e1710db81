"""Who took part in a stage of a run, told from its events: what all reviews have.

    crew = Crew(WorkerSummary)
    for worker, message, seconds in crew.heard(events): ...
    crew.members[2].place
    crew.lost()                      # those that were lost while the run went on

Nothing here asks the coordinator: what workers said while they were there is all that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received

State = Literal["open", "split", "closed", "violated", "given up"]
"""Of a part of a search."""


class Review(Protocol):
    """What an engine's review of a stage is to whoever shows it. `Engine.review` names a function that makes one of the
    events, each with its second of the run."""

    def text(self, depth: int) -> Iterable[str]:
        """In lines; of a tree, so many levels."""

    def as_object(self) -> dict[str, Any]:
        """As an object that JSON can hold."""


@dataclass(slots=True)
class Member:
    """A worker and when it was there, in seconds of the run."""

    number: int
    place: str
    joined: float
    left: float | None = None
    why_left: str = ""


AnyMember = TypeVar("AnyMember", bound=Member)


class Crew(Generic[AnyMember]):
    def __init__(self, joined: Callable[[int, str, float], AnyMember]) -> None:
        self._joined = joined
        self.members: dict[int, AnyMember] = {}

    def heard(self, events: Iterable[tuple[float, Event]]) -> Iterator[tuple[AnyMember, bytes, float]]:
        """What those that were there said, while who came and went is noted."""
        present: set[int] = set()
        for seconds, event in events:
            match event:
                case Joined(worker=number, place=place):
                    present.add(number)
                    self.members[number] = self._joined(number, place, seconds)
                case Lost(worker=number, reason=reason) if number in present:
                    present.discard(number)
                    self.members[number].left, self.members[number].why_left = seconds, reason
                case Received(worker=number, message=message) if number in present:
                    yield self.members[number], message, seconds

    def lost(self) -> list[AnyMember]:
        """Those that were lost while the run went on."""
        return [one for one in self.members.values() if one.left is not None and one.why_left != STOPPED]

    def lost_text(self) -> Iterator[str]:
        for one in self.lost():
            yield f"lost: worker {one.number} after {one.left:.1f} s: {one.why_left}"

    def lost_objects(self) -> list[dict[str, Any]]:
        return [{"worker": one.number, "seconds": rounded(one.left), "reason": one.why_left} for one in self.lost()]


def rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
