"""A crew: the workers of one run, wherever they are. `local`, `ray` and `simulation` are the three kinds.

    with LocalCrew(Assignment("cleave.engines.inline.worker:work", task)) as crew:
        crew.hire(8)
        crew.events(0.1)        # [Joined(1, "local, process 4711"), ...]

`drive` connects a crew to a coordinator.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from cleave.engines.coordination import Event


class Assignment(msgspec.Struct, frozen=True):
    """What every worker of a run starts with: the function to run, as ``module:function``, and its task."""

    worker: str
    task: bytes


class Crew(Protocol):
    def hire(self, workers: int) -> None:
        """Wants so many workers in all. What is missing is started, now and whenever one is lost."""

    def send(self, worker: int, message: bytes) -> None:
        """To a worker that is lost: dropped."""

    def events(self, seconds: float) -> list[Event]:
        """What happened; waits for something at most so long."""

    def now(self) -> float:
        """Seconds since the run began, real or virtual."""

    def close(self) -> None:
        """Ends all workers at once and waits until they are gone; may be called again."""
