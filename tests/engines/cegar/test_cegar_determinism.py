"""What the cegar engine concludes does not depend on how many workers there are, on what happens to them, or on the
process: `bench faults --engine cegar` makes the same comparison thousands of times."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cleave.engines.cegar.options import CegarOptions
from cleave.engines.findings import GivenUp, Violation
from cleave.runtime.simulation.faults import Faults
from support.cegar_cases import FAULTS, WORKERS, alone, disagreement, interesting_system, numbered_case, printed_alone
from support.cegar_runs import simulate

TESTS = Path(__file__).parents[2]

RACE = """\
(set-logic HORN)
(declare-fun at (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (at x y))))
(assert (forall ((x Int) (y Int)) (=> (and (at x y) (< x 4)) (at (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (at x y) (< x 3)) (at (+ x 1) y))))
(assert (forall ((x Int) (y Int)) (=> (and (at x y) (> y {least})) false)))
(check-sat)
"""

_IN_A_PROCESS = """\
import sys
sys.path.insert(0, sys.argv[1])
from support.cegar_cases import alone, interesting_system, printed_alone
for number in (2, 5):
    system = interesting_system(number)
    print(alone(system).conclusion, printed_alone(system))
"""


@pytest.mark.parametrize("workers", range(len(WORKERS)))
@pytest.mark.parametrize("system", [2, 5, 8])
def test_faults_change_nothing(system: int, workers: int) -> None:
    first = (system * len(WORKERS) + workers) * FAULTS
    for number in range(first, first + 2):
        case = numbered_case(number)
        assert disagreement(case, case.run()) is None, f"python -m bench faults --engine cegar --only {number}"


def test_many_workers_take_part_in_what_is_compared() -> None:
    """The comparison says nothing if one worker is done before the others come."""
    case = numbered_case((8 * len(WORKERS) + WORKERS.index(40)) * FAULTS)
    run = case.run()
    assert run.counters["workers"] > 30
    assert run.counters["iterations"] >= 4


def test_workers_that_are_lost_all_the_time_do_not_change_a_proof() -> None:
    text = RACE.format(least=4)
    one = simulate(text)
    speed = float(one.counters["cost"])
    faults = Faults(crash_every=0.15, drop=0.2, delay=0.5, zombie_every=1.0)
    many = simulate(text, CegarOptions(chunk=1), 5, faults=faults, seed=1, speed=speed)
    assert many.crashes > 3
    assert one.word == many.word == "safe"
    assert one.conclusion == many.conclusion
    assert one.printed() == many.printed()


def test_the_shortest_and_least_of_many_violations_is_found() -> None:
    one = simulate(RACE.format(least=2))
    answer = one.answer
    assert isinstance(answer, Violation)
    for workers in WORKERS:
        run = simulate(RACE.format(least=2), CegarOptions(chunk=1), workers, seed=workers, speed=1_000.0)
        assert run.answer == answer


def test_giving_up_is_the_same_too() -> None:
    options = CegarOptions(iterations=2, chunk=1)
    runs = [simulate(RACE.format(least=4), options, workers, speed=1_000.0) for workers in WORKERS]
    assert isinstance(runs[0].answer, GivenUp)
    assert len({run.printed() for run in runs}) == 1
    assert len({run.conclusion for run in runs}) == 1


def test_other_processes_conclude_the_same() -> None:
    """Strings have other hashes there, so that sets have another order."""
    expected = [(alone(one).conclusion, printed_alone(one)) for one in map(interesting_system, (2, 5))]
    told = "".join(f"{conclusion} {printed}\n" for conclusion, printed in expected)
    for seed in ("1", "2"):
        command = [sys.executable, "-c", _IN_A_PROCESS, str(TESTS)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert done.stdout == told
