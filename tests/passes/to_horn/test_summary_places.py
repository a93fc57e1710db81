"""Which places of a program the predicates speak of, and in which words."""

from __future__ import annotations

from cleave.ir.program import old
from cleave.ir.reader import read_program
from cleave.logic.sorts import INT
from cleave.logic.terms import Term, var
from cleave.passes.to_horn import Limits, Place, program_to_horn

PROGRAM = """
const c: Int
function f(Int) -> Int
var g: Int
var h: Int
proc main() -> () {
  local x: Int
  m:
    call p((+ c 1)) -> (x)
    assert (= (+ x g) (+ h (f x)))
    return
}
proc p(a: Int) -> (r: Int) {
  b:
    r := a
    goto loop
  loop:
    g := (+ g a)
    r := (+ r (f c))
    goto loop, out
  out:
    return
}
"""
NO_COPIES = Limits(small=0, caller=0)


def integer_variable(name: str) -> Term:
    return var(name, INT)


def test_a_return_and_a_loop() -> None:
    horn = program_to_horn(read_program(PROGRAM), ("main",), NO_COPIES)
    a, r, g, c = map(integer_variable, "argc")
    summary, loop = horn.places["p"], horn.places["p:loop"]
    assert (summary.procedure, summary.label, loop.procedure, loop.label) == ("p", None, "p", "loop")
    assert set(summary.arguments) == {a, old(g), c, None, r, g}, "f is an array there, which the program has not"
    assert {a, old(g), c, r, g} <= set(loop.arguments)
    for name, place in horn.places.items():
        assert len(place.arguments) == len(horn.system.predicates[name].sorts)


def test_what_was_copied_has_no_place() -> None:
    horn = program_to_horn(read_program(PROGRAM), ("main",))
    assert all(isinstance(place, Place) and place.procedure != "p" for place in horn.places.values())
