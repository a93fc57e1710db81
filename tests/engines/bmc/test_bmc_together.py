"""The engine bmc with several workers, in the simulator: the same answers as alone, whatever happens to workers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cleave.engines.bmc.coordinator import BmcCoordinator
from cleave.engines.bmc.levels import largest_bounds
from cleave.engines.bmc.options import BmcOptions
from cleave.engines.bmc.partition import Partitions
from cleave.engines.bmc.task import Problem, Task, problem_of
from cleave.engines.bmc.worker import Client
from cleave.engines.coordination import Clock, Event, Joined, Lost, Received, Send, Work
from cleave.engines.findings import Violation
from cleave.engines.threads.messages import Answer, Divided, Empty, GetPart, Solve, decode_finding, encode, to_worker
from cleave.engines.threads.record import split_tree
from cleave.frontends.input import Input
from cleave.ir import split_tree as tree
from cleave.ir.loops import LoopBounds
from cleave.logic.terms import neg
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.proofs.coverage import covered

OPTIONS = BmcOptions(slice_cost=2, split_after=0, patience=0.0)
HARD = Faults(drop=0.1, repeat=0.2, delay=0.3, crash_every=10, zombie_every=10, start_seconds=0.1)
TRIANGLE = """
function {:bvbuiltin "bvadd"} add(a: bv4, b: bv4) returns (bv4);
function {:bvbuiltin "bvmul"} mul(a: bv4, b: bv4) returns (bv4);
function {:bvbuiltin "bvult"} ult(a: bv4, b: bv4) returns (bool);
procedure main() {
  var x: bv4, y: bv4, i: bv4, n: bv4, s: bv4;
  assume ult(n, 5bv4);
  i := 0bv4; s := 0bv4;
  while (ult(i, n)) {
    havoc x, y;
    if (ult(x, y)) { s := add(s, mul(x, y)); } else { s := add(s, mul(y, x)); }
    if (mul(add(x, y), add(x, y)) != add(add(mul(x, x), mul(y, y)), mul(2bv4, mul(x, y)))) { s := 0bv4; assert false; }
    i := add(i, 1bv4);
  }
  assert i == n && (s != %s || n != 4bv4);
}
"""
SAFE = TRIANGLE.replace("(s != %s || n != 4bv4)", "true")


def problem(text: str) -> Problem:
    return problem_of(Input.of("triangle.bpl", text.encode()), OPTIONS)


def simulate(of: Problem, workers: int, faults: Faults = NO_FAULTS, seed: int = 0) -> tuple[Answer, list[Event], int]:
    coordinator = BmcCoordinator(Task("", b"", None, OPTIONS, workers), largest_bounds(OPTIONS, of.program))

    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        assert clock is not None
        return Client(replace(of), clock).run()

    events: list[Event] = []
    crew = SimulatedCrew(Assignment("", b""), worker=start, cost_per_second=100, faults=faults, seed=seed)
    with crew:
        outcome = drive(coordinator, crew, events.extend, timelimit=100_000.0, commands=coordinator.start())
    assert isinstance(outcome, bytes), "the run must end"
    finding = decode_finding(outcome)
    return finding.answer, events, finding.contexts


@pytest.mark.parametrize(
    "faults",
    [NO_FAULTS, Faults(drop=0.2, repeat=0.2, delay=0.3, crash_every=5, zombie_every=5, start_seconds=0.1)],
    ids=["calm", "faults"],
)
@pytest.mark.parametrize("seed", [0])
def test_parts_that_cover_all_executions_are_closed(faults: Faults, seed: int) -> None:
    answer, events, level = simulate(problem(SAFE), 4, faults, seed)
    assert answer == Empty((), ())
    levels = [list(split_tree(events, one)) for one in range(1, level + 1)]
    assert all(covered(records).holds for records in levels)
    assert not any(covered(records[:-1]).holds for records in levels)
    splits = sum(isinstance(record, tree.Divided) for records in levels for record in records)
    assert faults is HARD or splits


def test_a_violation_is_found_by_whoever_has_it() -> None:
    answer, _, _ = simulate(problem(TRIANGLE % "7bv4"), 3)
    assert isinstance(answer, Violation)


def test_every_worker_splits_a_part_in_the_same_way() -> None:
    of = problem(TRIANGLE % "7bv4")
    one, other = (Partitions(replace(of).unfolded(LoopBounds(3))) for _ in range(2))
    for name in ("", "0", "1", "01"):
        decision = one.decision(name)
        assert decision is not None
        again = other.decision(name)
        assert again is not None
        assert decision.meaning == again.meaning
    assert one.facts("01") == [neg(one.decided("01")[0][0].condition), one.decided("01")[1][0].condition]


def test_the_part_of_a_lost_worker_is_searched_by_another() -> None:
    coordinator = BmcCoordinator(Task("", b"", None, OPTIONS, 2), LoopBounds(9))
    for worker in (1, 2):
        coordinator.on(Joined(worker))
        coordinator.on(Received(worker, encode(GetPart())))
    coordinator.on(Received(1, encode(Divided(1, "", b"m"))))  # worker 2, who waits, gets the other half
    coordinator.on(Lost(2))
    coordinator.on(Joined(3))
    commands = coordinator.on(Received(3, encode(GetPart())))
    orders = [to_worker(command.message) for command in commands if isinstance(command, Send)]
    assert orders[0] == Solve(1, "1", True, (("", 2),))


def test_only_the_bounds_that_any_part_went_beyond_grow() -> None:
    answer, events, level = simulate(problem(SAFE), 2)
    assert answer == Empty((), ())
    assert level > 1, "n may be larger than the first bound"
    assert any(isinstance(event, Received) for event in events)
