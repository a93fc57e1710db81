"""What follows from quantified formulas about the terms that there are: never more than they say."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, Term, add, conj, disj, eq, exists, forall, implies, integer, lt, neg, var
from cleave.logic.walk import has_quantifier
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.clauses.instances import instances

X, Y, Z = (var(name, INT) for name in "xyz")
S = var("y?3", INT)  # called y before it was renamed
BOUND = forall((S,), implies(eq(S, add(X, integer(1))), lt(S, integer(5))))


def answer(formula: Term) -> Answer:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(formula)
    return solver.check(seconds=20)


def decided(formula: Term, *variables: Term) -> Answer:
    some = instances(formula, variables)
    assert some is not None
    assert not has_quantifier(some)
    return answer(some)


def test_a_bound_variable_is_taken_for_the_one_of_the_same_name() -> None:
    given = conj(BOUND, eq(Y, add(X, integer(1))), lt(integer(7), Y))
    assert decided(given, X, Y) is Answer.UNSAT
    assert decided(given, X, Z) is Answer.SAT  # nothing to take it for: less is said, never more


def test_what_can_be_is_never_excluded() -> None:
    given = conj(BOUND, eq(Y, add(X, integer(1))), lt(Y, integer(3)))
    assert decided(given, X, Y) is Answer.SAT
    assert decided(disj(BOUND, lt(integer(7), Y)), X, Y) is Answer.SAT
    assert decided(neg(BOUND), X, Y) is Answer.SAT
    assert decided(conj(neg(BOUND), lt(X, integer(0))), X, Y) is Answer.UNSAT


def test_what_is_bound_inside_is_taken_for_what_is_bound_inside() -> None:
    """Two steps: whatever follows whatever follows x is small; and here is something that is not."""
    inner, outer = var("y?1", INT), var("y?2", INT)
    step = implies(eq(inner, add(outer, integer(1))), lt(inner, integer(9)))
    twice = forall((outer,), implies(eq(outer, add(X, integer(1))), forall((inner,), step)))
    large = exists((S,), conj(eq(S, add(Y, integer(1))), lt(integer(10), S)))
    assert decided(conj(twice, eq(Y, add(X, integer(1))), large), X, Y) is Answer.UNSAT


def test_names_that_are_there_already() -> None:
    """What stands for the quantifier must not be a variable of the formula."""
    taken = [var(f"all?{number}", BOOL) for number in range(3)]
    given = conj(disj(*taken, BOUND), *(neg(one) for one in taken))
    assert decided(conj(given, eq(Y, add(X, integer(1))), lt(Y, integer(3))), X, Y) is Answer.SAT


def test_a_name_that_is_bound_twice() -> None:
    b = var("b", BOOL)
    assert decided(exists((b,), conj(neg(b), exists((b,), b)))) is Answer.SAT


@pytest.mark.parametrize("seed", range(8))
def test_no_model_is_lost(seed: int) -> None:
    """Random formulas over Booleans that bind each other's names, counted out."""
    pick = Random(seed)
    for _ in range(60):
        own = pick.sample(BOOLEANS, 3)
        given = _random(pick, 5, own)
        some = instances(given, own)
        free = [v for v in BOOLEANS if v in own]
        if some is not None and answer(some) is Answer.UNSAT:
            rows = product((False, True), repeat=len(free))
            assert not any(_holds(given, dict(zip(free, row, strict=True))) for row in rows), given


BOOLEANS = [var(name, BOOL) for name in ("x", "y", "x?0", "y?1", "x?1", "z")]


def _random(pick: Random, depth: int, known: list[Term]) -> Term:
    def part() -> Term:
        return _random(pick, depth - 1, known)

    kind = pick.randint(0, 6) if depth else 0
    match kind:
        case 0:
            return pick.choice(known)
        case 1:
            return neg(part())
        case 2:
            return conj(part(), part())
        case 3:
            return disj(part(), part())
        case 4:
            return implies(part(), part())
    bound = pick.sample(BOOLEANS, 2)
    return pick.choice((forall, exists))(tuple(bound), _random(pick, depth - 1, [*known, *bound]))


def _holds(formula: Term, state: dict[Term, bool]) -> bool:
    match formula.op:
        case Op.VAR:
            return state[formula]
        case Op.VALUE:
            return bool(formula.value)
        case Op.NOT:
            return not _holds(formula.args[0], state)
        case Op.AND:
            return all(_holds(part, state) for part in formula.args)
        case Op.OR:
            return any(_holds(part, state) for part in formula.args)
        case Op.IMPLIES:
            return not _holds(formula.args[0], state) or _holds(formula.args[1], state)
    bound = formula.value.variables
    inside = (dict(zip(bound, row, strict=True)) for row in product((False, True), repeat=len(bound)))
    rows = (_holds(formula.args[0], {**state, **row}) for row in inside)
    return all(rows) if formula.op is Op.FORALL else any(rows)


def test_what_is_too_deep_or_unclear_is_left_alone() -> None:
    assert instances(eq(BOUND, var("b", BOOL)), (X, Y)) is None
    deep = BOUND
    for number in range(1_000):
        deep = (conj, disj)[number % 2](var(f"b{number}", BOOL), deep)
    assert instances(deep, (X, Y)) is None
