"""Runs the distributed inline engine in the simulator, on programs, options and faults that a seed chooses.

case = random_case(seed=7)
run = simulate(case.prepared, case.options, case.how, faults=case.faults, seed=case.seed)
assert disagreement(case, run) is None
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cleave.engines.coordination import STOPPED, Clock, Command, Event, Finish, Joined, Lost, Work
from cleave.engines.findings import Finding, GivenUp, Proof, Violation
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.job import Assigned
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.messages import Answer, Closed, Task, decode_finding, decode_path
from cleave.engines.inline.options import Decisions, InlineOptions, Queues, Rate, Splits
from cleave.engines.inline.record import split_tree
from cleave.engines.inline.worker import Client
from cleave.ir.program import Program
from cleave.passes.prepare import Prepared, prepare
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.coverage import covered
from cleave.validate.violations.confirm import validate_trace
from support.engine_runs import solve
from support.programs import Features, LayeredMaker, ProgramMaker

EAGER = {"split_after": 0, "slice_cost": 2_000, "interval": 0.0005, "slowdown": 1.0, "moving_cost": 0, "unsplit": False}
"""Splits as often as it can: the programs of tests are small."""

RECURSIVE = Features(procedures=4, loops=True, recursion=True)
BOUNDS = (1, 2)
SLOW = COST_PER_SECOND / 20


# --- runs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HydraRun:
    task: Task
    answer: Answer
    events: list[Event]
    counters: dict[str, int | float]
    seconds: float
    messages: int

    def covered(self) -> Confirmation:
        return covered(split_tree(self.events))


def simulate(
    prepared: Prepared,
    options: InlineOptions,
    workers: int,
    *,
    faults: Faults = NO_FAULTS,
    seed: int = 0,
    speed: float = COST_PER_SECOND,
    before: Sequence[Event] = (),
) -> HydraRun:
    """``speed`` is the cost of what a worker does in a virtual second. With events from ``before``, the run goes on
    where those leave it, as `run.team` does it with a journal."""
    task = Task("program", b"", None, None, options, workers)
    assigned = Assigned(task, prepared, Conditions(prepared.program))

    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        return Client(assigned, number, clock).run()

    coordinator = HydraCoordinator(task)
    events = list(before)
    commands = feed(coordinator, events)
    joined = [event.worker for event in events if isinstance(event, Joined)]
    lost = {event.worker for event in events if isinstance(event, Lost)}
    stopped = [Lost(worker, STOPPED) for worker in joined if worker not in lost]
    finish = [command for command in commands if isinstance(command, Finish)]
    commands = [*finish] or [*coordinator.start(), *feed(coordinator, stopped)]
    events += stopped
    crew = SimulatedCrew(
        Assignment("", b""),
        worker=start,
        cost_per_second=speed,
        faults=faults,
        seed=seed,
        first=max(joined, default=0) + 1,
    )
    with crew:
        outcome = drive(coordinator, crew, events.extend, timelimit=600.0, commands=commands)
        assert isinstance(outcome, bytes), "the run must end"
        seconds = crew.now()
    answer = decode_finding(outcome).answer
    return HydraRun(task, answer, events, coordinator.counters(), seconds, crew.statistics.messages)


def feed(coordinator: HydraCoordinator, events: Sequence[Event]) -> list[Command]:
    return [command for event in events for command in coordinator.on(event)]


# --- by a seed ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    seed: int
    program: Program
    prepared: Prepared
    options: InlineOptions
    workers: int
    faults: Faults
    speed: float = COST_PER_SECOND

    def run(self, *, before: Sequence[Event] = (), seed: int | None = None) -> HydraRun:
        """The seed of the faults is the case's, unless another one is given."""
        return simulate(
            self.prepared,
            self.options,
            self.workers,
            faults=self.faults,
            seed=self.seed if seed is None else seed,
            speed=self.speed,
            before=before,
        )


def random_case(seed: int, *, faulty: bool = True, merging: Merging | None = None) -> Case:
    pick = random.Random(seed)
    program = random_program(pick)
    chosen = pick.choice(list(Merging))
    workers = pick.choice((1, 2, 4, 16))
    options = InlineOptions(
        splits=pick.choice(list(Splits)),
        queues=pick.choice(list(Queues)),
        rate=pick.choice(list(Rate)),
        decisions=pick.choice(list(Decisions)),
        **{**EAGER, "unsplit": pick.random() < 0.2},  # type: ignore[arg-type]
        merging=merging or chosen,
        bounds=BOUNDS,
        seed=pick.randrange(100),
    )
    # Slow workers have time to be joined by all others, and to tell how far they are.
    speed = SLOW if options.unsplit or pick.random() < 0.3 else COST_PER_SECOND
    faults = random_faults(pick, COST_PER_SECOND / speed) if faulty else NO_FAULTS
    return Case(seed, program, prepare(program, ("main",)), options, workers, faults, speed)


def random_program(pick: random.Random) -> Program:
    if pick.random() < 0.7:
        return LayeredMaker(pick, 3).program()
    return ProgramMaker(pick, RECURSIVE).program()


def random_faults(pick: random.Random, slowness: float) -> Faults:
    """Times are of the order of what the runs take."""
    return Faults(
        drop=pick.choice((0.0, 0.0, 0.1, 0.3)),
        repeat=pick.choice((0.0, 0.2)),
        delay=pick.choice((0.0, 0.3)),
        crash_every=pick.choice((math.inf, 0.1, 0.3, 1.0)) * slowness,
        zombie_every=pick.choice((math.inf, math.inf, 0.2, 0.5)) * slowness,
        start_seconds=pick.choice((0.0, 0.02, 0.2)) * slowness,
    )


# --- what is expected -----------------------------------------------------------------------------------------------


def disagreement(case: Case, run: HydraRun) -> str | None:
    """What is wrong with the answer of a run: it must be that of the engine alone, and its evidence must hold. A run
    may give up only because of its faults."""
    alone = solve(case.prepared, case.options.merging, case.options.tried, case.options.seed)
    match run.answer:
        case Violation(path):
            if not isinstance(alone, Violation):
                return f"violated, but alone: {_shown(alone)}"
            judged = validate_trace(case.program, "main", case.prepared.lift(decode_path(path)))
            return None if judged.holds else f"the violation does not replay: {judged.text}"
        case Closed(bound=bound):
            if not isinstance(alone, Proof):
                return f"closed, but alone: {_shown(alone)}"
            if bound not in (None, case.options.tried[-1]):
                return f"closed within {bound} instead of {case.options.tried[-1]}"
            cover = run.covered()
            return None if cover.holds else cover.text
        case GivenUp(reason=reason, detail=detail):
            blamed = reason == "lost" and run.counters["lost_workers"] >= 8
            return None if blamed else f"gave up: {reason}: {detail}"


def not_rebuilt(run: HydraRun) -> str | None:
    """Whether the events of a run make a new coordinator what the one of the run was in the end."""
    coordinator = HydraCoordinator(run.task)
    finished = [command for command in feed(coordinator, run.events) if isinstance(command, Finish)]
    if [decode_finding(command.outcome).answer for command in finished] != [run.answer]:
        return f"rebuilt, it finishes with {finished}"
    return None if coordinator.counters() == run.counters else f"rebuilt, it counts {coordinator.counters()}"


def _shown(finding: Finding[Any]) -> str:
    return f"proved within {dict(finding.bounds)}" if isinstance(finding, Proof) else type(finding).__name__
