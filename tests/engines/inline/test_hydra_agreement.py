"""Random programs, options and faults: distributed runs agree with the engine alone, and their evidence holds.

`bench.faults` does the same a thousand times.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from cleave.engines.coordination import STOPPED, Lost
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import Decisions, InlineOptions, Queues, Rate, Splits
from cleave.passes.prepare import prepare
from cleave.runtime.simulation.faults import Faults
from support.hydra_runs import BOUNDS, EAGER, SLOW, Case, HydraRun, disagreement, not_rebuilt, random_case
from support.programs import LayeredMaker


def check(case: Case, run: HydraRun) -> Counter[str]:
    assert disagreement(case, run) is None
    assert not_rebuilt(run) is None
    counts = Counter({name: int(run.counters[name]) for name in ("splits", "went_back", "set_up", "lost_workers")})
    counts[type(run.answer).__name__] += 1
    return counts


@pytest.mark.parametrize("faulty", [False, True], ids=["without faults", "with faults"])
def test_runs_agree_with_the_engine_alone(faulty: bool) -> None:
    totals: Counter[str] = Counter()
    for seed in range(28):
        case = random_case(seed, faulty=faulty)
        totals.update(check(case, case.run()))
    assert (totals["lost_workers"] > 10) == faulty, totals
    assert faulty or not totals["GivenUp"]
    for name, least in {"splits": 20, "set_up": 30, "went_back": 1, "Closed": 5, "Violation": 3}.items():
        assert totals[name] >= least, totals


HARD = Faults(drop=0.3, repeat=0.3, delay=0.5, crash_every=10, zombie_every=10, start_seconds=0.1)
OPTIONS = [
    *({"splits": splits, "decisions": decisions} for splits in Splits for decisions in Decisions),
    *({"queues": queues, "rate": rate, "workers": 16} for queues in Queues for rate in Rate),
    {"unsplit": True, "workers": 2},
    {"workers": 1},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(str(v) for v in options.values()))
def test_every_option_on_one_program_that_is_split(options: dict[str, Any]) -> None:
    program = LayeredMaker(random.Random(122), 3).program()
    workers = options.get("workers", 4)
    how = InlineOptions(bounds=BOUNDS, **{**EAGER, **{k: v for k, v in options.items() if k != "workers"}})
    case = Case(5, program, prepare(program, ("main",)), how, workers, HARD, SLOW)
    assert check(case, case.run())["splits"] > 0 or how.unsplit


@pytest.mark.parametrize("merging", list(Merging), ids=lambda merging: merging.value)
def test_every_way_to_merge(merging: Merging) -> None:
    splits = 0
    for seed in range(3):
        case = random_case(seed, faulty=False, merging=merging)
        splits += check(case, case.run())["splits"]
    assert splits > 0


def test_a_run_that_stops_anywhere_goes_on_to_the_same_answer() -> None:
    resumed = 0
    for seed in range(100, 112):
        case, pick = random_case(seed), random.Random(seed)
        run = case.run()
        for again in (1, 2):
            before = run.events[: pick.randrange(len(run.events))]
            run = case.run(before=before, seed=seed + again)
            assert run.events[: len(before)] == before
            resumed += any(isinstance(event, Lost) and event.reason == STOPPED for event in run.events)
        check(case, run)
    assert resumed > 12


def test_the_same_seed_gives_the_same_events() -> None:
    for seed in range(3):
        one, other = random_case(seed).run(), random_case(seed).run()
        assert one.events == other.events
        assert (one.seconds, one.messages) == (other.seconds, other.messages)
    assert random_case(1).run().events != random_case(2).run().events
