"""Cartesian abstraction against the definition of it, by brute force over a small range of values."""

from __future__ import annotations

import gc
import random
import weakref
from itertools import product

import pytest

from cleave.engines.cegar.abstraction import Abstraction
from cleave.ir.transition_system import ControlLocation, Transition, TransitionSystem
from cleave.logic.sorts import INT
from cleave.logic.terms import Term, add, conj_all, eq, integer, le, lt, neg, value_of, var
from cleave.logic.walk import substitute

X, Y = var("x", INT), var("y", INT)
RANGE = range(-3, 4)
IN_RANGE = [le(integer(-3), X), le(X, integer(3)), le(integer(-3), Y), le(Y, integer(3))]


def _atom(chance: random.Random) -> Term:
    left, right = chance.choice([X, Y, add(X, Y)]), chance.choice([Y, integer(chance.randrange(-3, 4))])
    return chance.choice([le(left, right), lt(left, right), eq(left, right), neg(eq(left, right))])


def _system(chance: random.Random) -> TransitionSystem:
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("a", (X, Y)))
    updates = [X, Y, add(X, Y), add(X, integer(1)), integer(2)]
    transitions = [
        Transition(2, 2, conj_all([*IN_RANGE, _atom(chance)]), (chance.choice(updates), chance.choice(updates)))
        for _ in range(3)
    ]
    return TransitionSystem(locations, tuple(transitions))


def _by_definition(system: TransitionSystem, predicates: list[Term], number: int, bits: int) -> int | None:
    transition = system.transitions[number]
    held = (1 << len(predicates)) - 1
    is_possible = False
    for x, y in product(RANGE, RANGE):
        before = {X: value_of(x, INT), Y: value_of(y, INT)}
        state = [transition.guard, *(p for place, p in enumerate(predicates) if bits >> place & 1)]
        if all(substitute(part, before).is_true for part in state):
            is_possible = True
            after = dict(zip((X, Y), (substitute(update, before) for update in transition.updates), strict=True))
            held &= sum(substitute(p, after).is_true << place for place, p in enumerate(predicates))
    return held if is_possible else None


@pytest.mark.parametrize("seed", range(12))
def test_posts_are_those_of_the_definition_whatever_was_asked_before(seed: int) -> None:
    chance = random.Random(seed)
    system = _system(chance)
    predicates: list[Term] = []
    abstraction = Abstraction(system)
    for _ in range(3):  # iterations
        for _ in range(2):
            predicates.append(_atom(chance))
            abstraction.learn(2, predicates[-1])
        for _ in range(12):
            number, bits = chance.randrange(3), chance.getrandbits(len(predicates))
            assert abstraction.post(number, bits) == _by_definition(system, predicates, number, bits)


def test_what_is_known_is_not_asked_again() -> None:
    system = _system(random.Random(5))
    abstraction = Abstraction(system)
    abstraction.learn(2, le(X, integer(0)))
    first = abstraction.post(0, 1)
    asked = abstraction.queries
    assert asked > 0
    assert abstraction.post(0, 1) == first
    assert abstraction.queries == asked


def test_only_predicates_from_a_number_on_are_looked_at() -> None:
    locations = (ControlLocation("start"), ControlLocation("error"), ControlLocation("a", (X,)))
    system = TransitionSystem(locations, (Transition(0, 2, eq(X, X), (integer(1),)),))
    abstraction = Abstraction(system)
    for bound in (0, 1, 2):
        abstraction.learn(2, le(integer(bound), X))
    assert abstraction.post(0, 0) == 0b011
    assert abstraction.post(0, 0, since=1) == 0b010


@pytest.mark.parametrize("seed", range(6))
def test_facts_of_others_are_answers_that_need_no_solver(seed: int) -> None:
    chance = random.Random(seed)
    system = _system(chance)
    one, other = Abstraction(system), Abstraction(system)
    predicates = [_atom(chance) for _ in range(4)]
    for predicate in predicates:
        one.learn(2, predicate)
        other.learn(2, predicate)
    questions = [(chance.randrange(3), chance.getrandbits(4)) for _ in range(10)]
    answers = [one.post(number, bits) for number, bits in questions]
    other.tell(one.news())
    assert one.news() == ()
    assert [other.post(number, bits) for number, bits in questions] == answers
    assert other.queries == 0
    further = _atom(chance)  # which is looked up in the values of others' witnesses
    other.learn(2, further)
    for number, bits in questions:
        assert other.post(number, bits | 1 << 4) == _by_definition(
            system, [*predicates, further], number, bits | 1 << 4
        )


def test_a_solver_is_freed_with_its_abstraction() -> None:
    """At once, not when garbage is looked for: Python does not see the memory of the solver, 16 MB."""
    abstraction = Abstraction(_system(random.Random(0)))
    abstraction.learn(2, le(integer(0), X))
    abstraction.post(0, 0)
    freed = weakref.ref(abstraction)
    gc.disable()
    try:
        del abstraction
        assert freed() is None
    finally:
        gc.enable()
