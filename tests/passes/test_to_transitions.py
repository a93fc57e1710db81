"""Linear clauses as transition systems: the text of what comes out, and evidence that goes back."""

from __future__ import annotations

import random

import pytest

from cleave.errors import UnsupportedError
from cleave.frontends.horn import read_horn
from cleave.ir.horn import HornSystem
from cleave.ir.transition_system import check_system, print_system
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import FALSE, TRUE, Op, Term, conj, disj, eq, implies, integer, ite, le, lt, neg, var
from cleave.logic.walk import postorder
from cleave.passes.to_transitions import horn_to_transitions
from cleave.passes.to_transitions.cases import cases
from cleave.passes.to_transitions.disjuncts import disjuncts
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import Z3Solver
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation

LOOP = """
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x 7))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (Inv x y) (or (< x 10) (= x 20)) (< n x)) (Inv (+ x 1) n))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x x) (> x 10)) false)))
(check-sat)
"""


def _horn(text: str) -> HornSystem:
    return read_horn("clauses.smt2", text.encode())


def test_a_clause_becomes_a_transition_for_each_way_its_constraint_can_hold() -> None:
    system = horn_to_transitions(_horn(LOOP)).system
    check_system(system)
    assert print_system(system) == (
        "locations\n"
        "  0 start\n"
        "  1 error\n"
        "  2 Inv(x: Int, y: Int)\n"
        "transitions\n"
        "  0 start -> Inv: assume true; x := 0; y := 7\n"
        "  1 Inv -> Inv: assume (and (< x 10) (< n x)); x := (+ x 1); y := n\n"
        "  2 Inv -> Inv: assume (and (= x 20) (< n x)); x := (+ x 1); y := n\n"
        "  3 Inv -> error: assume (and (= y x) (< 10 x))\n"
    )
    assert [len(system.inputs(one)) for one in system.transitions] == [0, 1, 1, 0]


def test_clauses_with_two_premises_are_refused_with_their_place() -> None:
    text = LOOP.replace("(and (Inv x x) (> x 10))", "(and (Inv x y) (Inv y x))")
    with pytest.raises(UnsupportedError, match=r"clauses\.smt2:6.*Inv and Inv.*pdr"):
        horn_to_transitions(_horn(text))


def test_functions_without_a_meaning_are_refused() -> None:
    text = LOOP.replace("(declare-fun Inv", "(declare-fun f (Int) Int)\n(declare-fun Inv").replace(
        "(= x 0)", "(= x (f 0))"
    )
    with pytest.raises(UnsupportedError, match="function f"):
        horn_to_transitions(_horn(text))


def test_invariants_of_locations_are_an_interpretation_of_the_clauses() -> None:
    horn = _horn(LOOP)
    located = horn_to_transitions(horn)
    x, y = located.system.locations[2].variables
    good = [TRUE, FALSE, conj(le(x, integer(10)), TRUE)]
    with InTurn(seconds=20) as solvers:
        assert check_interpretation(horn, located.interpretation(good), solvers=solvers).holds
        bad = [TRUE, FALSE, conj(le(x, integer(9)), eq(y, y))]
        assert not check_interpretation(horn, located.interpretation(bad), solvers=solvers).holds


def test_paths_with_their_states_are_derivations() -> None:
    horn = _horn(LOOP.replace("(> x 10)", "(> x 0)").replace("(< n x)", "(<= n (+ x 1))"))
    located = horn_to_transitions(horn)
    states = [(integer(0), integer(7)), (integer(1), integer(1)), ()]
    with InTurn(seconds=20) as solvers:
        derived = located.derivation((0, 1, 3), states)
        assert check_derivation(horn, derived, solvers=solvers).holds
        wrong = located.derivation((0, 1, 3), [states[0], (integer(1), integer(2)), ()])
        assert not check_derivation(horn, wrong, solvers=solvers).holds


# --- disjuncts ------------------------------------------------------------------------------------------------------


def _formula(chance: random.Random, depth: int) -> Term:
    x, y, b = var("x", INT), var("y", INT), var("b", BOOL)
    if not depth:
        return chance.choice([lt(x, y), le(x, integer(3)), eq(y, integer(1)), b, neg(b)])
    parts = [_formula(chance, depth - 1) for _ in range(3)]
    return chance.choice(
        [conj(*parts), disj(*parts), neg(parts[0]), implies(parts[0], parts[1]), ite(*parts), eq(parts[0], parts[1])]
    )


def _is_satisfiable(formula: Term) -> bool:
    solver = Z3Solver()
    solver.add(formula)
    return solver.check() is Answer.SAT


@pytest.mark.parametrize("seed", range(25))
def test_disjuncts_are_together_what_the_formula_is(seed: int) -> None:
    formula = _formula(random.Random(seed), 3)
    ways = disjuncts(formula, 40)
    assert len(ways) <= 40
    assert not _is_satisfiable(neg(eq(formula, disj(*ways))))


def test_a_formula_with_too_many_ways_stays() -> None:
    formula = conj(*(disj(lt(var(f"x{n}", INT), integer(0)), var(f"b{n}", BOOL)) for n in range(6)))
    assert disjuncts(formula, 63) == [formula]
    assert len(disjuncts(formula, 64)) == 64


# --- cases ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_cases_are_together_the_same_transition(seed: int) -> None:
    chance = random.Random(seed)
    x, y, after, flag = var("x", INT), var("y", INT), var("after", INT), var("flag", BOOL)
    guard = _formula(chance, 2)
    updates = (ite(_formula(chance, 1), x, ite(_formula(chance, 1), y, integer(4))), _formula(chance, 1))

    def relation(guard: Term, updates: tuple[Term, ...]) -> Term:
        return conj(guard, eq(after, updates[0]), eq(flag, updates[1]))

    found = cases(guard, updates, 60)
    assert not _is_satisfiable(neg(eq(relation(guard, updates), disj(*(relation(*case) for case in found)))))
    for case in found:
        assert not any(node.op in (Op.OR, Op.ITE, Op.IMPLIES) for node in postorder((case.guard, case.updates[0])))


def test_what_has_too_many_cases_stays() -> None:
    guard = conj(*(disj(lt(var(f"x{n}", INT), integer(0)), lt(integer(7), var(f"x{n}", INT))) for n in range(4)))
    assert cases(guard, (), 15) == [(guard, ())]
    assert len(cases(guard, (), 16)) == 16
