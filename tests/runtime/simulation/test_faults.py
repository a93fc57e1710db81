"""Faults by seed: none changes what an engine finds, and a seed repeats a run."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import pytest

from cleave.engines.coordination import Event, Lost
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Dice, Faults
from runtime.toy import WORKER, Adding, Task, encode_task, total

TASK = Task(size=200, workers=4)

MILD = Faults(drop=0.1, repeat=0.1, delay=0.1, crash_every=0.5, zombie_every=0.5, zombie_seconds=0.1, start_seconds=0.1)
KINDS = {
    "none": NO_FAULTS,
    "drop": Faults(drop=0.5),
    "repeat": Faults(repeat=0.5),
    "delay": Faults(delay=0.5, delay_seconds=0.05),
    "crash": Faults(crash_every=0.2),
    "zombie": Faults(zombie_every=0.2, zombie_seconds=0.1),
    "late start": Faults(start_seconds=0.5),
    "all, mild": MILD,
    "all, harsh": replace(MILD, drop=0.5, repeat=0.5, delay=0.5, crash_every=0.3, zombie_every=0.3),
}


def run(faults: Faults, seed: int) -> tuple[list[Event], SimulatedCrew]:
    record: list[Event] = []
    with SimulatedCrew(Assignment(WORKER, encode_task(TASK)), faults=faults, seed=seed) as crew:
        assert total(drive(Adding(TASK), crew, record.extend, timelimit=1000.0)) == TASK.expected
    return record, crew


@pytest.mark.parametrize("kind", KINDS)
def test_no_fault_changes_the_total(kind: str) -> None:
    """The toy's coordinator checks in each run that messages come in order, once, and never of a lost worker."""
    struck = 0
    for seed in range(200):
        events, crew = run(KINDS[kind], seed)
        struck += sum(isinstance(event, Lost) for event in events)
        assert crew.statistics.crashes + crew.statistics.zombies >= sum(isinstance(event, Lost) for event in events)
    assert (struck > 100) == (min(KINDS[kind].crash_every, KINDS[kind].zombie_every) < math.inf)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_repeats_a_run(kind: str) -> None:
    for seed in (0, 1, 2):
        (events, crew), (again, other) = run(KINDS[kind], seed), run(KINDS[kind], seed)
        assert events == again
        assert asdict(crew.statistics) == asdict(other.statistics)
        assert crew.now() == other.now()


def test_another_seed_is_another_run() -> None:
    assert len({repr(run(MILD, seed)[0]) for seed in range(20)}) == 20


def test_a_failing_seed_can_be_replayed() -> None:
    def fails(seed: int) -> list[Event] | None:
        """The events up to the failure of a coordinator that wrongly takes it that nobody is ever lost."""
        record: list[Event] = []

        class Trusting(Adding):
            def _lose(self, worker: int) -> None:
                raise LookupError(worker)

        crew = SimulatedCrew(Assignment(WORKER, encode_task(TASK)), faults=Faults(crash_every=1.0), seed=seed)
        try:
            drive(Trusting(TASK), crew, record.extend)
        except LookupError:
            return record
        return None

    failures = {seed: events for seed in range(20) if (events := fails(seed)) is not None}
    assert 0 < len(failures) < 20
    assert all(fails(seed) == events for seed, events in failures.items())


@pytest.mark.parametrize(
    "wrong",
    [{"drop": 1.0}, {"drop": -0.1}, {"repeat": 2.0}, {"delay_seconds": math.inf}, {"crash_every": 0.0}],
    ids=str,
)
def test_faults_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Faults(**wrong)


def test_frames_meet_their_fates_as_often_as_was_asked_for() -> None:
    dice = Dice(Faults(drop=0.5, repeat=0.25, delay=0.125, delay_seconds=8.0), seed=0)
    arrivals = [dice.arrivals() for _ in range(10_000)]
    copies = [late for frame in arrivals for late in frame]
    assert sum(len(frame) == 2 for frame in arrivals) == pytest.approx(10_000 * 0.25 * 0.25, rel=0.2)
    assert len(copies) == pytest.approx(10_000 * 1.25 * 0.5, rel=0.1)
    assert sum(late > 0 for late in copies) == pytest.approx(len(copies) * 0.125, rel=0.1)
    assert 7.5 < max(copies) < 8.0
