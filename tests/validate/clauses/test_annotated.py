"""Conditions at blocks are confirmed if every block passes them on, and rejected otherwise, whoever made them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest

from cleave.ir.program import Assert, Program, Property
from cleave.ir.reader import read_program
from cleave.logic import terms as t
from cleave.logic.sorts import INT
from cleave.logic.terms import Term
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.entries import single_entry
from cleave.passes.prepare import only_reachable
from cleave.passes.ranges import ranges_of
from cleave.validate.clauses.annotated import Conditions, check_annotated
from cleave.validate.clauses.in_turn import InTurn
from support.programs import EVERYTHING, ProgramMaker, Reference, TooManyPaths

X, G, P, R = (t.var(name, INT) for name in "xgpr")

PROGRAM = """
var g: Int
proc up(p: Int) -> (r: Int) {
  local x: Int
  b:
    x := p
    r := (+ x 1)
    g := r
    return
}
proc main() -> () {
  local x: Int
  local y: Int
  start:
    x := 0
    goto head
  head:
    goto body, out
  body:
    assume (< x 10)
    call up(x) -> (x)
    goto head
  out:
    assume (not (< x 10))
    assert (= x 10)
    assert (= g 10)
    return
}
"""
RIGHT: Mapping[tuple[str, str | None], tuple[Term, ...]] = {
    ("main", "head"): (t.le(X, t.integer(10)), t.ge(X, t.integer(0))),
    ("main", "body"): (t.le(X, t.integer(10)),),
    ("main", "out"): (t.le(X, t.integer(10)),),
    ("up", "b"): (t.le(P, t.integer(9)),),
    ("up", None): (t.le(R, t.integer(10)), t.le(G, t.integer(10))),
}
FIRST, SECOND = ("main", "out", 1), ("main", "out", 2)


@pytest.fixture(scope="module")
def solvers() -> Iterator[InTurn]:
    with InTurn() as found:
        yield found


def judged(solvers: InTurn, changes: Conditions, claimed: tuple[tuple[str, str, int], ...] = ()) -> str:
    found = check_annotated(read_program(PROGRAM), "main", {**RIGHT, **changes}, claimed, solvers)
    return "" if found.holds else found.text


def test_conditions_that_every_block_passes_on_are_confirmed(solvers: InTurn) -> None:
    lower: Conditions = {("main", "head"): (t.le(X, t.integer(10)),)}
    assert judged(solvers, lower, (FIRST,)) == ""


@pytest.mark.parametrize(
    "changes",
    [
        {("main", "start"): (t.le(G, t.integer(5)),)},  # nothing holds at the start
        {("main", "head"): (t.le(X, t.integer(9)),)},  # not passed on by the loop
        {("main", "head"): (t.eq(X, t.integer(0)),)},
        {("up", "b"): (t.le(P, t.integer(8)),)},  # not what callers pass
        {("up", None): (t.le(R, t.integer(9)),)},  # not what the body returns
        {("up", None): (), ("main", "body"): (), ("main", "head"): (t.le(X, t.integer(10)),)},  # nothing known of calls
        {("main", "out"): (t.FALSE,)},  # it is reached
        {("main", None): (t.FALSE,)},
        {("main", "out"): (t.eq(G, t.integer(10)),)},  # without a round the loop leaves g as it was
        {("up", "b"): (t.eq(X, t.integer(0)),)},  # a local has any value at the entry
        {("up", None): (t.eq(X, R),)},  # and none after the return
        {("main", "nowhere"): (t.TRUE,)},
    ],
)
def test_conditions_that_do_not_hold_are_rejected(solvers: InTurn, changes: Conditions) -> None:
    assert judged(solvers, {("main", "head"): (t.le(X, t.integer(10)),), **changes}) != ""


def test_an_assertion_that_does_not_follow_is_rejected(solvers: InTurn) -> None:
    plain: Conditions = {("main", "head"): (t.le(X, t.integer(10)),)}
    assert judged(solvers, plain, (SECOND,)).endswith("passes on does not hold")
    assert judged(solvers, plain, (("main", "out", 0),)) == "there is no assertion 0 in block out of main"


def prepared(program: Program) -> tuple[Program, str]:
    program = only_reachable(program, ("main",))
    program, _ = contracts_to_statements(program)
    program, entry, _ = single_entry(program, ("main",))
    return only_reachable(program, (entry,)), entry


@pytest.mark.parametrize("seed", range(25))
def test_intervals_of_random_programs_are_confirmed_and_prove_nothing_wrong(seed: int, solvers: InTurn) -> None:
    given = ProgramMaker(random.Random(seed), EVERYTHING).program()
    program, entry = prepared(given)
    found = ranges_of(program, entry)
    places = [(one.name, label) for one in program.procedures.values() for label in (*one.blocks, None)]
    conditions = {place: found.conditions(*place) for place in places}
    assert check_annotated(program, entry, conditions, found.proved, solvers).holds
    asserted = set(_assertions(program))
    is_end = program.property is Property.END_REACHABLE
    if (is_end and (entry, None) not in found.states) or (not is_end and asserted <= found.proved):
        try:
            assert not Reference(given, bound=2, steps=100).violates("main")
        except TooManyPaths:
            return


def _assertions(program: Program) -> Iterator[tuple[str, str, int]]:
    for procedure in program.procedures.values():
        for label, block in procedure.blocks.items():
            for number, statement in enumerate(block.statements):
                if isinstance(statement, Assert):
                    yield procedure.name, label, number
