"""TSO and PSO: the axioms, all interleavings, the engine's formula, the replay and the checker of proofs agree."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product

import pytest

from cleave.engines.unfolding.instances import unfold
from cleave.errors import UnsupportedError
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.ir.schedule import Context, Schedule
from cleave.ir.store_buffers import MODELS
from cleave.ir.text import print_program
from cleave.validate.proofs.interleavings import TooLargeError, explore
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.second_solver import MINISAT
from cleave.validate.violations.concurrent import replay
from support.concurrent_programs import ConcurrentMaker, Features, violating_schedule
from support.weak_programs import (
    Outcome,
    outcomes,
    program_of,
    random_litmus,
    read_litmus,
    with_buffers,
    with_fences,
)

UNWIND = 3
# The threads; an outcome that is not sequentially consistent; the models that allow it.
LITMUS: dict[str, tuple[str, Outcome, str]] = {
    "SB": ("x=1 ry | y=1 rx", ((0, 0), (1, 1)), "tso pso"),
    "SB, own reads": ("x=1 rx ry | y=1 ry rx", ((1, 0, 1, 0), (1, 1)), "tso pso"),
    "SB, fence in one": ("x=1 F ry | y=1 rx", ((0, 0), (1, 1)), "tso pso"),
    "SB, fences": ("x=1 F ry | y=1 F rx", ((0, 0), (1, 1)), ""),
    "SB, store fences": ("x=1 S ry | y=1 S rx", ((0, 0), (1, 1)), "tso pso"),
    "SB, exchanges": ("Xx=1 ry | Xy=1 rx", ((0, 0, 0, 0), (1, 1)), ""),
    "SB, exchange in one": ("Xx=1 ry | y=1 rx", ((0, 0, 0), (1, 1)), "tso pso"),
    "MP": ("x=1 y=1 | ry rx", ((1, 0), (1, 1)), "pso"),
    "MP, store fence": ("x=1 S y=1 | ry rx", ((1, 0), (1, 1)), ""),
    "LB": ("rx y=1 | ry x=1", ((1, 1), (1, 1)), ""),
    "2+2W": ("x=1 y=2 | y=1 x=2", ((), (1, 1)), "pso"),
    "2+2W, store fences": ("x=1 S y=2 | y=1 S x=2", ((), (1, 1)), ""),
    "R": ("x=1 y=1 | y=2 rx", ((0,), (1, 2)), "tso pso"),
    "R, fences": ("x=1 F y=1 | y=2 F rx", ((0,), (1, 2)), ""),
    "S": ("x=2 y=1 | ry x=1", ((1,), (2, 1)), "pso"),
    "S, store fence": ("x=2 S y=1 | ry x=1", ((1,), (2, 1)), ""),
    "CoRR": ("x=1 | rx rx", ((1, 0), (1,)), ""),
    "WRC": ("x=1 | rx y=1 | ry rx", ((1, 1, 0), (1, 1)), ""),
    "IRIW": ("x=1 | y=1 | rx ry | ry rx", ((1, 0, 1, 0), (1, 1)), ""),
}


@contextmanager
def unguarded(_interrupt: Callable[[], None]) -> Iterator[None]:
    yield


def assert_decided(program: Program, least: int | None, bounds: tuple[int | None, ...]) -> None:
    """Engine, replay and checker find a violation just where ``least`` contexts are enough."""
    shape = [thread.shape for thread in unfold(program, "main", UNWIND).threads]
    for contexts in bounds:
        violated = least is not None and (contexts is None or least <= contexts)
        if contexts is not None:
            schedule = violating_schedule(program, contexts, unwind=UNWIND)
            assert (schedule is not None) == violated, contexts
            if schedule is not None:
                confirmation = replay(program, "main", schedule)
                assert confirmation.holds, str(confirmation)
        outcome = checked(
            Claim(program, "main", shape, UNWIND, contexts, 0, all_iterations=True), MINISAT, 60, unguarded
        )
        assert (outcome.holds, outcome.is_wrong) == (not violated, violated), (contexts, least, outcome)


@pytest.mark.parametrize(("name", "model"), list(product(LITMUS, ("sc", *MODELS))))
def test_litmus(name: str, model: str) -> None:
    text, outcome, allowing = LITMUS[name]
    litmus, is_allowed = read_litmus(text), model in allowing.split()
    assert (outcome in outcomes(litmus, model)) == is_allowed
    program = program_of(litmus, model, outcome)
    if len(litmus) < 4:
        found = explore(program, "main")
        assert (found.contexts is not None) == is_allowed
        assert_decided(program, found.contexts, (4, None))
    else:
        assert_decided(program, None, (5,))


@pytest.mark.parametrize(("seed", "model"), list(product(range(12), MODELS)))
def test_all_interleavings_are_what_the_axioms_allow(seed: int, model: str) -> None:
    pick = random.Random(seed)
    litmus = random_litmus(pick)
    allowed = outcomes(litmus, model)
    everything = sorted(outcomes(litmus, "pso"))
    for outcome in pick.sample(everything, min(3, len(everything))):
        found = explore(program_of(litmus, model, outcome), "main", states=20_000)
        assert (found.contexts is not None) == (outcome in allowed), (litmus, outcome)


KINDS = (Features(), Features(arrays=True), Features(loops=True, statements=2), Features(nested=True, statements=2))


@pytest.mark.parametrize(("seed", "model"), list(product(range(14), MODELS)))
def test_random_programs(seed: int, model: str) -> None:
    pick = random.Random(seed)
    made = ConcurrentMaker(pick, KINDS[seed % len(KINDS)]).program()
    buffered = None if seed % 3 else made.globals[:1]
    program = with_buffers(with_fences(made, pick), "tso" if model == "tso" else "pso", buffered)
    try:
        found = explore(program, "main", states=2_500)
    except (TooLargeError, UnsupportedError):
        pytest.skip("too many states")
    assert_decided(program, found.contexts, (3, None))


# --- the replay -------------------------------------------------------------------------------------------------------


def test_a_store_that_was_not_made_does_not_commit() -> None:
    program = program_of(read_litmus("x=1 ry | y=1 rx"), "tso", ((0, 0), (1, 1)))
    schedule = Schedule((Context(0, 4), Context(1, 1, ((1, 2),))), {0: [(v.name, 0) for v in program.globals]})
    confirmation = replay(program, "main", schedule)
    assert not confirmation.holds


def test_the_text_of_a_program_says_its_model() -> None:
    program = program_of(read_litmus("x=1 F ry | y=1 S rx"), "pso", ((0, 0), (1, 1)))
    text = print_program(program)
    assert "buffered pso x, y" in text
    assert "fence full" in text
    assert "fence stores" in text
    assert read_program(text, "litmus.ir").store_buffers == program.store_buffers
