"""Cubes from models: they hold in the model, and imply the formula."""

from __future__ import annotations

from random import Random

import pytest

from cleave.engines.cegar.refinement.linear import is_linear
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, Term, conj_all, disj, eq, integer, ite, lt, neg, var
from cleave.logic.walk import postorder
from cleave.passes.to_transitions.implicants import implicant
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from support.random_transition_systems import random_system

X, Y, B = var("x", INT), var("y", INT), var("b", BOOL)


def solver_with(*formulas: Term) -> Z3Solver:
    solver = Z3Solver(profile=DEFAULT)
    for formula in formulas:
        solver.add(formula)
    return solver


def test_cases_are_chosen_by_the_model() -> None:
    three, seven = integer(3), integer(7)
    formulas = [
        eq(X, ite(lt(Y, integer(0)), integer(1), Y)),
        disj(lt(X, three), lt(seven, X)),
        neg(eq(X, Y)),
        eq(B, lt(X, Y)),
    ]
    solver = solver_with(*formulas)
    assert solver.check() is Answer.SAT
    below = lt(Y, integer(0))
    assert implicant(formulas, solver.model()) == [
        eq(X, integer(1)),
        below,
        lt(X, three),
        lt(Y, X),
        neg(B),
        neg(lt(X, Y)),
    ]


@pytest.mark.parametrize("seed", range(15))
def test_random_guards(seed: int) -> None:
    checked = 0
    for transition in random_system(Random(seed)).transitions:
        solver = solver_with(transition.guard)
        if solver.check() is not Answer.SAT:
            continue
        model = solver.model()
        cube = implicant([transition.guard], model)
        assert all(model.is_true(literal) for literal in cube)
        assert all(is_linear(literal) for literal in cube)
        assert not any(node.op is Op.ITE for node in postorder(cube))
        assert solver_with(conj_all(cube), neg(transition.guard)).check() is Answer.UNSAT
        checked += 1
    assert checked


def test_conditions_that_are_shared_are_looked_at_once() -> None:
    """Each one occurs twice in the next: there are 2 to the power of 60 ways down to the first."""
    condition = lt(X, Y)
    for number in range(60):
        condition = lt(ite(condition, X, integer(number)), ite(condition, Y, integer(number + 1)))
    solver = solver_with(condition)
    assert solver.check() is Answer.SAT
    assert len(implicant([condition], solver.model())) <= 61
