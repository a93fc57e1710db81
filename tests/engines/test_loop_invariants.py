"""What proofs of pdr and cegar say of a program's loops, in the program's own variables."""

from __future__ import annotations

import pytest

from cleave.engines.registry import engine as plug
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, conj_all, integer, make, neg, var
from cleave.logic.walk import free_variables
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from cleave.verdict import Safe
from support.runs import run_stage

PROGRAM = """\
procedure main() {
  var i, sum: int;
  i := 0;
  sum := 0;
  while (i < 10) { i := i + 1; sum := sum + 2; }
  assert sum == 2 * i;
}
"""


@pytest.mark.parametrize("engine", ["pdr", "cegar"])
def test_an_invariant_of_a_loop_is_about_the_programs_variables(engine: str) -> None:
    verdict = run_stage("p.bpl", PROGRAM, engine, plug(engine).options(), tells_loops=True).verdict
    assert isinstance(verdict, Safe)
    (found,) = verdict.invariants
    assert found.procedure == "main"
    assert {variable.name for variable in free_variables(*found.conditions)} <= {"i", "sum"}
    # It is what the proof needs: where the loop ends, the assertion holds.
    i, total = var("i", INT), var("sum", INT)
    solver = Z3Solver()
    solver.add(conj_all(found.conditions))
    solver.add(neg(make(Op.LT, (i, integer(10)), BOOL)))
    solver.add(neg(make(Op.EQ, (total, make(Op.MUL, (integer(2), i), INT)), BOOL)))
    assert solver.check() is Answer.UNSAT


@pytest.mark.parametrize("engine", ["pdr", "cegar"])
def test_nobody_is_told_who_did_not_ask(engine: str) -> None:
    verdict = run_stage("p.bpl", PROGRAM, engine, plug(engine).options()).verdict
    assert isinstance(verdict, Safe)
    assert verdict.invariants == ()
