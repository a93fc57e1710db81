"""The check of `unsafe`: a derivation is confirmed if every step is right, and rejected if one is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cleave.explain.derivation_trace import derivation_trace
from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Predicate, Step
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.datatypes import Declaration, construct, declare, field
from cleave.logic.datatypes import test as made_by
from cleave.logic.sorts import BOOL, INT, array
from cleave.logic.terms import Function, Op, Term
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.in_turn import CVC5, InTurn
from cleave.validate.confirmation import BY_VALUES
from support.small_horn import VALUES, derivation, instances, systems, value

X, Y, Z = (t.var(name, INT) for name in "xyz")
INV = {"Inv": Predicate("Inv", (INT,))}


def number(value: int) -> Term:
    return t.integer(value)


COUNTER = HornSystem(
    predicates=INV,
    clauses=(
        Clause(Atom("Inv", (X,)), (), t.eq(X, number(0)), Location("counter.smt2", 3, 1)),
        Clause(Atom("Inv", (t.add(X, number(1)),)), (Atom("Inv", (X,)),), t.lt(X, number(10))),
        Clause(None, (Atom("Inv", (X,)),), t.gt(X, number(1)), Location("counter.smt2", 7, 1)),
    ),
)
RIGHT = Derivation(
    (
        Step(0, "Inv", (number(0),), ()),
        Step(1, "Inv", (number(1),), (0,)),
        Step(1, "Inv", (number(2),), (1,)),
        Step(2, None, (), (2,)),
    )
)


@pytest.fixture(scope="module")
def solvers() -> Iterator[InTurn]:
    with InTurn() as found:
        yield found


def changed(place: int, **parts: object) -> Derivation:
    steps = list(RIGHT.steps)
    steps[place] = replace(steps[place], **parts)  # type: ignore[arg-type]
    return Derivation(tuple(steps))


def test_a_derivation_is_confirmed_by_evaluation() -> None:
    found = check_derivation(COUNTER, RIGHT)
    assert found.holds
    assert not found.chosen
    assert found.holds
    assert str(found) == "derivation checked step by step by evaluation"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (Derivation(()), "does not end with false"),
        (Derivation(RIGHT.steps[:-1]), "does not end with false"),
        (changed(1, clause=7), "does not exist"),
        (changed(1, clause=-1), "does not exist"),
        (changed(1, clause=2), "derives Inv"),
        (changed(1, predicate=None, arguments=()), "derives false"),
        (changed(1, premises=()), "0 premises"),
        (changed(1, premises=(0, 0)), "2 premises"),
        (changed(1, premises=(1,)), "no earlier step"),
        (changed(1, premises=(-1,)), "no earlier step"),
        (changed(1, arguments=(t.TRUE,)), "number or sorts"),
        (changed(1, arguments=(X,)), "not ground"),
        (changed(1, arguments=(t.make(Op.ADD, (number(1), t.TRUE), INT),)), "not well-sorted"),
        (changed(1, arguments=(number(5),)), "its constraint is false"),
        (changed(0, arguments=(number(1),)), "its constraint is false"),
        (changed(3, premises=(1,)), "its constraint is false"),
        (Derivation((*RIGHT.steps[:3], RIGHT.steps[3], RIGHT.steps[3])), "not the last one"),
    ],
)
def test_a_wrong_step_is_rejected(wrong: Derivation, reason: str) -> None:
    found = check_derivation(COUNTER, wrong)
    assert not found.holds
    assert reason in found.text
    assert not found.undecided


def test_premises_in_the_wrong_order() -> None:
    predicates = {"A": Predicate("A", (INT,)), "B": Predicate("B", (INT,))}
    system = HornSystem(
        predicates=predicates,
        clauses=(
            Clause(Atom("A", (number(1),)), (), t.TRUE),
            Clause(Atom("B", (number(2),)), (), t.TRUE),
            Clause(None, (Atom("A", (X,)), Atom("B", (Y,))), t.lt(X, Y)),
        ),
    )
    facts = (Step(0, "A", (number(1),), ()), Step(1, "B", (number(2),), ()))
    assert check_derivation(system, Derivation((*facts, Step(2, None, (), (0, 1))))).holds
    found = check_derivation(system, Derivation((*facts, Step(2, None, (), (1, 0)))))
    assert not found.holds
    assert "takes step 1 for a fact of A" in found.text


def jumping(constraint: Term) -> HornSystem:
    rule = Clause(Atom("Inv", (Y,)), (Atom("Inv", (X,)),), constraint)
    return HornSystem(predicates=INV, clauses=(COUNTER.clauses[0], rule, COUNTER.clauses[2]))


def jump(to: int) -> Derivation:
    return Derivation((RIGHT.steps[0], Step(1, "Inv", (number(to),), (0,)), Step(2, None, (), (1,))))


def test_variables_that_are_left_over_are_solved(solvers: InTurn) -> None:
    system = jumping(t.conj(t.eq(Y, t.mul(Z, Z)), t.lt(X, Z)))  # no equation says what z is
    found = check_derivation(system, jump(9), solvers=solvers)
    assert found.holds
    assert found.by == {BY_VALUES: 2, CVC5: 1}
    found = check_derivation(system, jump(8), solvers=solvers)
    assert not found.holds
    assert "step 1" in found.text
    assert "no values satisfy" in found.text


def test_variables_that_equations_determine_are_computed(solvers: InTurn) -> None:
    system = jumping(t.conj(t.eq(Z, t.add(X, number(4))), t.eq(Y, t.mul(Z, Z))))
    found = check_derivation(system, jump(16), solvers=solvers)
    assert found.holds
    assert found.by == {BY_VALUES: 3}
    assert not check_derivation(system, jump(15), solvers=solvers).holds


def test_a_function_means_the_same_in_every_step(solvers: InTurn) -> None:
    f = Function("f", (INT,), INT)
    at_zero = t.apply(f, number(0))
    system = HornSystem(
        predicates=INV,
        clauses=(
            Clause(Atom("Inv", (X,)), (), t.eq(X, at_zero)),
            Clause(None, (Atom("Inv", (X,)),), t.eq(t.add(X, number(1)), at_zero)),
            Clause(None, (Atom("Inv", (X,)),), t.eq(t.apply(f, X), at_zero)),
        ),
        functions=(f,),
    )
    first = Step(0, "Inv", (number(5),), ())
    judged = check_derivation(system, Derivation((first, Step(2, None, (), (0,)))), solvers=solvers)
    assert judged.holds
    assert judged.chosen == "f", "with another f there is no such derivation: the clauses have a solution"
    found = check_derivation(system, Derivation((first, Step(1, None, (), (0,)))), solvers=solvers)
    assert not found.holds
    assert "no functions satisfy" in found.text


def test_so_does_division_by_zero(solvers: InTurn) -> None:
    quotient = t.div(number(7), Y)
    system = HornSystem(
        predicates=INV,
        clauses=(
            Clause(Atom("Inv", (X,)), (), t.conj(t.eq(Y, number(0)), t.eq(X, quotient))),
            Clause(None, (Atom("Inv", (X,)),), t.conj(t.eq(Y, number(0)), t.lt(X, quotient))),
            Clause(None, (Atom("Inv", (X,)),), t.conj(t.eq(Y, number(0)), t.eq(X, quotient))),
        ),
    )
    first = Step(0, "Inv", (number(3),), ())
    assert not check_derivation(system, Derivation((first, Step(1, None, (), (0,)))), solvers=solvers).holds
    assert check_derivation(system, Derivation((first, Step(2, None, (), (0,)))), solvers=solvers).holds


def test_arrays_data_types_and_quantifiers(solvers: InTurn) -> None:
    (lists,) = declare((Declaration("List", (("nil", ()), ("cons", (("head", INT), ("tail", 0))))),))
    m, one = t.var("m", array(INT, INT)), t.var("one", lists)
    system = HornSystem(
        predicates={"R": Predicate("R", (m.sort, lists))},
        clauses=(
            Clause(Atom("R", (t.store(m, number(1), number(2)), construct(lists, 1, X, one))), (), made_by(one, 0)),
            Clause(
                None,
                (Atom("R", (m, one)),),
                t.conj(
                    t.eq(t.select(m, number(1)), field(one, 1, 0)),
                    t.exists((X,), t.eq(t.select(m, X), number(2))),
                ),
            ),
        ),
    )

    def facts(head: int) -> Derivation:
        stored = t.store(t.const_array(INT, number(0)), number(1), number(2))
        made = construct(lists, 1, number(head), construct(lists, 0))
        return Derivation((Step(0, "R", (stored, made), ()), Step(1, None, (), (0,))))

    assert check_derivation(system, facts(2), solvers=solvers).holds
    assert not check_derivation(system, facts(3), solvers=solvers).holds
    trace = derivation_trace(system, facts(2))
    assert trace.steps[0].values == {"m": "[1 := 2, else 0]", "one": "cons(2, nil)"}


def test_a_long_derivation() -> None:
    long = 3000
    system = replace(
        COUNTER, clauses=(COUNTER.clauses[0], replace(COUNTER.clauses[1], constraint=t.TRUE), COUNTER.clauses[2])
    )
    facts = [Step(1, "Inv", (number(place),), (place - 1,)) for place in range(1, long)]
    steps = (RIGHT.steps[0], *facts, Step(2, None, (), (long - 1,)))
    assert check_derivation(system, Derivation(steps)).holds
    trace = derivation_trace(system, Derivation(steps))
    assert sum(step.relevant for step in trace.steps) == 60


def test_the_trace_tells_facts_and_where_they_come_from() -> None:
    trace = derivation_trace(COUNTER, RIGHT)
    assert [step.text for step in trace.steps] == [
        "0: Inv by clause 0",
        "1: Inv by clause 1",
        "2: Inv by clause 1",
        "3: false by query 2",
    ]
    assert [dict(step.values) for step in trace.steps] == [{"x": "0"}, {"x": "1"}, {"x": "2"}, {}]
    assert trace.steps[-1].kind == "violation"
    assert trace.violated == "false is derived by Inv(x) && 1 < x"
    assert trace.location == Location("counter.smt2", 7, 1)


def test_a_truth_value_in_the_trace() -> None:
    flag = t.var("flag", BOOL)
    system = HornSystem(
        predicates={"R": Predicate("R", (BOOL, INT))},
        clauses=(
            Clause(Atom("R", (flag, number(-1))), (), flag),
            Clause(None, (Atom("R", (flag, X)), Atom("R", (flag, X))), t.TRUE),
        ),
    )
    steps = Derivation((Step(0, "R", (t.TRUE, number(-1)), ()), Step(1, None, (), (0, 0))))
    assert check_derivation(system, steps).holds
    trace = derivation_trace(system, steps)
    assert trace.steps[0].values == {"flag": "true", "x": "-1"}
    assert trace.steps[1].text == "1: false by query 1 from 0, 0"


SHARED = InTurn()


def truly_derived(system: HornSystem, found: Derivation) -> bool:
    """By enumeration of all instances of the clauses."""
    facts = [
        None if step.predicate is None else (step.predicate, tuple(a.value for a in step.arguments))
        for step in found.steps
    ]
    rows = {number: set(instances(system.clauses[number])) for number in {step.clause for step in found.steps}}
    return all(
        (facts[place], tuple(facts[premise] for premise in step.premises)) in rows[step.clause]
        for place, step in enumerate(found.steps)
    )


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems(), st.data())
def test_random_derivations_are_judged_as_enumeration_does(system: HornSystem, data: st.DataObject) -> None:
    _, found = derivation(system)
    assume(found is not None)
    assert found is not None
    assert check_derivation(system, found, solvers=SHARED).holds
    steps = list(found.steps)
    place = data.draw(st.integers(0, len(steps) - 1))
    step = steps[place]
    how = data.draw(st.sampled_from(["argument", "premise", "clause"]))
    if how == "argument" and step.arguments:
        steps[place] = replace(step, arguments=(value(data.draw(st.sampled_from(VALUES))), *step.arguments[1:]))
    elif how == "premise" and step.premises:
        steps[place] = replace(step, premises=(data.draw(st.integers(0, place - 1)), *step.premises[1:]))
    else:
        steps[place] = replace(step, clause=data.draw(st.integers(0, len(system.clauses) - 1)))
    mutated = Derivation(tuple(steps))
    judged = check_derivation(system, mutated, solvers=SHARED)
    assert judged.holds == truly_derived(system, mutated), judged
