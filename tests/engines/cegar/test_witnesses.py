"""What models that a solver found say about predicates, for those who have them and for those who were told of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cleave.engines.cegar.abstraction import Abstraction
from cleave.engines.cegar.facts import FactBoard
from cleave.engines.cegar.messages import Implied, Witnessed
from cleave.engines.cegar.witnesses import Side, Witness, members, truth_by, written
from cleave.ir.transition_system import ControlLocation, Transition, TransitionSystem
from cleave.logic.sorts import BOOL, INT, REAL, Sort, bitvec
from cleave.logic.terms import TRUE, Term, add, bv, conj_all, div, eq, integer, le, lt, neg, real, value_of, var
from cleave.smt.z3 import PLAIN, Z3Solver

X, R, B = var("x", INT), var("r", REAL), var("b", BOOL)
BITS = var("v", bitvec(8))


def _written(formula: Term, variables: tuple[Term, ...]) -> tuple[str, ...]:
    solver = Z3Solver(profile=PLAIN)
    solver.add(formula)
    solver.check()
    return written(solver.model(), variables)


def test_values_say_what_the_model_did() -> None:
    formula = conj_all([eq(X, integer(-3)), eq(R, real(Fraction(5, 2))), B])
    values = _written(formula, (X, R, B))
    assert values == ("-3", "5/2", "1")
    truth = truth_by((X, R, B), values)
    assert truth(lt(X, integer(0))) is True
    assert truth(le(real(3), R)) is False
    assert truth(neg(B)) is False
    assert truth(eq(BITS, bv(0, 8))) is None
    assert truth(eq(div(X, integer(0)), X)) is None  # which a solver's model decides as it likes


def test_of_what_is_no_number_nothing_is_written() -> None:
    assert _written(eq(BITS, bv(3, 8)), (X, BITS)) == ()
    assert truth_by((X, BITS), ())(le(X, X)) is None


def test_each_predicate_is_looked_up_once_and_only_if_it_matters() -> None:
    asked: list[Term] = []

    def truth(formula: Term) -> bool:
        asked.append(formula)
        return formula is not low

    low, middle, high = (le(X, integer(bound)) for bound in (0, 5, 9))
    witness = Witness(truth, Side(0b100, 0b100), Side())
    assert not witness.belongs(0b111, (low, middle, high))
    assert not witness.belongs(0b001, (low, middle, high))
    assert asked == [low]
    assert witness.belongs(0b110, (low, middle, high))
    assert witness.refutes(0, (low,))
    assert witness.refutes(0, (low,))
    assert asked == [low, middle, low]  # before the transition, and after it


def test_what_nobody_knows_is_neither_a_state_of_nor_refuted() -> None:
    witness = Witness(lambda formula: None, Side(0b1, 0b1), Side())
    assert witness.belongs(0b1, (TRUE, TRUE))
    assert not witness.belongs(0b11, (TRUE, TRUE))
    assert not witness.refutes(0, (TRUE,))


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
