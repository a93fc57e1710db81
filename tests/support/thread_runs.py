"""Runs the distributed threads engine in the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cleave.engines.coordination import STOPPED, Clock, Command, Event, Finish, Joined, Lost, Work
from cleave.engines.threads.coordinator import ThreadsCoordinator
from cleave.engines.threads.messages import Answer, Task, decode_finding
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.partition import Space
from cleave.engines.threads.search import coverage
from cleave.engines.threads.worker import Client
from cleave.engines.unfolding.instances import unfold
from cleave.ir.program import Program
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.confirmation import Confirmation

COST_PER_SECOND = 2_000  # Bitwuzla's questions


@dataclass(frozen=True)
class ThreadsRun:
    task: Task
    answer: Answer
    events: list[Event]
    counters: dict[str, int | float]
    seconds: float
    cover: Confirmation


def simulate(
    program: Program,
    options: ThreadsOptions,
    workers: int,
    *,
    faults: Faults = NO_FAULTS,
    seed: int = 0,
    before: Sequence[Event] = (),
) -> ThreadsRun:
    """With events from ``before``, the run goes on where those leave it, as `run.team` does it with a journal."""
    task = Task("program", b"", None, options, workers)
    unfolded = unfold(program, "main", options.general_unwind)

    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        return Client(task, unfolded, clock).run()

    coordinator = ThreadsCoordinator(task)
    events = list(before)
    commands = [c for event in events for c in coordinator.on(event)]
    joined = [event.worker for event in events if isinstance(event, Joined)]
    lost = {event.worker for event in events if isinstance(event, Lost)}
    stopped: list[Event] = [Lost(worker, STOPPED) for worker in joined if worker not in lost]
    first: list[Command] = [command for command in commands if isinstance(command, Finish)]
    first = first or [*coordinator.start(), *(c for event in stopped for c in coordinator.on(event))]
    events += stopped
    crew = SimulatedCrew(
        Assignment("", b""),
        worker=start,
        cost_per_second=COST_PER_SECOND,
        faults=faults,
        seed=seed,
        first=max(joined, default=0) + 1,
    )
    with crew:
        outcome = drive(coordinator, crew, events.extend, timelimit=100_000.0, commands=first)
        assert isinstance(outcome, bytes), "the run must end"
        seconds = crew.now()
    cover = coverage(task, Space.of(unfolded), events)
    return ThreadsRun(task, decode_finding(outcome).answer, events, coordinator.counters(), seconds, cover)
