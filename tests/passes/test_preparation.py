"""Preparing a program changes neither whether it can be violated nor, through the way back, how."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.findings import Violation
from cleave.ir.check import check_program
from cleave.ir.path import Enter, Leave, Visit
from cleave.ir.program import Assert, Program, Property
from cleave.ir.reader import read_program
from cleave.passes.compact import compact_blocks
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.entries import single_entry
from cleave.passes.failures import failures_to_end
from cleave.passes.flow import strongly_connected
from cleave.passes.loops import loops_to_recursion
from cleave.passes.prepare import only_reachable, prepare
from cleave.validate.semantics import events as run_events
from cleave.validate.semantics.interpreter import run
from cleave.validate.violations.confirm import validate_trace
from support.engine_runs import solve
from support.programs import EVERYTHING, Dice, Features, ProgramMaker, Reference, TooManyPaths, is_path

SEEDS = st.integers(0, 2**32 - 1)
LOOPS = Features(procedures=2, blocks=5, statements=1, loops=True, contracts=True)
HIERARCHICAL_WITH_CONTRACTS = Features(contracts=True, bodyless=True, end_reachable=True)
BOTH = pytest.mark.parametrize("features", [EVERYTHING, LOOPS], ids=["everything", "loops"])


@BOTH
def test_every_pass_leaves_a_well_formed_program_and_its_runs_lift(features: Features) -> None:
    @settings(max_examples=120, deadline=None, database=None)
    @given(SEEDS)
    def holds(number: int) -> None:
        before = ProgramMaker(random.Random(number), features).program()
        program, way_back = contracts_to_statements(before)
        entry = "main"
        check_lifting(before, program, way_back, entry)
        before = only_reachable(program, ("main",))
        program, entry, way_back = single_entry(before, ("main",))
        check_lifting(before, program, way_back, entry)
        before = program
        program, way_back = failures_to_end(before, entry)
        assert program.property is Property.END_REACHABLE
        assert not any(isinstance(s, Assert) for p in program.procedures.values() for s in p.statements())
        check_lifting(before, program, way_back, entry)
        before = program
        program, way_back = loops_to_recursion(before)
        check_lifting(before, program, way_back, entry)
        before = program
        program, merged = compact_blocks(before)
        check_lifting(before, program, merged, entry)
        assert_no_loops(program)

    holds()


def check_lifting(before: Program, after: Program, lift: object, entry: str) -> None:
    check_program(after)
    assert callable(lift)
    for seed in range(15):
        done = run(after, entry, Dice(seed), max_steps=60)
        if isinstance(done.outcome, run_events.Violated | run_events.Finished):
            assert is_path(before, lift(done.path))


def assert_no_loops(program: Program) -> None:
    for procedure in program.procedures.values():
        graph = {label: list(block.successors) for label, block in procedure.blocks.items()}
        assert all(len(component) == 1 for component in strongly_connected(graph))
        assert not any(label in successors for label, successors in graph.items())


@BOTH
def test_a_run_to_the_end_of_the_prepared_program_is_a_violation_of_the_original(features: Features) -> None:
    confirmed = 0

    @settings(max_examples=120, deadline=None, database=None)
    @given(SEEDS)
    def holds(number: int) -> None:
        nonlocal confirmed
        program = ProgramMaker(random.Random(number), features).program()
        prepared = prepare(program, ("main",))
        check_program(prepared.program)
        for seed in range(15):
            done = run(prepared.program, prepared.entry, Dice(seed), max_steps=150)
            if isinstance(done.outcome, run_events.Violated):
                judged = validate_trace(program, "main", prepared.lift(done.path))
                assert judged.holds, judged
                confirmed += 1
                break

    holds()
    assert confirmed > 5, "too few runs reach the end to mean anything"


@BOTH
def test_a_violating_run_of_the_original_is_found_in_the_prepared_program(features: Features) -> None:
    found = 0

    @settings(max_examples=120, deadline=None, database=None)
    @given(SEEDS)
    def holds(number: int) -> None:
        nonlocal found
        program = ProgramMaker(random.Random(number), features).program()
        for seed in range(15):
            done = run(program, "main", Dice(seed), max_steps=40)
            if isinstance(done.outcome, run_events.Violated):
                found += 1
                # No procedure or block can recur more often than there are steps.
                finding = solve(prepare(program, ("main",)), bounds=(len(done.path),))
                assert isinstance(finding, Violation), (done.path, finding)
                break

    holds()
    assert found > 5, "too few runs violate to mean anything"


@settings(max_examples=80, deadline=None, database=None)
@given(SEEDS)
def test_without_loops_the_prepared_program_is_violated_exactly_when_the_original_is(number: int) -> None:
    program = ProgramMaker(random.Random(number), HIERARCHICAL_WITH_CONTRACTS).program()
    prepared = prepare(program, ("main",))
    try:
        expected = Reference(program).violates("main")
        assert Reference(prepared.program).violates(prepared.entry) == expected
    except TooManyPaths:
        pass


# --- whole lifted paths ---------------------------------------------------------------------------------------------

LOOP = """\
var g: Int
proc main() -> () {
  a:
    g := 0
    goto h
  h:
    goto body, out
  body:
    call inc() -> ()
    goto h
  out:
    assert (< g 2)
    return
}
proc inc() -> () {
  b:
    goto c
  c:
    g := (+ g 1)
    return
}
"""


def test_the_path_through_a_loop_names_the_blocks_of_the_user() -> None:
    program = read_program(LOOP)
    prepared = prepare(program, ("main",))
    finding = solve(prepared, bounds=(3,))
    assert isinstance(finding, Violation)
    inc = (Enter("inc"), Visit("b"), Visit("c"))
    blocks = [step for step in prepared.lift(finding.evidence) if not isinstance(step, Leave)]
    again = (Visit("h"), Visit("body"), *inc)
    assert blocks == [Enter("main"), Visit("a"), *again, *again, Visit("h"), Visit("out")]
