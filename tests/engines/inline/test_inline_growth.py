"""What a search leaves out at first, and what it inlines beside the calls of a path."""

from __future__ import annotations

import pytest

from cleave.engines.findings import Proof, Violation
from cleave.engines.inline.merging import Merging
from cleave.ir.reader import read_program
from cleave.passes.background import background, without_background
from cleave.passes.prepare import Prepared, prepare
from cleave.smt.z3.solver import PLAIN, Z3Solver
from cleave.validate.proofs.unfolded import check_unfolded
from cleave.validate.violations.confirm import validate_trace
from support.engine_runs import solve, solve_and_count

ALLOCATIONS = """\
var next: Int
proc main() -> () {{
  local p: Int
  local q: Int
  b:
    assume (> next 0)
    call allocate(8) -> (p)
    goto t, u
  t:
    call allocate(4) -> (q)
    goto z
  u:
    call twice() -> (q)
    goto z
  z:
    assert {property}
    return
}}
proc twice() -> (r: Int) {{
  b:
    goto t, u
  t:
    call allocate(1) -> (r)
    call allocate(2) -> (r)
    return
  u:
    call allocate(3) -> (r)
    return
}}
proc allocate(size: Int) -> (r: Int) {{
  local before: Int
  b:
    before := next
    havoc next, r
    assume (= r before)
    assume (>= next (+ before size))
    goto t, u
  t:
    assume (> size 0)
    return
  u:
    assume (<= size 0)
    r := 0
    return
}}
"""

BRANCHES = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    call f() -> ()
    call f() -> ()
    assert (< g 9)
    return
}
proc f() -> () {
  b:
    goto s, t, u
  s:
    call h(1) -> ()
    goto z
  t:
    call h(2) -> ()
    goto z
  u:
    call h(3) -> ()
    goto z
  z:
    return
}
proc h(n: Int) -> () {
  b:
    goto t, u
  t:
    call k(n) -> ()
    return
  u:
    return
}
proc k(n: Int) -> () {
  b:
    goto t, u
  t:
    g := (+ g n)
    return
  u:
    return
}
"""


def prepared(text: str) -> Prepared:
    return prepare(read_program(text), ("main",))


@pytest.mark.parametrize("merging", [Merging.FIRST, Merging.TREE, Merging.OPT])
def test_a_proof_that_needs_the_background(merging: Merging) -> None:
    program = prepared(ALLOCATIONS.format(property="(not (= p q))"))
    assert {v.name for v in background(program.program)} >= {"next"}
    found = solve(program, merging)
    assert isinstance(found, Proof)
    assert check_unfolded(program.program, program.entry, found.evidence, Z3Solver(profile=PLAIN)).holds
    less = without_background(program.program)
    assert not check_unfolded(less, program.entry, found.evidence, Z3Solver(profile=PLAIN)).holds


@pytest.mark.parametrize("merging", [Merging.FIRST, Merging.TREE, Merging.OPT])
def test_a_violation_agrees_with_the_background(merging: Merging) -> None:
    text = ALLOCATIONS.format(property="(not (= q (+ p 9)))")
    program = prepared(text)
    found = solve(program, merging)
    assert isinstance(found, Violation)
    assert validate_trace(read_program(text), "main", program.lift(found.evidence)).holds


def test_calls_in_other_branches_share_an_instance_at_once() -> None:
    found, counters = solve_and_count(prepared(BRANCHES))
    assert isinstance(found, Proof)
    # main, f twice, h twice, and k, which calls nothing, for each h; the second f has all that the first one needed.
    assert counters["instances"] == 7
    assert counters["merges"] == 4
    assert counters["checks"] <= 8


def test_a_tree_shares_nothing() -> None:
    found, counters = solve_and_count(prepared(BRANCHES), Merging.TREE)
    assert isinstance(found, Proof)
    assert counters["merges"] == 0


def test_what_is_inlined_is_looked_at_when_it_has_grown() -> None:
    """In every step there is one check less, but for those after which the unfolding has grown by half."""
    prepared = prepare(read_program(ALLOCATIONS.format(property="(>= q p)")), ("main",))
    sometimes, always = (solve_and_count(prepared, under_always=always)[1] for always in (False, True))
    assert sometimes["instances"] == always["instances"]
    assert sometimes["checks"] < always["checks"]
