"""Replaying schedules, and trying all of them."""

from __future__ import annotations

import pytest

from cleave.errors import UnsupportedError
from cleave.explain.folding import compact
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.ir.schedule import Context, Schedule
from cleave.validate.proofs.interleavings import TooLargeError, explore
from cleave.validate.violations.concurrent import replay

LOST_UPDATE = """
var x: (_ BitVec 2)
proc main() -> () {
  local t: (_ BitVec 2)
  a:
    x := #b00
    spawn add() -> (t)
    spawn add() -> ()
    join t
    assert (not (= x #b01))
    return
}
proc add() -> () {
  local seen: (_ BitVec 2)
  a:
    seen := x
    x := (bvadd seen #b01)
    return
}
"""
ATOMIC = """
var x: (_ BitVec 2)
proc main() -> () {
  a:
    x := #b00
    spawn other() -> ()
    assert (not (= x #b01))
    return
}
proc other() -> () {
  a:
    atomic begin
    x := #b01
    x := #b10
    atomic end
    return
}
"""
VALUES = {0: [("x", 0), ("t", 0)], 1: [("seen", 0)], 2: [("seen", 0)]}


def program(text: str) -> Program:
    return read_program(text)


def reason(text: str, schedule: Schedule) -> str:
    judged = replay(program(text), "main", schedule)
    assert not judged.holds
    return judged.text


def test_a_lost_update_is_replayed() -> None:
    # Main starts both and waits; thread 1 reads, thread 2 reads and writes, thread 1 writes; main asserts.
    contexts = (Context(0, 4), Context(1, 2), Context(2, 3), Context(1, 1), Context(0, 2))
    judged = replay(program(LOST_UPDATE), "main", Schedule(contexts, VALUES))
    trace = judged.trace
    assert trace is not None
    headers = [step.text for step in trace.steps if step.kind == "context"]
    assert [text.split(":")[1].strip() for text in headers] == [f"thread {n}" for n in (0, 1, 2, 1, 0)]
    written = [(step.thread, dict(step.values)["x"]) for step in trace.steps if "x" in step.values and step.thread]
    assert written == [(2, "1bv2"), (1, "1bv2")]
    shown = compact(trace)
    assert {step.thread for step in shown.steps if step.kind == "assign"} == {0, 1, 2}, "what is overwritten, too"


@pytest.mark.parametrize(
    ("contexts", "why"),
    [
        ((Context(1, 1),), "first context"),
        ((Context(0, 2), Context(1, 1)), "has not been started"),
        ((Context(0, 4), Context(1, 3), Context(0, 2)), "when the last context ended"),
        ((Context(0, 4), Context(1, 3), Context(2, 3), Context(0, 3)), "entry returned"),
    ],
)
def test_what_is_against_the_rules_is_refuted(contexts: tuple[Context, ...], why: str) -> None:
    text = LOST_UPDATE if len(contexts) != 3 else LOST_UPDATE.replace("#b01))\n    return", "#b11))\n    return")
    assert why in reason(text, Schedule(contexts, VALUES))


def test_values_must_fit() -> None:
    contexts = (Context(0, 4), Context(1, 2))
    assert "is for y" in reason(LOST_UPDATE, Schedule(contexts, {0: [("y", 0)]}))
    assert "no value is left" in reason(LOST_UPDATE, Schedule(contexts, {0: VALUES[0]}))


def test_nobody_interrupts_an_atomic_block() -> None:
    values = {0: [("x", 0)]}
    contexts = (Context(0, 3), Context(1, 3), Context(0, 1))
    assert "atomic block" in reason(ATOMIC, Schedule(contexts, values))


def test_the_fewest_contexts_are_found() -> None:
    assert explore(program(LOST_UPDATE), "main").contexts == 3  # thread 2 need not run at all
    both = LOST_UPDATE.replace("join t", "join t\n    assume (not (= x #b01))").replace(
        "(not (= x #b01))\n    return", "true\n    return"
    )
    assert explore(program(both), "main").contexts is None


def test_atomic_blocks_are_not_seen_in_between() -> None:
    found = explore(program(ATOMIC), "main")
    assert found.contexts is None
    assert found.complete
    assert not explore(program(ATOMIC), "main", most=2).complete
    assert (
        explore(program(ATOMIC.replace("    atomic begin\n", "").replace("    atomic end\n", "")), "main").contexts == 3
    )


def test_what_is_too_large_is_told() -> None:
    with pytest.raises(TooLargeError):
        explore(program(LOST_UPDATE), "main", states=10)
    wide = LOST_UPDATE.replace("x := #b00", "havoc x").replace("(_ BitVec 2)", "(_ BitVec 32)")
    wide = wide.replace("#b01", "(_ bv1 32)")
    with pytest.raises(UnsupportedError):
        explore(program(wide), "main")


def test_waiting_for_oneself_is_for_ever() -> None:
    text = """
proc main() -> () {
  local me: Int
  a:
    self me
    join me
    assert false
    return
}
"""
    assert explore(program(text.replace("Int", "(_ BitVec 2)")), "main").contexts is None


# A number is not below all others, but no finite number of instances shows it: what can't be decided confirms nothing.
QUANTIFIED = """
var small: Bool
proc main() -> () {
  local other: Int
  a:
    spawn other() -> ()
    %s
    return
}
proc other() -> () {
  a:
    small := true
    return
}
"""
_LEAST = "(exists ((y Int)) (forall ((z Int)) (<= y z)))"


@pytest.mark.parametrize("statement", [f"assert (not {_LEAST})", f"small := {_LEAST}"])
def test_what_a_quantifier_leaves_open_is_not_called_explored(statement: str) -> None:
    with pytest.raises(UnsupportedError):
        explore(program((QUANTIFIED % statement).replace("  local other: Int\n", "")), "main")


def test_axioms_are_not_passed_over() -> None:
    judged = replay(program("axiom false\n" + ATOMIC), "main", Schedule((Context(0, 3),), {0: [("x", 0)]}))
    assert not judged.holds
    assert "axioms" in judged.text
