"""Random small programs: every way to inline, full inlining path by path, and concrete runs agree."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from cleave.engines.findings import Finding, Proof, Violation
from cleave.engines.inline.merging import Merging
from cleave.ir.program import Program
from cleave.ir.text import print_program
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.proofs.unfolded import check_unfolded
from cleave.validate.semantics import events as run_events
from cleave.validate.semantics.interpreter import run
from cleave.validate.violations.confirm import validate_trace
from support.engine_runs import solve, solve_and_count
from support.programs import (
    EVERYTHING,
    HIERARCHICAL,
    Dice,
    Features,
    LayeredMaker,
    ProgramMaker,
    Reference,
    TooManyPaths,
)

SEEDS = st.integers(0, 2**32 - 1)
LARGE = Features(procedures=6, blocks=5, statements=4)
RECURSIVE = Features(procedures=3, statements=2, loops=True, recursion=True)


def made(number: int, features: Features) -> tuple[Program, Prepared]:
    program = ProgramMaker(random.Random(number), features).program()
    note(print_program(program))
    return program, prepare(program, ("main",))


def check_evidence(program: Program, prepared: Prepared, finding: Finding[Any]) -> None:
    """What a verdict stands on is confirmed by code that the engine does not use."""
    match finding:
        case Violation(path):
            judged = validate_trace(program, "main", prepared.lift(path))
            assert judged.holds, judged
        case Proof(proof):
            rejected = check_unfolded(prepared.program, prepared.entry, proof, Z3Solver(profile=DEFAULT))
            assert rejected.holds, rejected
        case _:
            raise AssertionError(finding)


@settings(max_examples=60, deadline=None, database=None)
@given(SEEDS)
def test_hierarchical_programs(number: int) -> None:
    program, prepared = made(number, HIERARCHICAL)
    try:
        expected = Reference(program).violates("main")
    except TooManyPaths:
        return
    for merging in Merging:
        finding = solve(prepared, merging)
        assert isinstance(finding, Violation) == expected, (merging, finding)
        check_evidence(program, prepared, finding)
        if isinstance(finding, Proof):
            assert not finding.bounds, "nothing recurs, so no bound can matter"


@pytest.mark.parametrize("merging", list(Merging), ids=lambda m: m.value)
def test_programs_whose_instances_are_shared(merging: Merging) -> None:
    merges = 0

    @settings(max_examples=40, deadline=None, database=None, phases=[Phase.generate])
    @given(SEEDS)
    def agrees(number: int) -> None:
        nonlocal merges
        program = LayeredMaker(random.Random(number)).program()
        prepared = prepare(program, ("main",))
        try:
            expected = Reference(program).violates("main")
        except TooManyPaths:
            return
        finding, counters = solve_and_count(prepared, merging)
        assert isinstance(finding, Violation) == expected
        check_evidence(program, prepared, finding)
        merges += counters["merges"]

    agrees()
    assert (merges == 0) == (merging is Merging.TREE)


@settings(max_examples=60, deadline=None, database=None)
@given(SEEDS)
def test_a_concrete_violation_is_always_found(number: int) -> None:
    program, prepared = made(number, LARGE)
    for attempt in range(30):
        done = run(program, "main", Dice(number + attempt), max_steps=300)
        if isinstance(done.outcome, run_events.Violated):
            for merging in (Merging.TREE, Merging.FIRST):
                finding = solve(prepared, merging)
                assert isinstance(finding, Violation), (merging, done.path)
                check_evidence(program, prepared, finding)
            break


@settings(max_examples=60, deadline=None, database=None)
@given(SEEDS, st.integers(1, 3))
def test_recursive_programs_within_a_bound(number: int, bound: int) -> None:
    program, prepared = made(number, EVERYTHING)
    try:
        expected = Reference(prepared.program, bound=bound).violates(prepared.entry)
    except TooManyPaths:
        return
    for merging in Merging:
        finding = solve(prepared, merging, (bound,))
        assert isinstance(finding, Violation) == expected, (merging, finding)
        check_evidence(program, prepared, finding)


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_larger_bounds_find_more_and_a_proof_without_bound_stays(number: int) -> None:
    program, prepared = made(number, RECURSIVE)
    findings = [solve(prepared, bounds=(bound,)) for bound in range(1, 5)]
    for small, large in pairwise(findings):
        if isinstance(small, Violation):
            assert isinstance(large, Violation)
        if isinstance(small, Proof) and not small.bounds:
            assert isinstance(large, Proof), "what needed no bound holds for all"
    for merging in Merging:
        deepened = solve(prepared, merging, (1, 2, 3, 4))
        assert isinstance(deepened, Violation) == isinstance(findings[-1], Violation)
        check_evidence(program, prepared, deepened)


@settings(max_examples=25, deadline=None, database=None)
@given(SEEDS)
def test_the_same_seed_gives_the_same_run(number: int) -> None:
    _, prepared = made(number, HIERARCHICAL)
    for merging in (Merging.RANDOM, Merging.OPT):
        assert solve(prepared, merging, seed=7) == solve(prepared, merging, seed=7)


@settings(max_examples=40, deadline=None, database=None)
@given(SEEDS)
def test_looking_at_what_is_inlined_in_every_step_changes_no_verdict(number: int) -> None:
    program, prepared = made(number, EVERYTHING)
    sometimes, always = (solve(prepared, bounds=(1, 2), under_always=always) for always in (False, True))
    assert type(sometimes) is type(always)
    check_evidence(program, prepared, sometimes)
    check_evidence(program, prepared, always)
