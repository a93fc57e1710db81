"""The workers of one stage, and the coordinator that gives them work.

    with Team(search, place, record, workers=8) as team:
        team.solve(halt, note)         # the coordinator's outcome, or why there is none

A stage that stopped is rebuilt from its events: the coordinator is pure, so the events that it saw make it what it was.
Then all its workers are counted as lost, and what they were working on is given to new ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from cleave.engines.coordination import STOPPED, Command, Event, Finish, Joined, Lost
from cleave.engines.engine import Search
from cleave.run.plan import Place
from cleave.runtime.crew import Assignment, Crew
from cleave.runtime.drive import Ended, drive
from cleave.verdict import Reason

Record = Callable[[Sequence[Event]], None]
"""Keeps events before anything is done about them."""


class Team:
    """``before`` are the events of the stage so far, with their times, and ``record`` keeps those to come.
    ``memlimit_mb`` is for each worker; 0: none."""

    def __init__(
        self,
        search: Search,
        place: Place,
        record: Record,
        *,
        memlimit_mb: int = 0,
        before: Sequence[tuple[float, Event]] = (),
    ) -> None:
        self._record = record
        self._events: list[Event] = [event for _, event in before]
        self.coordinator = search.coordinator()
        self._commands: list[Command] = list(self.coordinator.start())
        self._elapsed = before[-1][0] if before else 0.0
        first = self._replay() + 1 if before else 1
        self._crew = make_crew(place, Assignment(search.worker, search.assignment()), first, memlimit_mb)
        if not search.begins_alone:
            self.prepare()

    def __enter__(self) -> Team:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._crew.close()

    def prepare(self) -> None:
        """Hires the first worker, which reads the program while its caller does."""
        self._crew.hire(1)

    def solve(self, halt: threading.Event, note: Callable[[Any], None]) -> bytes | Reason:
        """Runs until there is an outcome or ``halt`` is set. The workers are gone then."""
        outcome = drive(
            self.coordinator,
            self._crew,
            self._append,
            stop=halt,
            on_counters=note,
            commands=self._commands,
            elapsed=self._elapsed,
        )
        self._crew.close()
        return outcome.reason if isinstance(outcome, Ended) else outcome

    def events(self) -> Iterator[Event]:
        return iter(self._events)

    def _append(self, events: Sequence[Event]) -> None:
        self._record(events)
        self._events += events

    def _replay(self) -> int:
        """Feeds the coordinator the events so far; the largest number that a worker had."""
        present: dict[int, None] = {}
        largest = 0
        finish: list[Command] = []
        for event in self._events:
            finish += (command for command in self.coordinator.on(event) if isinstance(command, Finish))
            if isinstance(event, Joined):
                present[event.worker] = None
                largest = max(largest, event.worker)
            elif isinstance(event, Lost):
                present.pop(event.worker, None)
        if finish:  # it stopped after the last event and before its verdict
            self._commands = finish
        else:
            lost: list[Event] = [Lost(worker, STOPPED) for worker in present]
            self._append(lost)
            after: list[Command] = [command for event in lost for command in self.coordinator.on(event)]
            self._commands = [*self.coordinator.start(), *after]
        return largest


def make_crew(place: Place, assignment: Assignment, first: int, memlimit_mb: int) -> Crew:
    match place.runtime:
        case "local":
            from cleave.runtime.local import LocalCrew  # one worker alone needs no processes, and so do most tasks

            return LocalCrew(assignment, memlimit_mb=memlimit_mb, first=first)
        case "simulated":
            from cleave.runtime.simulation.crew import SimulatedCrew

            return SimulatedCrew(assignment, first=first)
        case "ray":
            from cleave.runtime.ray import RayCrew  # an extra: imported only where it is asked for

            ray: Crew = RayCrew(assignment, address=place.address, memlimit_mb=memlimit_mb, first=first)
            return ray
