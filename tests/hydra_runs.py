"""Runs the distributed inline engine on a prepared program, in the simulator."""

from __future__ import annotations

from dataclasses import dataclass

from cleave.engines.coordination import Clock, Event, Work
from cleave.engines.inline.client import Assigned, Client
from cleave.engines.inline.condition import Conditions
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import Answer, Task, decode_finding
from cleave.engines.inline.options import Distribution, InlineOptions
from cleave.engines.inline.record import split_tree
from cleave.passes.prepare import Prepared
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.faults import NO_FAULTS, Faults
from cleave.runtime.simulated import SimulatedCrew
from cleave.validate.coverage import uncovered

EAGER = {"split_after": 0, "slice_cost": 2_000, "interval": 0.0005, "slowdown": 1.0}
"""Splits as often as it can: the programs of tests are small."""


@dataclass(frozen=True)
class HydraRun:
    answer: Answer
    events: list[Event]
    counters: dict[str, int | float]
    seconds: float

    def uncovered(self) -> str | None:
        return uncovered(split_tree(self.events))


def simulate(
    prepared: Prepared,
    options: InlineOptions,
    how: Distribution,
    *,
    faults: Faults = NO_FAULTS,
    seed: int = 0,
) -> HydraRun:
    task = Task("program", b"", None, None, options, how)
    assigned = Assigned(task, prepared, Conditions(prepared.program))

    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        return Client(assigned, number, clock).run()

    coordinator = HydraCoordinator(task)
    events: list[Event] = []
    crew = SimulatedCrew(Assignment("", b""), worker=start, faults=faults, seed=seed)
    with crew:
        outcome = drive(coordinator, crew, events.extend, timelimit=3600.0)
        assert isinstance(outcome, bytes), "the run must end"
        seconds = crew.now()
    return HydraRun(decode_finding(outcome).answer, events, coordinator.counters(), seconds)
