"""Unrolling finds short derivations, and nothing else."""

from __future__ import annotations

from random import Random

import pytest

from cleave.engines.pdr.spacer.run import Answered, Busy, NoAnswer, Paused, SafeAnswer, UnsafeAnswer
from cleave.engines.pdr.unrolling import Unrolling
from cleave.ir.horn import HornSystem
from cleave.logic.sorts import INT, array, bitvec
from cleave.logic.terms import (
    TRUE,
    Op,
    add,
    bv,
    bv_binary,
    conj,
    const_array,
    eq,
    gt,
    ite,
    le,
    lt,
    neg,
    select,
    store,
    var,
)
from cleave.smt.sat import gates
from cleave.smt.sat import solver as sat
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from support.horn_systems import broken_step, is_safe, random_system
from support.pdr_runs import N, X, Y, atom, counter, pairs, query, rule, system

M = var("m", array(INT, INT))
LAST = select(M, add(X, N(-1)))


def finish(given: HornSystem, cost_limit: int = 2_000_000, *, bits: bool = False) -> Answered:
    run = Unrolling(given, cost_limit=cost_limit, bits=bits)
    event = run.resume()
    while isinstance(event, Paused | Busy):
        event = run.resume()
    cost = run.cost()
    run.stop()
    assert run.cost() == cost
    return event


def test_the_shortest_derivation_is_found() -> None:
    found = finish(counter(20, gt(X, N(6))))
    assert isinstance(found, UnsafeAnswer)
    assert found.derivation is not None
    assert [step.arguments for step in found.derivation.steps] == [*((N(k),) for k in range(8)), ()]
    assert check_derivation(counter(20, gt(X, N(6))), found.derivation).holds


def test_arrays() -> None:
    given = system(
        rule(atom("fill", const_array(INT, N(0)), N(0)), TRUE),
        rule(atom("fill", store(M, X, add(LAST, X)), add(X, N(1))), lt(X, N(9)), atom("fill", M, X)),
        query(conj(le(N(9), X), eq(select(M, N(8)), N(36))), atom("fill", M, X)),
    )
    found = finish(given)
    assert isinstance(found, UnsafeAnswer)
    assert found.derivation is not None
    with InTurn() as solvers:
        assert check_derivation(given, found.derivation, solvers=solvers).holds


def test_where_no_derivation_can_be_longer_it_is_a_proof() -> None:
    given = system(
        rule(atom("a", X), eq(X, N(0))), rule(atom("b", X), lt(X, N(5)), atom("a", X)), query(gt(X, N(0)), atom("b", X))
    )
    found = finish(given)
    assert isinstance(found, SafeAnswer)
    assert check_interpretation(given, found.interpretation).holds


def test_it_ends_at_its_limit() -> None:
    far = system(
        rule(atom("at", N(0), N(0)), TRUE),
        rule(atom("at", add(X, N(1)), add(Y, N(2))), TRUE, atom("at", X, Y)),
        query(conj(eq(X, N(1000)), lt(Y, X)), atom("at", X, Y)),
    )
    found = finish(far, cost_limit=50_000)
    assert isinstance(found, NoAnswer)
    assert "within the cost" in found.reason


def test_what_comes_before_the_query_may_be_a_proof() -> None:
    """x is 0, 1, 2, 0, 1, ...: that it is not 7 is inductive only together with the three steps before."""
    around = ite(eq(X, N(2)), N(0), ite(eq(X, N(5)), N(6), ite(eq(X, N(6)), N(7), add(X, N(1)))))
    given = system(
        rule(atom("at", N(0)), TRUE),
        rule(atom("at", around), neg(eq(X, N(3))), atom("at", X)),
        query(eq(X, N(7)), atom("at", X)),
    )
    found = finish(given)
    assert isinstance(found, SafeAnswer)
    assert check_interpretation(given, found.interpretation).holds


def test_only_linear_clauses() -> None:
    assert finish(pairs(8)) == NoAnswer("only linear clauses are unrolled")


def test_a_query_without_atoms() -> None:
    found = finish(system(rule(atom("a", X), eq(X, N(0))), query(lt(X, Y))))
    assert isinstance(found, UnsafeAnswer)
    assert found.derivation is not None
    assert len(found.derivation.steps) == 1


@pytest.mark.parametrize("installed", [True, False])
def test_bits(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    """A counter of four bits that counts by three passes seven after thirteen steps, and never both of its halves."""
    if not installed:
        monkeypatch.setattr(sat, "is_installed", lambda: False)
    low, high = var("low", bitvec(4)), var("high", bitvec(4))
    three, seven = bv(3, 4), bv(7, 4)
    begin = rule(atom("at", low, high), conj(eq(low, bv(0, 4)), eq(high, low)))
    step = rule(
        atom("at", bv_binary(Op.BV_ADD, low, three), bv_binary(Op.BV_ADD, high, three)), TRUE, atom("at", low, high)
    )
    found = finish(system(begin, step, query(eq(low, seven), atom("at", low, high))), bits=True)
    assert isinstance(found, UnsafeAnswer)
    assert found.derivation is not None
    assert len(found.derivation.steps) == 15
    apart = system(begin, step, query(neg(eq(low, high)), atom("at", low, high)))
    proved = finish(apart, bits=True)
    assert isinstance(proved, SafeAnswer)
    assert check_interpretation(apart, proved.interpretation).holds


def test_numbers_are_no_bits() -> None:
    assert finish(counter(2, gt(X, N(6))), bits=True) == NoAnswer("not all is made of bits")


def test_what_has_too_many_bits_ends_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "MOST_CLAUSES", 10)
    x = var("x", bitvec(32))
    square = bv_binary(Op.BV_MUL, x, x)
    found = finish(system(rule(atom("at", x), TRUE), query(eq(square, bv(1, 32)), atom("at", x))), bits=True)
    assert isinstance(found, NoAnswer)
    assert "bit-blasting makes more than" in found.reason


@pytest.mark.parametrize("kind", ["lia", "bv", "bits"])
def test_random_systems(kind: str) -> None:
    seen = proved = 0
    for seed in range(60):
        given = random_system(Random(seed), "lia" if kind == "lia" else "bv")
        found = finish(given, cost_limit=100_000, bits=kind == "bits")
        if isinstance(found, UnsafeAnswer):
            seen += 1
            assert not is_safe(given)
            assert found.derivation is not None
            assert broken_step(given, found.derivation) is None
        elif isinstance(found, SafeAnswer):
            proved += 1
            assert is_safe(given)
            assert check_interpretation(given, found.interpretation, seconds=20).holds
    assert seen >= 3
    assert proved >= 3
