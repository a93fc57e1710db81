"""What only the Z3 backend promises: numbers, candidate models, models that outlive the solver."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cleave.errors import InternalError, UnsupportedError
from cleave.logic.sorts import INT, REAL, array
from cleave.logic.terms import Function, Op, add, apply, eq, forall, integer, lt, make, mul, real, select, store, var
from cleave.logic.values import MapValue
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, PLAIN, Z3Solver

X, Y = var("x", INT), var("y", INT)
R = var("r", REAL)
F = Function("f", (INT,), INT)


def test_numbers_of_any_size() -> None:
    huge = 10**6000 + 7
    solver = Z3Solver()
    solver.add(eq(X, integer(-huge)))
    solver.add(eq(R, real(Fraction(-huge, 3))))
    assert solver.check() is Answer.SAT
    assert solver.model().value(add(X, integer(1))) == 1 - huge
    assert solver.model().value(R) == Fraction(-huge, 3)


def test_irrational_numbers_are_refused() -> None:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(eq(make(Op.MUL, (R, R), REAL), real(2)))
    assert solver.check() is Answer.SAT
    with pytest.raises(UnsupportedError, match="irrational"):
        solver.model().value(R)


def test_candidate_model_after_quantifiers() -> None:
    solver = Z3Solver()
    solver.add(forall((Y,), lt(apply(F, Y), integer(9)), ((apply(F, Y),),)))
    solver.add(lt(integer(5), apply(F, X)))
    assert solver.check() is Answer.UNKNOWN
    assert solver.reason_unknown() == "quantifiers"
    assert solver.model().value(apply(F, X)) in (6, 7, 8)


def test_model_outlives_the_solver() -> None:
    solver = Z3Solver()
    solver.add(eq(X, integer(3)))
    solver.check()
    model = solver.model()
    solver.add(lt(X, integer(0)))
    assert solver.check() is Answer.UNSAT
    solver.close()
    assert model.value(mul(X, X)) == 9
    with pytest.raises(InternalError, match="closed"):
        solver.check()


def test_solvers_beside_each_other_share_the_count_and_no_assertions() -> None:
    first = Z3Solver(profile=DEFAULT)
    second = Z3Solver(profile=DEFAULT, beside=first)
    first.add(lt(X, integer(0)))
    second.add(lt(integer(0), X))
    assert second.check() is Answer.SAT
    value = second.model().value(X)
    assert isinstance(value, int)
    assert value > 0
    assert first.cost() == second.cost() > 0
    second.close()
    assert first.check() is Answer.SAT


def test_arrays_as_indices() -> None:
    row = array(INT, INT)
    table, key = var("table", array(row, INT)), var("key", row)
    solver = Z3Solver(profile=DEFAULT)
    solver.add(eq(select(table, key), integer(1)))
    solver.add(eq(select(table, store(key, integer(0), integer(5))), integer(2)))
    assert solver.check() is Answer.SAT
    model = solver.model()
    value = model.value(key)
    assert isinstance(value, MapValue)
    assert value[0] != 5
    assert model.value(table)[value] == 1


def test_seeds_and_profiles_agree() -> None:
    for seed in (0, 1, 7):
        solver = Z3Solver(seed=seed)
        solver.add(lt(X, Y))
        solver.add(lt(Y, X))
        assert solver.check() is Answer.UNSAT


def test_who_counts_checks_reads_the_cost_once_a_check() -> None:
    """Also once for the checks of the solvers beside it: they share the count."""
    solver = Z3Solver(profile=PLAIN, counts_checks=True)
    other = Z3Solver(profile=PLAIN, beside=solver)
    before = solver.cost()
    for one in (solver, other):
        one.add(lt(X, integer(3)))
        assert solver.cost() == before
        one.check()
        assert solver.cost() > before
        before = solver.cost()
