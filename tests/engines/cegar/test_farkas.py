"""Refutations of rows, and the interpolants that they give."""

from __future__ import annotations

from fractions import Fraction

from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.decompose import decomposed
from cleave.engines.cegar.refinement.farkas import (
    Direction,
    RowSolver,
    Weighted,
    contradiction,
    refutation,
    strongest,
    weakest,
)
from cleave.engines.cegar.refinement.linear import Linearizer, Row
from cleave.engines.cegar.refinement.path_formula import path_formula
from cleave.engines.cegar.refinement.writing import as_formula
from cleave.ir.transition_system import ControlLocation, Transition, TransitionSystem
from cleave.logic.sorts import INT, REAL
from cleave.logic.terms import TRUE, Term, add, eq, integer, le, lt, mul, real, var
from cleave.smt.z3.solver import PLAIN, Z3Solver

A, B, C = var("a", INT), var("b", INT), var("c", INT)
U, V = var("u", REAL), var("v", REAL)


def rows_of(*steps: tuple[Term, ...]) -> list[tuple[int, Row]]:
    linearizer = Linearizer("")
    return [(number, row) for number, step in enumerate(steps) for part in step for row in linearizer.rows(part) or ()]


def refuted(rows: list[tuple[int, Row]], direction: Direction = Direction.EARLY) -> list[Weighted] | None:
    solver = RowSolver(Budget(1_000_000), Z3Solver(profile=PLAIN))
    try:
        contradictory = contradiction(solver, rows)
        return refutation(solver, rows, contradictory, direction) if contradictory else None
    finally:
        solver.close()


def factors(found: list[Weighted] | None) -> list[Fraction]:
    assert found is not None
    return [w.factor / found[0].factor for w in found]


def written(row: Row, *variables: Term) -> Term:
    return as_formula(row, {variable: place for place, variable in enumerate(variables)})


def test_the_factors_of_a_chain() -> None:
    rows = rows_of((eq(A, integer(1)),), (eq(B, add(mul(integer(3), A), integer(2))),), (lt(B, integer(5)),))
    found = refuted(rows)
    assert found is not None
    assert sorted(abs(w.factor) for w in found) == [1, 1, 3]
    strong, weak = strongest(found, 3), weakest(found, 3)
    assert (written(strong[0], A), written(weak[0], A)) == (eq(A, integer(1)), le(integer(1), A))
    assert (written(strong[1], B), written(weak[1], B)) == (eq(B, integer(5)), le(integer(5), B))


def test_what_is_not_needed_is_left_out() -> None:
    rows = rows_of((eq(A, integer(0)), le(C, integer(7))), (le(A, C), le(integer(1), A)), (le(B, C),))
    assert len(factors(refuted(rows))) == 2


def test_the_direction_decides_between_two_reasons() -> None:
    rows = rows_of((eq(A, integer(0)),), (le(integer(1), A), le(B, integer(4))), (le(integer(5), B),))
    early, late = refuted(rows, Direction.EARLY), refuted(rows, Direction.LATE)
    assert early is not None
    assert late is not None
    assert ({w.step for w in early}, {w.step for w in late}) == ({1, 2}, {0, 1})


def test_strict_rows_exclude_equality() -> None:
    rows = rows_of((lt(U, V),), (le(V, U),))
    found = refuted(rows)
    assert found is not None
    assert written(strongest(found, 2)[0], U, V) == lt(U, V)
    assert written(weakest(found, 2)[0], U, V) == lt(U, V)
    assert refuted(rows_of((le(U, V),), (le(V, U),))) is None


def test_fractions_are_exact() -> None:
    third = real(Fraction(1, 3))
    rows = rows_of((eq(U, mul(third, V)), eq(V, real(1))), (lt(U, third),))
    found = refuted(rows)
    assert found is not None
    assert written(weakest(found, 2)[0], U) == le(third, U)


def test_a_spent_budget_finds_nothing() -> None:
    solver = RowSolver(Budget(0), Z3Solver(profile=PLAIN))
    assert contradiction(solver, rows_of((lt(A, A),), (eq(A, integer(1)), eq(A, integer(2))))) is None


def test_parts_are_levelled() -> None:
    x, y = var("x", INT), var("y", INT)
    zero, one = integer(0), integer(1)
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("loop", (x, y)))
    step = Transition(2, 2, TRUE, (add(x, y), add(y, one)))
    system = TransitionSystem(locations, (Transition(0, 2, TRUE, (zero, zero)), step, Transition(2, 1, lt(x, zero))))
    formula = path_formula(system, (0, 1, 1, 1, 2))
    found = refuted(rows_of(*formula.steps))
    assert found is not None
    exact, level, *_ = decomposed(found, formula)
    as_written = [[written(row, x, y) for row in there] for there in exact]
    assert as_written[1] == [eq(x, zero), eq(y, one)]
    assert {written(row, x, y) for there in level for row in there} == {le(zero, x), le(zero, y)}
