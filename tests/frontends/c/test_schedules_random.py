"""Random threads with atomic blocks, locks, condition variables and barriers: assertions, races and deadlocks are found
exactly where some interleaving at single accesses has them. `python -m bench schedules` does the same for thousands."""

from __future__ import annotations

import random

import pytest
from bench.schedules_oracle import Condition, Machine, Operation, Value, explored, ordered_race
from bench.schedules_programs import random_program
from bench.schedules_run import Tally, judge

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

READ, WRITE = Operation("read", "x"), Operation("write", "x", value=Value((), 1))
BEGIN, END = Operation("begin"), Operation("end")
SPAWN, JOIN = Operation("spawn", "1"), Operation("join", "1")


def machine(main: list[Operation], thread: list[Operation]) -> Machine:
    return Machine([[SPAWN, *main], thread], {"x": 0}, {"b": 2})


@pytest.mark.parametrize("seed", [87, 94, 121, 128, *range(300, 308)])
def test_small_programs_agree_with_all_their_interleavings(seed: int) -> None:
    tally = Tally()
    judge(seed, tally)
    assert tally.formulas
    assert tally.wrong == []


@pytest.mark.parametrize(
    ("main", "thread", "race"),
    [
        ([READ], [WRITE], True),
        ([READ], [READ], False),
        ([READ], [BEGIN, READ, WRITE, END], True),
        ([BEGIN, READ, END], [BEGIN, WRITE, END], False),
        ([Operation("load", "x")], [BEGIN, WRITE, END], False),
        ([READ], [Operation("exchange", "x", expected=1)], False),
        ([READ], [Operation("exchange", "x", expected=0)], True),
        ([JOIN, READ], [WRITE], False),
        ([Operation("lock", "m"), READ, Operation("unlock", "m")], [Operation("lock", "m"), WRITE], False),
        ([Operation("meet", "b"), READ], [WRITE, Operation("meet", "b")], False),
        ([READ, Operation("meet", "b")], [WRITE, Operation("meet", "b")], True),
    ],
)
def test_the_oracle_knows_a_race(main: list[Operation], thread: list[Operation], race: bool) -> None:
    tested = machine(main, thread)
    assert explored(tested).race is race
    assert any(ordered_race(tested, random.Random(seed)) for seed in range(20)) is race


def test_the_oracle_knows_deadlocks_and_violations() -> None:
    waits = [Operation("lock", "m"), Operation("wait", "c", mutex="m"), Operation("unlock", "m")]
    signals = [Operation("signal", "c")]
    lost = explored(machine([*waits], signals))
    assert lost.deadlock
    assert not explored(machine([Operation("lock", "m"), Operation("unlock", "m")], [Operation("lock", "m")])).violation
    fails = Operation("assert", condition=Condition(Value((0,)), False, 1))
    assert explored(machine([Operation("read", "x"), fails], [WRITE])).violation


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_two_definitions_of_a_race_agree(first: int) -> None:
    """Where happens-before leaves two accesses unordered, some interleaving has them side by side."""
    found = 0
    for seed in range(first, first + 20):
        tested = random_program(seed).machine()
        unordered = any(ordered_race(tested, random.Random(number)) for number in range(10))
        found += unordered
        assert explored(tested).race or not unordered
    assert found
