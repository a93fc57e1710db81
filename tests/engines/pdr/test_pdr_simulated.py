"""P3 in virtual time, with real solvers: every verdict is the expected one and its evidence holds, whatever is
shared, how it is partitioned, who is lost, and what others say."""

from __future__ import annotations

import random

import pytest

from cleave.engines.coordination import Event, Turn, Work, valid_messages
from cleave.engines.pdr.evidence import encode_interpretation
from cleave.engines.pdr.messages import Closed, Effort, Outcome, Solve, Task, encode, from_worker, to_worker
from cleave.engines.pdr.options import TECHNIQUES, PdrOptions, Share, technique
from cleave.ir.horn import HornSystem
from cleave.ir.horn_partition import Partition
from cleave.logic.terms import eq, gt
from cleave.validate.clauses.resolvents import covered
from support.pdr_cases import disagreement, liar, random_case
from support.pdr_runs import SLOW, N, X, counter, modes, pairs, random_faults, random_system, simulate

CASES: dict[str, tuple[HornSystem, str]] = {
    "counter safe": (counter(10, gt(X, N(10))), "safe"),
    "counter unsafe": (counter(9, eq(X, N(7))), "unsafe"),
    "pairs safe": (pairs(7), "safe"),
    "pairs unsafe": (pairs(8), "unsafe"),
    "modes safe": (modes(7), "safe"),
    "modes unsafe": (modes(22), "unsafe"),
}
EMPTY = encode_interpretation({})
EAGER = {"patience": 0.0, "exchange_interval": 0.02, "slice_cost": 1_000}


@pytest.mark.parametrize("name", CASES)
def test_one_worker(name: str) -> None:
    given, expected = CASES[name]
    run = simulate(given, PdrOptions())
    assert (run.word, run.wrong()) == (expected, None)


def closed_partitions(events: list[Event]) -> list[Partition]:
    told = [message for _, message in valid_messages(events, from_worker)]
    closed = [one.partition for one in told if isinstance(one, Outcome) and isinstance(one.answer, Closed)]
    return [partition for partition in closed if partition is not None]


@pytest.mark.parametrize("name", ["pairs safe", "modes unsafe"])
@pytest.mark.parametrize("how", sorted(TECHNIQUES))
def test_each_technique(how: str, name: str) -> None:
    given, expected = CASES[name]
    run = simulate(given, technique(how, workers=4), 4, speed=SLOW)
    assert (run.word, run.wrong()) == (expected, None)
    if run.counters["partitions"] and run.word == "safe":
        assert run.counters["closed"] == run.counters["partitions"] > 1
        assert covered(run.problem.prepared, closed_partitions(run.events)).holds
        half = closed_partitions(run.events[: len(run.events) // 2])
        assert "missing" in covered(run.problem.prepared, half).text


def test_the_default_partitions_what_takes_long_and_keeps_a_worker_on_the_whole() -> None:
    options = PdrOptions(partition_after=10_000, **EAGER)  # type: ignore[arg-type]
    run = simulate(counter(30, gt(X, N(30))), options, 4, speed=SLOW)
    assert (run.word, run.wrong()) == ("safe", None)


def wrong(seed: int) -> str | None:
    case = random_case(seed)
    found = disagreement(case, case.run())
    return None if found is None else f"{seed}: {found}"


@pytest.mark.parametrize("first", range(0, 16, 4))
def test_random_problems_options_and_faults(first: int) -> None:
    assert [found for seed in range(first, first + 4) if (found := wrong(seed)) is not None] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(100, 700, 100))
def test_many_random_problems(first: int) -> None:
    assert [found for seed in range(first, first + 100) if (found := wrong(seed)) is not None] == []


def test_the_same_seed_gives_the_same_events() -> None:
    pick = random.Random(5)
    given, _ = random_system(pick)
    options = PdrOptions(share=Share.ALL, partition_after=5_000, **EAGER)  # type: ignore[arg-type]
    faults = random_faults(pick)
    first, second = (simulate(given, options, 3, faults=faults, seed=3, speed=SLOW) for _ in range(2))
    assert first.events == second.events
    assert (first.counters, first.seconds) == (second.counters, second.seconds)


def test_a_run_goes_on_where_it_stopped() -> None:
    options = PdrOptions(partitions=4, whole=False, **EAGER)  # type: ignore[arg-type]
    run = simulate(modes(7), options, 3, speed=SLOW)
    assert run.word == "safe"
    for end in range(0, len(run.events), max(1, len(run.events) // 2)):
        again = simulate(modes(7), options, 3, speed=SLOW, before=run.events[:end])
        assert (again.word, again.wrong()) == ("safe", None)


# --- those who say what is not so -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("share", [Share.ALL])
def test_lies_about_lemmas_change_no_verdict(name: str, share: Share) -> None:
    given, expected = CASES[name]
    options = PdrOptions(share=share, partitions=3, partition_after=9_000, **EAGER)  # type: ignore[arg-type]
    run = simulate(given, options, 3, speed=SLOW, mutate=liar)
    assert run.word in (expected, "unknown")
    assert run.wrong() is None
    assert run.counters["ignored"] > 0


def test_who_claims_what_it_did_not_prove_is_found_out() -> None:
    def claims(work: Work, number: int, task: Task) -> Work:
        turn = next(work)
        while True:
            incoming = yield turn
            orders = [message for message in map(to_worker, incoming) if isinstance(message, Solve)]
            false = [encode(Outcome(o.job, task.digest(), o.partition, Closed(EMPTY, "!"), Effort())) for o in orders]
            turn = work.send(incoming)
            turn = Turn((*turn.messages, *false), turn.idle, turn.cost)

    run = simulate(pairs(8), PdrOptions(slice_cost=1_000), mutate=claims)
    assert run.word == "safe", "the coordinator has no solver"
    assert "does not hold" in (run.wrong() or "")
