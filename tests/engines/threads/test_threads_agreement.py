"""The threads engine finds a violation within a number of contexts exactly when trying all interleavings does."""

from __future__ import annotations

import random
from itertools import product

import pytest

from cleave.engines.findings import Empty, Violation
from cleave.engines.threads.coordinator import part_names
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.part import Part
from cleave.engines.threads.partition import Space
from cleave.engines.unfolding.instances import unfold
from cleave.ir.program import Program
from cleave.logic.sorts import INT
from cleave.smt.sat.solver import NAMES
from cleave.validate.proofs.interleavings import Explored, TooLargeError, explore
from cleave.validate.violations.concurrent import replay
from support.concurrent_programs import ConcurrentMaker, Features, violating_schedule

SORTS_OF_PROGRAMS = {
    "plain": Features(),
    "arrays": Features(arrays=True),
    "loops": Features(loops=True, statements=2),
    "nested": Features(nested=True, statements=2),
    "numbers": Features(sort=INT),
}


def explored(program: Program, states: int = 1_500) -> Explored | None:
    try:
        return explore(program, "main", states=states)
    except TooLargeError:
        return None


@pytest.mark.parametrize(("kind", "seed"), list(product(SORTS_OF_PROGRAMS, range(8))))
def test_same_verdict_for_every_number_of_contexts(kind: str, seed: int) -> None:
    program = ConcurrentMaker(random.Random(seed), SORTS_OF_PROGRAMS[kind]).program()
    found = explored(program)
    if found is None:
        pytest.skip("too many states")
    least = found.contexts
    for contexts in (2, 4, 6) if least is None else (least - 1, least, least + 1):
        schedule = violating_schedule(program, contexts) if contexts else None
        assert (schedule is not None) == (least is not None and least <= contexts)
        if schedule is not None:
            assert len(schedule.contexts) <= contexts
            assert replay(program, "main", schedule).holds


@pytest.mark.parametrize(("kind", "solver"), list(product(("plain", "arrays", "loops", "nested"), NAMES)))
def test_every_solver_finds_the_same(kind: str, solver: str) -> None:
    for seed in range(4):
        program = ConcurrentMaker(random.Random(seed), SORTS_OF_PROGRAMS[kind]).program()
        for contexts in (2, 4):
            usual = violating_schedule(program, contexts)
            schedule = violating_schedule(program, contexts, solver=solver)
            assert (schedule is None) == (usual is None)
            assert schedule is None or replay(program, "main", schedule).holds


@pytest.mark.parametrize("seed", range(8))
def test_the_parts_together_are_the_whole(seed: int) -> None:
    program = ConcurrentMaker(random.Random(100 + seed), Features(statements=2)).program()
    contexts = 4
    bits = min(5, len(Space.of(unfold(program, "main", 3)).decisions(contexts)))
    whole = violating_schedule(program, contexts)
    parts = [violating_schedule(program, contexts, part=name) for name in part_names(1 << bits)]
    assert (whole is not None) == any(part is not None for part in parts)
    assert all(replay(program, "main", part).holds for part in parts if part is not None)


@pytest.mark.parametrize("seed", range(10))
def test_no_bound_took_part_only_if_there_is_no_violation_at_all(seed: int) -> None:
    program = ConcurrentMaker(random.Random(200 + seed), Features(statements=2, loops=seed % 2 == 0)).program()
    least = explored(program)
    if least is None:
        pytest.skip("too many states")
    search = Part(unfold(program, "main", 2), 5, "", ThreadsOptions(unwind=2)).run(1_000, last=True)
    while True:
        try:
            next(search)
        except StopIteration as end:
            answer = end.value
            break
    if isinstance(answer, Violation):
        assert least.contexts is not None
        assert least.contexts <= 5
    else:
        assert isinstance(answer, Empty)
        assert answer.bounds or least.contexts is None


@pytest.mark.parametrize("seed", range(6))
def test_rounds_find_violations_that_replay(seed: int) -> None:
    program = ConcurrentMaker(random.Random(300 + seed), Features(statements=2)).program()
    found = explored(program)
    schedule = violating_schedule(program, 0, rounds=4)
    if schedule is not None:
        assert replay(program, "main", schedule).holds
    elif found is not None:  # main and one other context fit into two rounds
        assert found.contexts is None or found.contexts > 4
