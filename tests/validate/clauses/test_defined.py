"""Predicates that are unfolded in the check of an invariant: nothing wrong is confirmed, nothing right rejected."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Predicate, Relation
from cleave.logic import terms as t
from cleave.logic.sorts import INT
from cleave.logic.terms import Term
from cleave.logic.walk import has_quantifier
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from cleave.validate.confirmation import BY_VALUES
from cleave.validate.semantics.evaluate import World, evaluate
from support.small_horn import ARITIES, VALUES, Facts, derivation, interpretation, satisfies, systems

X, Y, K, P = (t.var(name, INT) for name in "xykp")
N = t.integer
STEP, INV = Predicate("Step", (INT, INT)), Predicate("Inv", (INT,))


def climbing(bad: Term, *more: Clause) -> HornSystem:
    """Starts at 0 and goes up by some positive number; ``more`` are other clauses, ``bad`` is about x."""
    return HornSystem(
        predicates={"Step": STEP, "Inv": INV},
        clauses=(
            Clause(Atom("Step", (X, Y)), (), t.conj(t.eq(Y, t.add(X, K)), t.gt(K, N(0)))),
            *more,
            Clause(Atom("Inv", (N(0),)), (), t.TRUE),
            Clause(Atom("Inv", (Y,)), (Atom("Inv", (X,)), Atom("Step", (X, Y))), t.TRUE),
            Clause(None, (Atom("Inv", (X,)),), bad),
        ),
    )


GOES_DOWN = Clause(Atom("Step", (X, t.sub(X, N(1)))), (), t.gt(X, N(50)))
ABOVE_ZERO: Interpretation = {"Inv": Relation((P,), t.ge(P, N(0)))}


@pytest.fixture(scope="module")
def solvers() -> Iterator[InTurn]:
    with InTurn() as found:
        yield found


@pytest.mark.parametrize("more", [(), (GOES_DOWN,)], ids=["one definition", "two"])
def test_a_predicate_without_a_relation_means_what_its_clauses_derive(
    solvers: InTurn, more: tuple[Clause, ...]
) -> None:
    system = climbing(t.lt(X, N(0)), *more)
    assert not check_interpretation(system, ABOVE_ZERO, solvers=solvers).holds  # Step is true of all
    found = check_interpretation(system, ABOVE_ZERO, unfold=["Step"], solvers=solvers)
    assert found.holds
    assert found.by[BY_VALUES] >= 1 + len(more)


def test_what_is_confirmed_holds_with_the_relations_that_are_told(solvers: InTurn) -> None:
    system = climbing(t.lt(X, N(0)), GOES_DOWN)
    found = check_interpretation(system, ABOVE_ZERO, unfold=["Step"], spell_out=True, solvers=solvers)
    assert found.holds
    assert found.interpretation is not None
    step = found.interpretation["Step"]
    assert has_quantifier(step.formula)
    for before, after, expected in [(3, 5, True), (3, 2, False), (60, 59, True), (3, 3, False)]:
        question = t.conj(step.formula, *(t.eq(p, N(v)) for p, v in zip(step.parameters, (before, after), strict=True)))
        assert (solvers.decide(question).answer.name == "SAT") == expected


@pytest.mark.parametrize("more", [(), (GOES_DOWN,)], ids=["one definition", "two"])
def test_a_wrong_invariant_is_still_rejected(solvers: InTurn, more: tuple[Clause, ...]) -> None:
    below = {"Inv": Relation((P,), t.le(P, N(40)))}
    found = check_interpretation(climbing(t.gt(X, N(40)), *more), below, unfold=["Step"], solvers=solvers)
    assert not found.holds
    assert found.clause == 2 + len(more)
    assert not found.undecided


def test_a_predicate_that_nothing_derives_is_false(solvers: InTurn) -> None:
    system = climbing(t.lt(X, N(0)))
    without = HornSystem(predicates=system.predicates, clauses=system.clauses[1:])
    exact = {"Inv": Relation((P,), t.eq(P, N(0)))}
    assert check_interpretation(without, exact, unfold=["Step"], solvers=solvers).holds
    assert not check_interpretation(system, exact, unfold=["Step"], solvers=solvers).holds


def test_what_depends_on_itself_is_not_unfolded(solvers: InTurn) -> None:
    """Inv is wanted, too, but would have no end; its relation counts."""
    unfold = ["Inv", "Step"]
    good = check_interpretation(climbing(t.lt(X, N(0))), ABOVE_ZERO, unfold=unfold, solvers=solvers)
    assert good.holds
    bad = check_interpretation(climbing(t.lt(X, N(1))), ABOVE_ZERO, unfold=unfold, solvers=solvers)
    assert not bad.holds


def test_definitions_may_be_stacked_high(solvers: InTurn) -> None:
    names = [f"P{number}" for number in range(1500)]
    steps = [Clause(Atom(above, (t.add(X, N(1)),)), (Atom(below, (X,)),), t.TRUE) for below, above in pairwise(names)]
    facts = Clause(Atom(names[0], (N(0),)), (), t.TRUE)
    predicates = {name: Predicate(name, (INT,)) for name in names}
    for bad, holds in ((1498, True), (1499, False)):
        query = Clause(None, (Atom(names[-1], (X,)),), t.eq(X, N(bad)))
        system = HornSystem(predicates=predicates, clauses=(facts, *steps, query))
        assert check_interpretation(system, {}, unfold=names, solvers=solvers).holds == holds


SHARED = InTurn()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_random_interpretations(system: HornSystem, data: st.DataObject) -> None:
    """What satisfies all clauses is confirmed, and what is confirmed satisfies all clauses."""
    least, _ = derivation(system)
    facts: dict[str, frozenset[tuple[int, ...]]] = {}
    for name, arity in ARITIES.items():
        fact = st.tuples(*[st.sampled_from(VALUES)] * arity)
        facts[name] = least[name] ^ data.draw(st.frozensets(fact, max_size=2))
    unfold = data.draw(st.frozensets(st.sampled_from(sorted(ARITIES))))
    found = check_interpretation(system, interpretation(facts), unfold=unfold, spell_out=True, solvers=SHARED)
    if all(satisfies(clause, facts) for clause in system.clauses):
        assert found.holds, found
    if found.holds:
        assert found.interpretation is not None
        meant = counted_out(found.interpretation)
        assert all(satisfies(clause, meant) for clause in system.clauses)


def counted_out(relations: Interpretation) -> Facts:
    return {
        name: frozenset(row for row in product(VALUES, repeat=arity) if holds(relations[name], row))
        for name, arity in ARITIES.items()
    }


def holds(relation: Relation, row: tuple[int, ...]) -> bool:
    state = dict(zip(relation.parameters, row, strict=True))
    return evaluate(relation.formula, state.__getitem__, World()) is True
