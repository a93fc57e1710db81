"""Transition systems: their text, their inputs, and what is no well-formed one."""

from __future__ import annotations

import pytest

from cleave.errors import InternalError
from cleave.ir.transition_system import (
    ERROR,
    START,
    ControlLocation,
    Transition,
    TransitionSystem,
    check_system,
    print_system,
)
from cleave.logic.sorts import INT
from cleave.logic.terms import TRUE, add, eq, integer, lt, var

X, Y, N = var("x", INT), var("y", INT), var("n", INT)
LOOP = 2
LOCATIONS = (ControlLocation("start"), ControlLocation("error"), ControlLocation("loop", (X,)))
STEP = Transition(LOOP, LOOP, lt(X, N), (add(X, N),))


def _system(*transitions: Transition, locations: tuple[ControlLocation, ...] = LOCATIONS) -> TransitionSystem:
    return TransitionSystem(locations, transitions)


def test_the_text_form() -> None:
    system = _system(Transition(START, LOOP, TRUE, (integer(0),)), STEP, Transition(LOOP, ERROR, lt(X, integer(0))))
    check_system(system)
    assert print_system(system) == (
        "locations\n"
        "  0 start\n"
        "  1 error\n"
        "  2 loop(x: Int)\n"
        "transitions\n"
        "  0 start -> loop: assume true; x := 0\n"
        "  1 loop -> loop: assume (< x n); x := (+ x n)\n"
        "  2 loop -> error: assume (< x 0)\n"
    )


def test_inputs_are_what_is_not_the_sources() -> None:
    system = _system(STEP, Transition(START, LOOP, eq(N, Y), (add(N, Y),)))
    assert [system.inputs(one) for one in system.transitions] == [(N,), (N, Y)]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (_system(Transition(LOOP, LOOP, X, (X,))), "guard of transition 0"),
        (_system(STEP, Transition(LOOP, LOOP, TRUE, ())), "updates of transition 1"),
        (_system(Transition(LOOP, LOOP, TRUE, (TRUE,))), "updates of transition 0"),
        (_system(locations=(ControlLocation("start", (X,)), *LOCATIONS[1:])), "start can't have variables"),
        (_system(locations=(*LOCATIONS[:2], ControlLocation("loop", (X, X)))), "loop are not distinct"),
    ],
)
def test_what_is_not_well_formed(system: TransitionSystem, message: str) -> None:
    with pytest.raises(InternalError, match=message):
        check_system(system)
