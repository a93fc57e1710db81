"""Sequences of interpolants: inductive, over shared variables, the same in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from cleave.errors import UnsupportedError
from cleave.logic.sorts import INT, array, bitvec
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Op,
    Term,
    bv,
    bv_binary,
    bv_compare,
    bv_unary,
    conj,
    disj,
    eq,
    extract,
    integer,
    ite,
    neg,
    select,
    sign_extend,
    var,
    zero_extend,
)
from cleave.logic.walk import free_variables
from cleave.smt.bitwuzla.interpolants import interpolants
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

WIDTH = 5
X, Y = var("x", bitvec(WIDTH)), var("y", bitvec(WIDTH))
_BINARY = (Op.BV_ADD, Op.BV_SUB, Op.BV_MUL, Op.BV_AND, Op.BV_OR, Op.BV_XOR, Op.BV_SHL, Op.BV_UREM, Op.BV_SDIV)
_COMPARE = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)


def random_term(random: Random, usable: list[Term], depth: int) -> Term:
    if not depth:
        return random.choice([*usable, bv(random.randrange(1 << WIDTH), WIDTH)])
    part = random_term(random, usable, depth - 1)
    match random.randrange(6):
        case 0:
            return bv_unary(random.choice((Op.BV_NOT, Op.BV_NEG)), part)
        case 1:
            return zero_extend(extract(part, 3, 2), WIDTH - 2)
        case 2:
            return sign_extend(extract(part, 4, 2), WIDTH - 3)
        case 3:
            return ite(random_formula(random, usable), part, random_term(random, usable, depth - 1))
        case _:
            return bv_binary(random.choice(_BINARY), part, random_term(random, usable, depth - 1))


def random_formula(random: Random, usable: list[Term]) -> Term:
    parts = [
        bv_compare(random.choice(_COMPARE), random_term(random, usable, 1), random_term(random, usable, 0))
        for _ in range(2)
    ]
    return random.choice((parts[0], disj(parts[0], neg(parts[1])), eq(parts[0], parts[1])))


def random_steps(random: Random) -> list[Term]:
    """Each step is about its own variables and those of the step before."""
    states = [[var(f"{name}{number}", bitvec(WIDTH)) for name in "ab"] for number in range(3)]
    steps = [eq(states[0][0], random_term(random, states[0][1:], 1))]
    for before, after in pairwise(states):
        steps.append(conj(eq(after[0], random_term(random, before, 2)), random_formula(random, before)))
    return [*steps, TRUE, random_formula(random, states[-1])]


def satisfiable(formula: Term) -> bool:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(formula)
    return solver.check() is not Answer.UNSAT


def test_random_sequences() -> None:
    refuted = 0
    for seed in range(40):
        steps = random_steps(Random(seed))
        found = interpolants(steps, cost_limit=1000).interpolants
        if found is None:
            assert satisfiable(conj(*steps))
            continue
        refuted += 1
        before: Term = TRUE
        for number, (step, after) in enumerate(zip(steps, (*found, FALSE), strict=True)):
            assert not satisfiable(conj(before, step, neg(after)))
            assert free_variables(after) <= free_variables(*steps[: number + 1]) & free_variables(*steps[number + 1 :])
            before = after
    assert refuted > 5


def test_arrays_are_read_back() -> None:
    a = var("a", array(bitvec(WIDTH), bitvec(WIDTH)))
    three = bv(3, WIDTH)
    steps = [eq(select(a, X), three), eq(X, Y), neg(eq(select(a, Y), three))]
    found = interpolants(steps, cost_limit=1000).interpolants
    assert found is not None
    assert not satisfiable(conj(found[1], steps[2]))


def test_empty_steps() -> None:
    one, two = eq(X, bv(1, WIDTH)), eq(X, bv(2, WIDTH))
    found = interpolants([TRUE, one, TRUE, two, TRUE], cost_limit=1000).interpolants
    assert found is not None
    assert found[0] is TRUE
    assert found[1] is found[2]
    assert found[3] is FALSE
    assert interpolants([FALSE, TRUE], cost_limit=1000).interpolants == (FALSE,)
    assert interpolants([one, eq(Y, X)], cost_limit=1000).interpolants is None


def test_other_sorts_are_refused() -> None:
    with pytest.raises(UnsupportedError):
        interpolants([eq(var("n", INT), integer(1)), FALSE], cost_limit=1000)


def test_the_same_in_every_process() -> None:
    code = (
        "import test_bitwuzla_interpolants as t; from random import Random;"
        "print(*(t.interpolants(t.random_steps(Random(seed)), cost_limit=1000) for seed in range(25)), sep='\\n')"
    )
    printed = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    here = [str(interpolants(random_steps(Random(seed)), cost_limit=1000)) for seed in range(25)]
    assert here == printed[0].splitlines()
