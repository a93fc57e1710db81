"""The check of `safe`: right invariants are confirmed, wrong ones rejected, whoever made them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Predicate, Relation
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.validate.clauses.in_turn import BITWUZLA, CVC5, Z3, InTurn
from cleave.validate.clauses.invariant import check_interpretation
from support.small_horn import ARITIES, VALUES, derivation, interpretation, satisfies, systems

X, Y, P = (t.var(name, INT) for name in "xyp")
COUNTER = HornSystem(
    predicates={"Inv": Predicate("Inv", (INT,))},
    clauses=(
        Clause(Atom("Inv", (X,)), (), t.eq(X, t.integer(0))),
        Clause(Atom("Inv", (t.add(X, t.integer(1)),)), (Atom("Inv", (X,)),), t.lt(X, t.integer(10))),
        Clause(None, (Atom("Inv", (X,)),), t.gt(X, t.integer(10)), Location("counter.smt2", 7, 1)),
    ),
)


def bounded(formula: Term) -> Interpretation:
    return {"Inv": Relation((P,), formula)}


@pytest.fixture(scope="module")
def solvers() -> Iterator[InTurn]:
    with InTurn() as found:
        yield found


def test_an_invariant_is_confirmed_by_cvc5() -> None:
    found = check_interpretation(COUNTER, bounded(t.le(P, t.integer(10))))
    assert found.holds
    assert str(found) == "invariant checked clause by clause by cvc5"
    assert found.by == {CVC5: 3}


@pytest.mark.parametrize(
    ("formula", "clause"),
    [
        (t.le(P, t.integer(11)), 2),  # too weak
        (t.le(P, t.integer(9)), 1),  # not inductive
        (t.conj(t.le(P, t.integer(10)), t.lt(t.integer(0), P)), 0),  # not true at the beginning
        (t.TRUE, 2),
        (t.FALSE, 0),
    ],
)
def test_a_wrong_invariant_is_rejected_at_its_clause(solvers: InTurn, formula: Term, clause: int) -> None:
    found = check_interpretation(COUNTER, bounded(formula), solvers=solvers)
    assert not found.holds
    assert (found.clause, found.undecided) == (clause, False)


def test_the_reason_names_the_place_and_values(solvers: InTurn) -> None:
    found = check_interpretation(COUNTER, bounded(t.le(P, t.integer(11))), solvers=solvers)
    assert str(found) == ("query 2 (counter.smt2:7:1) does not hold, for instance with x = 11 (found by cvc5)")


def test_a_missing_relation_is_true(solvers: InTurn) -> None:
    found = check_interpretation(COUNTER, {}, solvers=solvers)
    assert not found.holds
    harmless = replace(COUNTER, clauses=COUNTER.clauses[:2])
    assert check_interpretation(harmless, {}, solvers=solvers).holds


@pytest.mark.parametrize(
    "interpretation",
    [
        {"Inv": Relation((), t.TRUE)},
        {"Inv": Relation((t.var("p", BOOL),), t.TRUE)},
        {"Inv": Relation((P, P), t.TRUE)},
        {"Inv": Relation((t.integer(1),), t.TRUE)},
        {"Inv": Relation((P,), P)},
        {"Inv": Relation((P,), t.make(Op.LE, (P, t.TRUE), BOOL))},
        {"Inv": Relation((P,), t.le(P, Y))},
        {"Inv": Relation((P,), t.conj(t.le(P, Y), t.exists((Y,), t.lt(P, Y))))},  # bound, but also free
        {"Other": Relation((P,), t.TRUE)},
    ],
    ids=repr,
)
def test_ill_formed_relations_are_rejected(solvers: InTurn, interpretation: Interpretation) -> None:
    found = check_interpretation(COUNTER, interpretation, solvers=solvers)
    assert not found.holds
    assert found.clause is None
    assert not found.undecided


def test_nothing_is_captured(solvers: InTurn) -> None:
    """The relation binds x, which is what the clauses call their own variable."""
    above = t.neg(t.exists((X,), t.conj(t.eq(X, P), t.gt(X, t.integer(10)))))
    assert check_interpretation(COUNTER, bounded(above), solvers=solvers).holds
    captured = t.exists((X,), t.lt(X, P))  # true of every p; were x captured, x < x + 1 would be, and x < x would not
    assert not check_interpretation(COUNTER, bounded(captured), solvers=solvers).holds


@pytest.mark.parametrize("others", [{}, {"Plain": Relation((P,), t.TRUE)}])
def test_nothing_is_captured_that_would_make_a_query_hold(solvers: InTurn, others: Interpretation) -> None:
    """The relation is true of everything. Were the y of the query captured, it would be y < y, and the query hold."""
    system = HornSystem(
        predicates={"Inv": Predicate("Inv", (INT,)), "Plain": Predicate("Plain", (INT,))},
        clauses=(COUNTER.clauses[0], COUNTER.clauses[1], Clause(None, (Atom("Inv", (Y,)),), t.gt(Y, t.integer(10)))),
    )
    interpretation = {**bounded(t.exists((Y,), t.lt(Y, P))), **others}
    found = check_interpretation(system, interpretation, solvers=solvers)
    assert not found.holds
    assert (found.clause, found.undecided) == (2, False)


def test_a_parameter_that_is_also_bound(solvers: InTurn) -> None:
    formula = t.conj(t.le(P, t.integer(10)), t.exists((P,), t.lt(t.integer(50), P)))
    assert check_interpretation(COUNTER, bounded(formula), solvers=solvers).holds


def test_arrays_and_quantified_relations(solvers: InTurn) -> None:
    m, i = t.var("m", array(INT, INT)), t.var("i", INT)
    zero_below = t.forall(
        (Y,), t.implies(t.conj(t.le(t.integer(0), Y), t.lt(Y, i)), t.eq(t.select(m, Y), t.integer(0)))
    )
    filled = Atom("F", (m, i))
    system = HornSystem(
        predicates={"F": Predicate("F", (m.sort, INT))},
        clauses=(
            Clause(filled, (), t.eq(i, t.integer(0))),
            Clause(Atom("F", (t.store(m, i, t.integer(0)), t.add(i, t.integer(1)))), (filled,), t.le(t.integer(0), i)),
            Clause(
                None,
                (filled,),
                t.conj(t.le(t.integer(0), X), t.lt(X, i), t.neg(t.eq(t.select(m, X), t.integer(0)))),
            ),
        ),
    )
    right = t.conj(t.le(t.integer(0), i), zero_below)
    assert check_interpretation(system, {"F": Relation((m, i), right)}, solvers=solvers).holds
    found = check_interpretation(system, {"F": Relation((m, i), t.le(t.integer(0), i))}, solvers=solvers)
    assert not found.holds


def test_who_helps_is_told() -> None:
    """An array that is constant, but of no value, is nothing for cvc5."""
    constant = t.const_array(INT, Y)
    system = HornSystem(predicates={}, clauses=(Clause(None, (), t.distinct(t.select(t.store(constant, X, Y), P), Y)),))
    found = check_interpretation(system, {})
    assert found.holds
    assert str(found) == f"invariant checked clause by clause by {Z3}"
    bits = t.var("v", bitvec(8))
    constant = t.const_array(bits.sort, bits)
    clause = Clause(None, (), t.distinct(t.select(t.store(constant, t.bv(1, 8), bits), t.var("w", bits.sort)), bits))
    found = check_interpretation(replace(COUNTER, clauses=(*COUNTER.clauses, clause)), bounded(t.le(P, t.integer(10))))
    assert found.holds
    assert str(found) == f"invariant checked clause by clause by cvc5, and {BITWUZLA} for 1 clause"


def hard_system() -> HornSystem:
    wide = bitvec(61)
    x, y = t.var("x", wide), t.var("y", wide)
    product = t.bv_binary(Op.BV_MUL, t.zero_extend(x, 61), t.zero_extend(y, 61))
    constraint = t.conj(
        t.eq(product, t.bv((10**18 + 3) * (10**18 + 9), 122)),
        t.bv_compare(Op.BV_ULT, t.bv(1, 61), x),
        t.bv_compare(Op.BV_ULT, x, t.bv(10**18, 61)),
    )
    return HornSystem(predicates={}, clauses=(Clause(None, (), constraint),))


def test_out_of_time_is_undecided() -> None:
    started = time.monotonic()
    found = check_interpretation(hard_system(), {}, seconds=1)
    assert not found.holds
    assert found.undecided
    assert "could not be decided" in found.text
    assert time.monotonic() - started < 15


def _many(last: int) -> HornSystem:
    """A counter with a hundred clauses, and queries that it is beyond some number, ``last`` the lowest of them."""
    steps = [Clause(Atom("Inv", (t.add(X, t.integer(1)),)), (Atom("Inv", (X,)),), t.lt(X, t.integer(10)))] * 90
    queries = [Clause(None, (Atom("Inv", (X,)),), t.gt(X, t.integer(bound))) for bound in range(last + 9, last - 1, -1)]
    return replace(COUNTER, clauses=(COUNTER.clauses[0], *steps, *queries))


def test_many_clauses_are_checked_side_by_side() -> None:
    with InTurn(side_by_side=2) as solvers:
        found = check_interpretation(_many(10), bounded(t.le(P, t.integer(10))), solvers=solvers)
        assert found.holds
        assert found.by == {CVC5: 101}
        wrong = check_interpretation(_many(7), bounded(t.le(P, t.integer(10))), solvers=solvers)
        assert not wrong.holds
        assert (wrong.clause, wrong.undecided) == (98, False), "the first that does not hold, whoever is quicker"
        solvers.interrupt()
        assert not check_interpretation(_many(10), bounded(t.TRUE), solvers=solvers).holds


def test_interrupted() -> None:
    with InTurn() as solvers:
        threading.Timer(0.5, solvers.interrupt).start()
        started = time.monotonic()
        found = check_interpretation(hard_system(), {}, solvers=solvers)
        assert not found.holds
        assert found.undecided
        assert time.monotonic() - started < 10
        again = check_interpretation(COUNTER, bounded(t.le(P, t.integer(10))), solvers=solvers)
        assert not again.holds


SHARED = InTurn()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_random_interpretations_are_judged_as_enumeration_does(system: HornSystem, data: st.DataObject) -> None:
    """From the least interpretation, which satisfies the rules, some facts are taken and some added."""
    least, _ = derivation(system)
    facts: dict[str, frozenset[tuple[int, ...]]] = {}
    for name, arity in ARITIES.items():
        fact = st.tuples(*[st.sampled_from(VALUES)] * arity)
        facts[name] = least[name] ^ data.draw(st.frozensets(fact, max_size=2))
    expected = all(satisfies(clause, facts) for clause in system.clauses)
    found = check_interpretation(system, interpretation(facts, quantified=data.draw(st.booleans())), solvers=SHARED)
    assert found.holds == expected, found
    assert found.holds or not found.undecided


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems())
def test_the_least_interpretation_proves_exactly_the_safe_systems(system: HornSystem) -> None:
    least, wrong = derivation(system)
    found = check_interpretation(system, interpretation(least), solvers=SHARED)
    assert found.holds == (wrong is None)
