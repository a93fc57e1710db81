"""Refinement keeps its promise: predicates that exclude the path step by step, or states that go along it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from cleave.engines.cegar.refinement import Budget, Failed, Feasible, Refined, refine
from cleave.ir.transition_system import ControlLocation, Transition, TransitionSystem, check_system
from cleave.logic.sorts import BOOL, INT, REAL, array, bitvec
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    add,
    bv,
    bv_binary,
    bv_compare,
    conj_all,
    disj,
    div,
    eq,
    gt,
    integer,
    ite,
    le,
    lt,
    minus,
    mod,
    mul,
    neg,
    real,
    select,
    store,
    sub,
    var,
)
from cleave.logic.walk import free_variables, substitute
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from support.random_transition_systems import random_path, random_system

X, Y, Z, N = var("x", INT), var("y", INT), var("z", INT), var("n", INT)
ZERO, ONE = integer(0), integer(1)


def satisfiable(formula: Term) -> bool:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(formula)
    answer = solver.check()
    assert answer is not Answer.UNKNOWN
    return answer is Answer.SAT


def loop(variables: tuple[Term, ...], *steps: tuple[int, int, Term, tuple[Term, ...]]) -> TransitionSystem:
    """One location, number 2, and transitions as (source, target, guard, updates)."""
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("loop", variables))
    system = TransitionSystem(locations, tuple(Transition(*step) for step in steps))
    check_system(system)
    return system


def unrolled(system: TransitionSystem, path: tuple[int, ...], values: tuple[tuple[Term, ...], ...] = ()) -> Term:
    """The path as one formula, with its states as given if they are."""
    parts: list[Term] = []
    state: tuple[Term, ...] = ()
    for number, transition in enumerate(system.transitions[n] for n in path):
        names = dict(zip(system.locations[transition.source].variables, state, strict=True))
        names.update((v, var(f"input {number} {v.name}", v.sort)) for v in system.inputs(transition))
        targets = system.locations[transition.target].variables
        state = values[number] if values else tuple(var(f"state {number} {v.name}", v.sort) for v in targets)
        updates = [substitute(update, names) for update in transition.updates]
        parts += [substitute(transition.guard, names), *map(eq, state, updates)]
    return conj_all(parts)


def check_promise(system: TransitionSystem, path: tuple[int, ...], predicates: tuple[tuple[Term, ...], ...]) -> None:
    assert len(predicates) == len(path) - 1
    known: tuple[Term, ...] = ()
    for position, wanted in enumerate((*predicates, (FALSE,))):
        transition = system.transitions[path[position]]
        if FALSE in known:
            return
        variables = system.locations[transition.target].variables
        updates = dict(zip(variables, transition.updates, strict=True))
        for predicate in wanted:
            assert predicate is not TRUE
            assert free_variables(predicate).issubset(variables)
            assert not satisfiable(conj_all([*known, transition.guard, neg(substitute(predicate, updates))]))
        known = wanted


def predicates_of(system: TransitionSystem, *path: int) -> tuple[tuple[Term, ...], ...]:
    found = refine(system, path)
    assert isinstance(found, Refined), found
    check_promise(system, path, found.predicates)
    return found.predicates


COUNTER = loop(
    (X,),
    (0, 2, TRUE, (ZERO,)),
    (2, 2, lt(X, integer(10)), (add(X, ONE),)),
    (2, 1, gt(X, integer(10)), ()),
)


def test_a_guard_is_preferred_to_initial_values() -> None:
    assert predicates_of(COUNTER, 0, 1, 1, 2) == ((), (), (le(X, integer(10)),))


def test_a_path_is_excluded_for_each_reason_that_is_found() -> None:
    system = loop((X, Y), (0, 2, TRUE, (ZERO, ZERO)), (2, 2, gt(X, ZERO), (X, ONE)), (2, 1, lt(Y, ONE), ()))
    early, late = predicates_of(system, 0, 1, 2)
    assert early == (eq(X, ZERO),), "with it, the second step can't be taken"
    assert eq(Y, ONE) in late, "and with that, nor can the last one"


@pytest.mark.parametrize("order", [1, -1])
def test_a_reason_that_counts_rounds_is_not_the_only_one_looked_for(order: int) -> None:
    """That x is 2 excludes the path, too, whichever of the two a solver finds first."""
    guard = conj_all([lt(X, Y), gt(add(X, ONE), integer(10))][::order])
    begin = (0, 2, le(N, integer(10)), (ZERO, N))
    system = loop((X, Y), begin, (2, 2, lt(X, Y), (add(X, ONE), Y)), (2, 1, guard, ()))
    assert predicates_of(system, 0, 1, 1, 2) == ((le(Y, integer(10)),),) * 3


def test_predicates_do_not_depend_on_the_length_of_a_path() -> None:
    system = loop(
        (X, Y), (0, 2, TRUE, (ZERO, ZERO)), (2, 2, TRUE, (add(X, ONE), add(Y, ONE))), (2, 1, neg(le(X, Y)), ())
    )
    short, long = predicates_of(system, 0, 1, 2), predicates_of(system, 0, *[1] * 7, 2)
    assert set(short) == set(long) == {(eq(X, Y),)}


def test_sums_fall_apart_into_invariants() -> None:
    system = loop((X, Y), (0, 2, TRUE, (ZERO, ZERO)), (2, 2, TRUE, (add(X, Y), add(Y, ONE))), (2, 1, lt(X, ZERO), ()))
    found = predicates_of(system, 0, 1, 1, 1, 2)
    assert {predicate for there in found for predicate in there} == {le(ZERO, X), le(ZERO, Y)}


def test_what_a_step_excludes_is_false() -> None:
    system = loop((X,), (0, 2, TRUE, (ZERO,)), (2, 2, gt(X, ONE), (X,)), (2, 1, TRUE, ()))
    found = predicates_of(system, 0, 1, 1, 2)
    assert found[1:] == ((FALSE,), ())


def test_inputs_are_any_values() -> None:
    system = loop(
        (X,),
        (0, 2, gt(N, ZERO), (N,)),
        (2, 2, gt(N, ZERO), (add(X, N),)),
        (2, 1, le(X, ZERO), ()),
        (2, 1, gt(X, N), ()),
    )
    assert {p for there in predicates_of(system, 0, 1, 1, 2) for p in there} == {le(ONE, X)}
    found = refine(system, (0, 1, 3))
    assert isinstance(found, Feasible)
    assert satisfiable(unrolled(system, (0, 1, 3), found.states))


def test_rationals_are_strict() -> None:
    u = var("u", REAL)
    system = loop((u,), (0, 2, lt(real(0), u), (u,)), (2, 1, lt(u, real(0)), ()), (2, 1, le(u, real(0)), ()))
    predicates_of(system, 0, 1)
    assert predicates_of(system, 0, 2) == ((lt(real(0), u),),)


def test_cases_of_an_update() -> None:
    system = loop(
        (X, Y),
        (0, 2, TRUE, (N, ite(lt(N, ZERO), minus(N), N))),
        (2, 2, disj(gt(X, integer(3)), lt(X, integer(-3))), (X, sub(Y, ONE))),
        (2, 1, lt(Y, integer(3)), ()),
    )
    predicates_of(system, 0, 1, 2)


def test_booleans() -> None:
    a, b = var("a", BOOL), var("b", BOOL)
    system = loop((a, b), (0, 2, TRUE, (TRUE, neg(var("i", BOOL)))), (2, 2, TRUE, (a, eq(a, b))), (2, 1, neg(a), ()))
    assert set(predicates_of(system, 0, 1, 1, 2)) == {(a,)}


def test_remainders_and_gaps_between_integers() -> None:
    even = loop(
        (X, Y), (0, 2, eq(mod(N, integer(2)), ZERO), (N, div(N, integer(2)))), (2, 1, gt(X, mul(Y, integer(2))), ())
    )
    predicates_of(even, 0, 1)
    gap = loop((X,), (0, 2, TRUE, (mul(integer(2), N),)), (2, 1, eq(X, ONE), ()))
    assert not isinstance(refine(gap, (0, 1)), Feasible)


def test_bit_vectors() -> None:
    x = var("x", bitvec(8))
    system = loop(
        (x,),
        (0, 2, TRUE, (bv(0, 8),)),
        (2, 2, bv_compare(Op.BV_ULT, x, bv(10, 8)), (bv_binary(Op.BV_ADD, x, bv(1, 8)),)),
        (2, 1, bv_compare(Op.BV_ULT, bv(10, 8), x), ()),
        (2, 1, bv_compare(Op.BV_ULE, bv(2, 8), x), ()),
    )
    predicates_of(system, 0, 1, 1, 2)
    found = refine(system, (0, 1, 1, 3))
    assert isinstance(found, Feasible)
    assert [state for state in found.states if state] == [(bv(0, 8),), (bv(1, 8),), (bv(2, 8),)]


def test_arrays() -> None:
    a, i = var("a", array(INT, INT)), var("i", INT)
    system = loop(
        (a, i),
        (0, 2, TRUE, (var("m", array(INT, INT)), ZERO)),
        (2, 2, TRUE, (store(a, i, ZERO), add(i, ONE))),
        (2, 1, lt(ZERO, select(a, sub(i, ONE))), ()),
    )
    predicates_of(system, 0, 1, 2)
    assert isinstance(refine(system, (0, 2)), Feasible)


def test_a_long_path_is_cheap() -> None:
    """A hundred steps in a few seconds: the cost grows about as the square of the length."""
    system = loop(
        (X, Y, Z), (0, 2, TRUE, (ZERO, ZERO, N)), (2, 2, lt(X, Z), (add(X, ONE), add(Y, ONE), Z)), (2, 1, lt(Y, X), ())
    )
    found = refine(system, (0, *[1] * 100, 2))
    assert isinstance(found, Refined)
    assert found.cost < 5_000_000


def test_limits_are_kept() -> None:
    found = refine(COUNTER, (0, 1, 2), Budget(10))
    assert isinstance(found, Failed)
    assert found.reason


def outcomes(seeds: range) -> list[str]:
    made = []
    for seed in seeds:
        random = Random(seed)
        system = random_system(random)
        path = random_path(random, system, 8)
        if path is not None:
            made.append(repr(refine(system, path)))
    return made


@pytest.mark.parametrize("seed", range(30))
def test_random_paths(seed: int) -> None:
    random = Random(seed)
    system = random_system(random)
    check_system(system)
    path = next(found for found in iter(lambda: random_path(random, system, 8), 0) if found)
    match refine(system, path):
        case Feasible(states):
            assert satisfiable(unrolled(system, path, states))
        case Refined(predicates):
            assert not satisfiable(unrolled(system, path))
            check_promise(system, path, predicates)
        case Failed(reason):
            pytest.fail(reason)


def test_the_same_in_every_process() -> None:
    """Whatever the hashes of strings are, and whatever the process did before."""
    code = "import test_refinement as t; print(*t.outcomes(range(12)), sep='\\n')"
    folders = os.pathsep.join(map(str, (Path(__file__).parent, Path(__file__).parents[2])))
    printed = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": folders}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        printed.append(done.stdout.splitlines())
    outcomes(range(12, 15))
    assert printed[0] == printed[1] == outcomes(range(12))
    assert any("Refined" in line for line in printed[0])


def test_costs_are_counted() -> None:
    assert refine(COUNTER, (0, 1, 2)).cost > 0
