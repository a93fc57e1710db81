"""What a journal tells about every run, whichever engine searched: its state, who was there, how often it was resumed.

    review = ...                      # of an engine: `inline`, or `parts` for the others
    review.state                      # "finished" | "going on" | "stopped"
    review.workers[2].place

Nothing here asks the coordinator: what workers said while they were there is all that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Received
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import is_locked

RunState = Literal["finished", "going on", "stopped"]


def run_state(result: Mapping[str, Any] | None, *, going_on: bool) -> RunState:
    if going_on:
        return "going on"
    return "stopped" if result is None or result.get("verdict") == "unknown" else "finished"


@dataclass(slots=True)
class Member:
    """A worker and when it was there, in seconds of the run."""

    number: int
    place: str
    joined: float
    left: float | None = None
    why_left: str = ""


AnyMember = TypeVar("AnyMember", bound=Member)


@dataclass(slots=True)
class RunReview(Generic[AnyMember]):
    """A run that is ``stopped`` can be resumed; if it was told to stop, it has a result all the same. ``breaks`` counts
    how often it was resumed."""

    path: Path
    info: RunInfo
    result: dict[str, Any] | None
    state: RunState
    seconds: float
    workers: dict[int, AnyMember] = field(default_factory=dict, kw_only=True)
    breaks: int = field(default=0, kw_only=True)

    def lost(self) -> list[AnyMember]:
        """Those that were lost while the run went on."""
        return [w for w in self.workers.values() if w.left is not None and w.why_left != STOPPED]

    def read(
        self,
        events: Iterable[tuple[float, Event]],
        joined: Callable[[int, str, float], AnyMember],
        heard: Callable[[AnyMember, bytes, float], None],
    ) -> None:
        """Who came and went; what those that were there said goes to ``heard``."""
        present: set[int] = set()
        in_break = False
        for seconds, event in events:
            stopped = isinstance(event, Lost) and event.reason == STOPPED
            self.breaks += stopped and not in_break
            in_break = stopped
            match event:
                case Joined(worker=number, place=place):
                    present.add(number)
                    self.workers[number] = joined(number, place, seconds)
                case Lost(worker=number, reason=reason) if number in present:
                    present.discard(number)
                    self.workers[number].left, self.workers[number].why_left = seconds, reason
                case Received(worker=number, message=message) if number in present:
                    heard(self.workers[number], message, seconds)

    def described(self) -> dict[str, Any]:
        """As an object that JSON can hold; an engine adds what it knows."""
        info: dict[str, Any] = msgspec.to_builtins(self.info)
        return {
            "run": info.pop("id"),
            "journal": str(self.path),
            "state": self.state,
            "verdict": (self.result or {}).get("verdict"),
            "seconds": round(self.seconds, 3),
            "breaks": self.breaks,
            **info,
            "result": self.result,
            "lost_workers": [
                {"worker": worker.number, "seconds": rounded(worker.left), "reason": worker.why_left}
                for worker in self.lost()
            ],
        }


def about(path: Path, journal: Journal) -> tuple[Path, RunInfo, dict[str, Any] | None, RunState, float]:
    """What a review begins with."""
    result = journal.result
    seconds = max(journal.seconds(), float((result or {}).get("seconds", 0)))
    return path, journal.info, result, run_state(result, going_on=is_locked(path)), seconds


def rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
