"""What models that a solver found say about predicates, for those who have them and for those who were told of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cleave.engines.cegar.abstraction import Abstraction
from cleave.engines.cegar.facts import FactBoard
from cleave.engines.cegar.messages import Implied, Witnessed
from cleave.engines.cegar.points import LocationPredicates, Point, Step, read_numbers, written
from cleave.engines.cegar.witnesses import Side, Witness, members
from cleave.ir.transition_system import ControlLocation, Transition, TransitionSystem
from cleave.logic.sorts import BOOL, INT, REAL, Sort, bitvec
from cleave.logic.terms import (
    TRUE,
    Term,
    add,
    bv,
    conj_all,
    disj,
    div,
    eq,
    integer,
    le,
    lt,
    mod,
    mul,
    neg,
    real,
    to_real,
    value_of,
    var,
)
from cleave.smt.z3.solver import PLAIN, Z3Solver

X, R, B = var("x", INT), var("r", REAL), var("b", BOOL)
BITS = var("v", bitvec(8))


def _written(formula: Term, terms: tuple[Term, ...]) -> tuple[str, ...] | None:
    solver = Z3Solver(profile=PLAIN)
    solver.add(formula)
    solver.check()
    return written(solver.model(), terms)


def test_values_say_what_the_model_did() -> None:
    formula = conj_all([eq(X, integer(-3)), eq(R, real(Fraction(5, 2))), B])
    values = _written(formula, (X, R, B, add(X, integer(1))))
    assert values == ("-3", "5/2", "1", "-2")
    predicates = LocationPredicates((X, R, B))
    expected = {
        lt(X, integer(0)): True,
        le(real(3), R): False,
        lt(R, real(Fraction(5, 2))): False,
        le(add(to_real(X), mul(real(2), R)), real(2)): True,
        eq(R, real(Fraction(5, 2))): True,
        neg(eq(X, integer(-3))): False,
        neg(B): False,
        disj(B, le(integer(0), X)): True,  # by cases
        eq(mod(X, integer(2)), integer(1)): True,
        eq(div(X, integer(0)), X): None,  # which a solver's model decides as it likes
    }
    for predicate in expected:
        predicates.learn(predicate)
    point = Point(lambda: read_numbers(values[:3]))
    assert [predicates.holds(one, point) for one in range(len(expected))] == list(expected.values())


def test_what_a_transition_makes_of_values_is_what_the_model_says() -> None:
    """Of linear updates, those that only copy, and those that are written down as they are."""
    delta = var("delta", REAL)
    updates = (
        mul(integer(2), add(X, integer(1))),
        add(mul(real(Fraction(1, 3)), R), delta),
        neg(B),
        R,
        TRUE,
        mod(X, integer(2)),
        mul(R, R),
    )
    step = Step((X, R, B), (delta,), updates)
    assert step.terms == (X, R, B, delta, neg(B), mod(X, integer(2)), mul(R, R))
    solver = Z3Solver(profile=PLAIN)
    solver.add(conj_all([eq(X, integer(-3)), eq(R, real(Fraction(5, 2))), B, eq(delta, real(Fraction(1, 7)))]))
    solver.check()
    values = written(solver.model(), step.terms)
    assert values is not None
    numbers, scale = step.taken(*read_numbers(values))
    expected = [Fraction(solver.model().value(update)) for update in updates]
    assert [Fraction(number, scale) for number in numbers] == expected


def test_of_what_is_no_number_nothing_is_written() -> None:
    assert _written(eq(BITS, bv(3, 8)), (X, BITS)) is None


def test_each_predicate_is_looked_up_once_and_only_if_it_matters() -> None:
    asked: list[int] = []

    def truth(one: int) -> bool:
        asked.append(one)
        return one != 0

    witness = Witness(Side(truth, 0b100, 0b100), Side(truth))
    assert not witness.belongs(0b111)
    assert not witness.belongs(0b001)
    assert asked == [0]
    assert witness.belongs(0b110)
    assert witness.refutes(0)
    assert witness.refutes(0)
    assert asked == [0, 1, 0]  # before the transition, and after it


def test_what_nobody_knows_is_neither_a_state_of_nor_refuted() -> None:
    witness = Witness(Side(lambda one: None, 0b1, 0b1), Side(lambda one: None))
    assert witness.belongs(0b1)
    assert not witness.belongs(0b11)
    assert not witness.refutes(0)


def test_members_of_a_set() -> None:
    assert list(members(0)) == []
    assert list(members(0b1000101)) == [0, 2, 6]


@pytest.mark.parametrize(("sort", "is_asked"), [(INT, False), (bitvec(8), True)])
def test_who_was_told_need_not_ask_about_later_predicates(sort: Sort, is_asked: bool) -> None:
    """If the values are numbers: then they are told, too."""
    variable = var("y", sort)
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("a", (variable,)))
    system = TransitionSystem(locations, (Transition(2, 2, TRUE, (variable,)),))
    one, other = Abstraction(system), Abstraction(system)
    for abstraction in (one, other):
        abstraction.learn(2, neg(eq(variable, value_of(1, sort))))
    assert one.post(0, 0) == 0
    other.tell(one.news())
    assert other.post(0, 0) == 0
    assert other.queries == 0
    for abstraction in (one, other):
        abstraction.learn(2, eq(variable, value_of(7, sort)))  # which the witness against the first one refutes
    assert other.post(0, 0) == one.post(0, 0) == 0
    assert bool(other.queries) is is_asked


def test_who_is_alone_has_no_news() -> None:
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("a", (X,)))
    system = TransitionSystem(locations, (Transition(2, 2, TRUE, (add(X, integer(1)),)),))
    for is_alone in (False, True):
        abstraction = Abstraction(system, is_alone=is_alone)
        abstraction.learn(2, le(integer(0), X))
        assert abstraction.post(0, 0b1) == 0b1
        assert abstraction.post(0, 0b0) == 0b0
        assert bool(abstraction.news()) is not is_alone


def test_facts_go_to_those_who_look_at_their_transition() -> None:
    board = FactBoard()
    first, second = Implied(4, None, b"\1"), Witnessed(5, b"", b"", b"", b"")
    board.add(1, first)
    board.add(1, second)
    assert board.news(2, [5, 5]) == (second,)
    assert board.news(2, [4, 5]) == (first,)
    assert board.news(2, [4, 5, 6]) == ()
    assert board.news(1, [4, 5]) == ()
    board.forget(2)
    assert board.news(2, [4]) == (first,)
