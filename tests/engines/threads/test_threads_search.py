"""Many workers find what one finds, whatever is lost on the way; and the closed parts cover all schedules."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cleave.engines.coordination import Event, Finish, Joined, Lost, Received, Send
from cleave.engines.findings import Violation
from cleave.engines.threads.coordinator import ThreadsCoordinator
from cleave.engines.threads.messages import (
    Divided,
    Effort,
    Empty,
    GetPart,
    Outcome,
    Solve,
    Split,
    Task,
    decode_finding,
    encode,
    receive_schedule,
    to_worker,
)
from cleave.engines.threads.options import ThreadsOptions
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.violations.concurrent import replay
from support.concurrent_programs import ConcurrentMaker, Features, violating_schedule
from support.thread_runs import simulate

HARD = Faults(drop=0.2, repeat=0.2, delay=0.3, crash_every=5, zombie_every=5, start_seconds=0.1)
EAGER = ThreadsOptions(unwind=2, contexts=(2, 3, 4), slice_cost=5, split_after=0)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("faults", [NO_FAULTS, HARD], ids=["calm", "hard"])
def test_many_workers_agree_with_one(seed: int, faults: Faults) -> None:
    program = ConcurrentMaker(random.Random(400 + seed), Features(statements=2)).program()
    expected = violating_schedule(program, 4, unwind=2) is not None
    fixed = ThreadsOptions(unwind=2, contexts=(2, 3, 4), slice_cost=5, partitions=4)
    options, workers = (EAGER, 4) if seed % 3 else (fixed, 3)
    run = simulate(program, options, workers, faults=faults, seed=seed)
    if isinstance(run.answer, Violation):
        assert expected
        assert replay(program, "main", receive_schedule(run.answer.evidence)).holds
    else:
        assert isinstance(run.answer, Empty)
        assert not expected
        assert run.cover.holds


@pytest.mark.parametrize("seed", range(4))
def test_a_run_goes_on_from_any_event(seed: int) -> None:
    program = ConcurrentMaker(random.Random(500 + seed), Features(statements=2)).program()
    options = replace(EAGER, contexts=(3, 4))
    whole = simulate(program, options, 4, seed=seed)
    for cut in random.Random(seed).sample(range(len(whole.events)), k=min(3, len(whole.events))):
        again = simulate(program, options, 4, seed=seed, before=whole.events[:cut])
        assert type(again.answer) is type(whole.answer)
        assert isinstance(again.answer, Violation) or again.cover.holds


def test_splits_are_shown_to_whoever_waits() -> None:
    task = Task("f", b"", None, ThreadsOptions(contexts=(5,)), workers=2)
    coordinator = ThreadsCoordinator(task)

    def on(event: Event) -> list[object]:
        sent = coordinator.on(event)
        return [(c.worker, to_worker(c.message)) if isinstance(c, Send) else c for c in sent]

    on(Joined(1))
    assert on(Received(1, encode(GetPart()))) == [(1, Solve(5, "", True))]
    on(Joined(2))
    assert on(Received(2, encode(GetPart()))) == [(1, Split())]
    divided = Received(1, encode(Divided(5, "", b"bit")))
    assert (2, Solve(5, "1", True)) in on(divided)
    on(Lost(2, "crashed"))
    empty = Outcome(5, "0", Empty(("contexts",), ((b"bit", False),)), Effort())
    assert on(Received(1, encode(empty))) == [(1, Solve(5, "1", True))]
    (finish,) = coordinator.on(Received(1, encode(Outcome(5, "1", Empty((), ((b"bit", True),)), Effort(clauses=7)))))
    assert isinstance(finish, Finish)
    answer = decode_finding(finish.outcome).answer
    assert isinstance(answer, Empty)
    assert answer.bounds == ("contexts",)
    assert coordinator.counters()["clauses"] == 7


def test_what_was_not_closed_is_noticed() -> None:
    program = ConcurrentMaker(random.Random(3), Features(statements=1)).program()
    run = simulate(program, replace(EAGER, contexts=(2,)), 4)
    if isinstance(run.answer, Violation):
        pytest.skip("a violation")
    without = [e for e in run.events if not (isinstance(e, Received) and b"contexts" in e.message)]
    assert run.cover.holds
    assert len(without) < len(run.events)
