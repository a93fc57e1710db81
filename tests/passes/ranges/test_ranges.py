"""Intervals and congruences of whole programs."""

from __future__ import annotations

from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.logic.terms import FALSE
from cleave.passes.ranges import ranges_of

LOOP = """
proc main() -> () {
  local i: (_ BitVec 8)
  local n: Int
  start:
    i := (_ bv3 8)
    n := 0
    goto head
  head:
    goto body, out
  body:
    assume (bvslt i (_ bv50 8))
    i := (bvadd i (_ bv3 8))
    n := (- n 1)
    goto head
  out:
    assume (not (bvslt i (_ bv50 8)))
    assert (= i (_ bv51 8))
    assert (<= n 0)
    assert (= n 5)
    return
}
"""

CALLS = """
var g: Int
proc twice(p: Int) -> (r: Int) {
  b:
    r := (+ p p)
    g := 7
    return
}
proc deep(p: Int) -> (r: Int) {
  b:
    goto stop, more
  stop:
    assume (<= p 0)
    r := 1
    return
  more:
    assume (< 0 p)
    call deep((- p 1)) -> (r)
    return
}
proc main() -> () {
  local x: Int
  local y: Int
  start:
    g := 0
    x := 2
    call twice(x) -> (y)
    assert (= y 4)
    assert (= g 7)
    assert (= x 2)
    call deep(100) -> (x)
    assert (= x 1)
    return
}
"""


def program(text: str) -> Program:
    return read_program(text)


def shown(text: str, label: str, procedure: str = "main") -> dict[str, str]:
    state = ranges_of(program(text), "main").states[procedure, label]
    return {variable.name: repr(found.signed) for variable, found in state.items()}


def test_widening_and_narrowing_find_the_bounds_of_a_loop() -> None:
    assert shown(LOOP, "head") == {"i": "3..51 step 3", "n": "..0"}
    assert shown(LOOP, "body") == {"i": "3..51 step 3", "n": "..0"}


def test_what_can_fail_is_not_proved() -> None:
    found = ranges_of(program(LOOP), "main")
    assert found.proved == {("main", "out", 1), ("main", "out", 2)}
    assert found.heads == {("main", "head")}


def test_procedures_have_one_state_for_all_calls() -> None:
    found = ranges_of(program(CALLS), "main")
    assert {number for _, _, number in found.proved} == {3, 4, 5, 7}
    assert shown(CALLS, "more", "deep")["g"] == "7"
    assert shown(CALLS, "b", "twice") == {"g": "0", "p": "2"}


def test_what_is_never_reached_is_false() -> None:
    dead = LOOP.replace("assume (not (bvslt i (_ bv50 8)))", "assume (bvslt i (_ bv3 8))")
    found = ranges_of(program(dead), "main")
    assert found.conditions("main", None) == (FALSE,)
    assert {number for _, _, number in found.proved} == {1, 2, 3}, "no execution comes to them"
