"""What a recursion bound allows, when a verdict depends on it, and deepening."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest

from cleave.engines.findings import Proof, Violation
from cleave.engines.inline.alone import make_search
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.stratified import NoViolation, Outcome, Progress
from cleave.ir.reader import read_program
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import Z3Solver
from cleave.validate.proofs.unfolded import check_unfolded
from support.engine_runs import solve, solve_and_count

LOOP = """\
proc main() -> () {{
  local i: Int
  a:
    i := 0
    goto h
  h:
    goto body, out
  body:
    {partial}
    i := (+ i 1)
    goto h
  out:
    {after}
    return
}}
"""
NESTED = """\
var s: Int
proc main() -> () {
  a:
    s := 0
    goto outer
  outer:
    goto inner, out
  inner:
    goto body, next
  body:
    s := (+ s 1)
    goto inner
  next:
    goto outer
  out:
    assert (< s 6)
    return
}
"""
RECURSION = """\
proc main() -> () {{
  b:
    call f(0) -> ()
    return
}}
proc f(n: Int) -> () [extra_recursion {extra}] {{
  b:
    assert (< n {limit})
    call f((+ n 1)) -> ()
    return
}}
"""


def made(text: str) -> Prepared:
    return prepare(read_program(text), ("main",))


def smallest_bound(prepared: Prepared, upto: int = 8) -> int | None:
    """The first bound at which a violation is found; from there on it is."""
    found = [isinstance(solve(prepared, bounds=(bound,)), Violation) for bound in range(1, upto + 1)]
    if True not in found:
        return None
    assert all(found[found.index(True) :])
    return found.index(True) + 1


@pytest.mark.parametrize("iterations", [0, 1, 2, 4])
def test_bound_n_allows_n_minus_1_whole_iterations(iterations: int) -> None:
    text = LOOP.format(partial="assume true", after=f"assert (not (= i {iterations}))")
    assert smallest_bound(made(text)) == iterations + 1


@pytest.mark.parametrize("iterations", [0, 1, 2, 4])
def test_and_a_partial_one(iterations: int) -> None:
    text = LOOP.format(partial=f"assert (not (= i {iterations}))", after="assume true")
    assert smallest_bound(made(text)) == iterations + 1


def test_nested_loops_have_the_bound_for_each_entry() -> None:
    # With bound N: N-1 whole outer iterations (an outer exit leaves from its header) of N-1 whole inner ones.
    assert smallest_bound(made(NESTED)) == 4


@pytest.mark.parametrize("extra", [0, 2])
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_recursion_counts_activations_on_the_stack_and_extra_ones(extra: int, limit: int) -> None:
    # f(limit) fails: that is limit + 1 activations.
    assert smallest_bound(made(RECURSION.format(extra=extra, limit=limit))) == max(1, limit + 1 - extra)


def test_two_procedures_that_call_each_other_are_counted_apart() -> None:
    text = """\
proc main() -> () {
  b:
    call even(0) -> ()
    return
}
proc even(n: Int) -> () {
  b:
    assert (not (= n 4))
    call odd((+ n 1)) -> ()
    return
}
proc odd(n: Int) -> () {
  b:
    call even((+ n 1)) -> ()
    return
}
"""
    assert smallest_bound(made(text)) == 3  # even(0), even(2), even(4)


# --- safe or bounded-safe -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("merging", list(Merging))
def test_a_proof_that_blocks_a_call_at_the_bound_needs_it(merging: Merging) -> None:
    text = LOOP.format(partial="assume true", after="assert (not (= i 7))")
    finding = solve(made(text), merging, (3,))
    assert isinstance(finding, Proof)
    assert finding.bounds == {"recursion": 3}
    assert finding.evidence.bound == 3


@pytest.mark.parametrize("merging", list(Merging))
def test_a_proof_that_does_not_is_safe(merging: Merging) -> None:
    text = LOOP.format(partial="assume (< i 2)", after="assert (<= i 2)")
    bounded, unbounded = solve(made(text), merging, (2,)), solve(made(text), merging, (4,))
    assert isinstance(bounded, Proof)
    assert isinstance(unbounded, Proof)
    assert (dict(bounded.bounds), dict(unbounded.bounds)) == ({"recursion": 2}, {})
    assert unbounded.evidence.bound is None


def test_a_loop_that_does_not_matter_needs_no_bound() -> None:
    text = "var x: Int\n" + LOOP.format(partial="assume true", after="assert (or (< x 1) (<= 0 x))")
    finding = solve(made(text), bounds=(1,))
    assert isinstance(finding, Proof)
    assert not finding.bounds


# --- deepening ------------------------------------------------------------------------------------------------------


def test_deepening_stops_at_the_first_bound_with_a_violation() -> None:
    text = LOOP.format(partial="assume true", after="assert (not (= i 2))")
    finding, counters = solve_and_count(made(text), bounds=(1, 2, 3, 4, 5, 6))
    assert isinstance(finding, Violation)
    assert counters["bound"] == 3


def test_deepening_stops_when_no_bound_is_needed() -> None:
    text = LOOP.format(partial="assume (< i 2)", after="assert (<= i 2)")
    finding, counters = solve_and_count(made(text), bounds=tuple(range(1, 20)))
    assert isinstance(finding, Proof)
    assert not finding.bounds
    assert counters["bound"] <= 4


def test_deepening_keeps_what_was_unfolded() -> None:
    text = LOOP.format(partial="assume true", after="assert (not (= i 9))")
    at_once, once = solve_and_count(made(text), bounds=(6,))
    in_turn, deepened = solve_and_count(made(text), bounds=(1, 2, 3, 4, 5, 6))
    assert isinstance(at_once, Proof)
    assert isinstance(in_turn, Proof)
    assert in_turn.bounds == at_once.bounds == {"recursion": 6}
    assert deepened["instances"] == once["instances"]


def test_a_search_that_went_beyond_its_bounds_can_be_run_again() -> None:
    """As when a worker turns to its other half: what the first run spent is no limit of the second."""
    prepared = prepare(read_program(RECURSION.format(extra=0, limit=9)), ("main",))
    search = make_search(prepared, Conditions(prepared.program), InlineOptions(), Z3Solver())
    outcomes = [_outcome(search.run((2,), beyond_cost=1)) for _ in range(2)]
    assert outcomes == [NoViolation(2, needs_bound=True)] * 2


def test_instances_are_work_too() -> None:
    """Where the solver has nothing to do, the search does not go on until it has."""
    prepared = prepare(read_program(RECURSION.format(extra=0, limit=10**9)), ("main",))
    search = make_search(prepared, Conditions(prepared.program), InlineOptions(), Z3Solver())
    outcome = _outcome(search.run((1,), beyond_cost=40_000))
    assert isinstance(outcome, NoViolation)
    assert 5 < outcome.bound <= 20
    assert len(search.unfolding.instances) <= 21


@pytest.mark.parametrize("extra", [0, 2])
def test_a_proof_beyond_the_bounds_has_a_smaller_one_within(extra: int) -> None:
    prepared = made(RECURSION.format(extra=extra, limit=10**9))
    found = solve(prepared, bounds=(2,), beyond_cost=40_000)
    assert isinstance(found, Proof)
    assert found.bounds["recursion"] > 2
    assert found.within is not None
    assert found.within.bounds == {"recursion": 2}
    assert len(found.within.evidence.instances) == 3 + extra < len(found.evidence.instances)
    assert check_unfolded(prepared.program, prepared.entry, found.within.evidence, Z3Solver()).holds
    wider = replace(found.within.evidence, bound=3)
    assert not check_unfolded(prepared.program, prepared.entry, wider, Z3Solver()).holds


def _outcome(steps: Generator[Progress, None, Outcome]) -> Outcome:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Outcome = end.value
            return found
