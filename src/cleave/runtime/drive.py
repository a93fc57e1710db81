"""The one loop that connects a coordinator to a crew, whichever crew it is.

    with LocalCrew(assignment) as crew:
        outcome = drive(coordinator, crew, journal.append, timelimit=60.0)

Every batch of events is recorded before any command that follows from it is carried out: whatever a worker was sent
can be found again, by feeding the record to a new coordinator.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from cleave.engines.coordination import Command, Coordinator, Event, Finish, Hire, Joined, Lost, Passed, Send
from cleave.records import dataclass
from cleave.runtime.crew import Crew
from cleave.verdict import Reason

_log = logging.getLogger(__name__)

_WAIT_SECONDS = 0.1  # how late somebody's wish to stop may be noticed
_TICK_SECONDS = 1.0  # how often a coordinator is told the time

Record: TypeAlias = Callable[[Sequence[Event]], None]
OnCounters: TypeAlias = Callable[[dict[str, int | float]], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """The run ended before its coordinator finished it."""

    reason: Reason


def drive(
    coordinator: Coordinator,
    crew: Crew,
    record: Record,
    *,
    stop: threading.Event | None = None,
    timelimit: float = 0.0,
    on_counters: OnCounters | None = None,
    commands: Sequence[Command] | None = None,
    elapsed: float = 0.0,
) -> bytes | Ended:
    """The coordinator's outcome, or why there is none.

    A run that goes on after a break begins with ``commands`` instead of the coordinator's first ones, and ``elapsed``
    seconds of it have passed already; ``timelimit`` counts from now. If anything raises, the crew is closed first.
    """
    try:
        run = _Run(coordinator, crew, record, stop or threading.Event(), timelimit, on_counters, elapsed)
        return run.loop(coordinator.start() if commands is None else commands)
    except BaseException:
        crew.close()
        raise


class _Run:
    def __init__(
        self,
        coordinator: Coordinator,
        crew: Crew,
        record: Record,
        stop: threading.Event,
        timelimit: float,
        on_counters: OnCounters | None,
        elapsed: float,
    ) -> None:
        self.coordinator, self.crew, self.record, self.stop = coordinator, crew, record, stop
        self.deadline = crew.now() + timelimit if timelimit else math.inf
        self.next_tick = crew.now() + _TICK_SECONDS
        self.on_counters = on_counters
        self.elapsed = elapsed

    def loop(self, commands: Iterable[Command]) -> bytes | Ended:
        while True:
            outcome = self.carry_out(commands)
            ended = outcome if outcome is not None else self.limit()
            if ended is not None:
                _log.info("%s", "the coordinator is done" if outcome is not None else "the coordinator is stopped")
                self.show()
                return ended
            events = self.crew.events(max(0.0, min(_WAIT_SECONDS, self.deadline - self.crew.now()))) + self.tick()
            if events:
                self.record(events)
                _tell(events)
            commands = (command for event in events for command in self.coordinator.on(event))

    def carry_out(self, commands: Iterable[Command]) -> bytes | None:
        """Does what the coordinator wants; the outcome if that is to finish."""
        for command in commands:
            match command:
                case Hire(workers=workers):
                    _log.info("workers wanted: %d", workers)
                    self.crew.hire(workers)
                case Send(worker=worker, message=message):
                    self.crew.send(worker, message)
                case Finish(outcome=outcome):
                    return outcome
        return None

    def limit(self) -> Ended | None:
        if self.stop.is_set():
            return Ended(Reason.INTERRUPTED)
        return Ended(Reason.TIMEOUT) if self.crew.now() >= self.deadline else None

    def tick(self) -> list[Event]:
        now = self.crew.now()
        if now < self.next_tick:
            return []
        self.next_tick = now + _TICK_SECONDS
        self.show()
        return [Passed(self.elapsed + now)]

    def show(self) -> None:
        if self.on_counters is not None:
            self.on_counters(self.coordinator.counters())


def _tell(events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event, Joined):
            _log.info("worker %d joined: %s", event.worker, event.place)
        elif isinstance(event, Lost):
            _log.info("worker %d was lost: %s", event.worker, event.reason)
