"""Which globals procedures read and write, and which procedure is the entry."""

from __future__ import annotations

import pytest

from cleave.errors import UsageError
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.passes.effects import callees, effects
from cleave.passes.entries import choose_entries

PROGRAM = """\
var a: Int
var b: Int
var c: Int
var d: Int
proc main() -> () {
  requires (< a 1)
  m:
    call even(a) -> (b)
    return
}
proc even(n: Int) -> (r: Int) {
  ensures (= r |old(d)|)
  e0:
    call odd(n) -> (r)
    call odd(n) -> (r)
    call leaf() -> ()
    return
}
proc odd(n: Int) -> (r: Int) {
  o:
    c := n
    call even(n) -> (r)
    return
}
proc leaf() -> () {
  modifies d
}
proc liar() -> () {
  modifies a, b
  l:
    havoc c
    assume (= |old(b)| 1)
    return
}
"""


def names(program: Program, procedure: str) -> tuple[str, str]:
    found = effects(program)[procedure]
    return " ".join(sorted(v.name for v in found.reads)), " ".join(sorted(v.name for v in found.writes))


@pytest.mark.parametrize(
    ("procedure", "reads", "writes"),
    [("main", "a d", "b c d"), ("even", "d", "c d"), ("odd", "d", "c d"), ("leaf", "", "d"), ("liar", "b", "c")],
)
def test_effects_are_those_of_the_bodies_and_of_all_callees(procedure: str, reads: str, writes: str) -> None:
    assert names(read_program(PROGRAM), procedure) == (reads, writes)


def test_callees_are_in_the_order_of_the_first_call() -> None:
    assert list(callees(read_program(PROGRAM).procedures["even"])) == ["odd", "leaf"]


def heads(*texts: str) -> Program:
    body = "  b:\n    return\n"
    return read_program("".join(f"proc {text} {{\n{'' if 'bodyless' in text else body}}}\n" for text in texts))


@pytest.mark.parametrize(
    ("procedures", "entries"),
    [
        (("main() -> ()", "f() -> ()"), ("main",)),
        (("main() -> ()", "f() -> () [entry]", "g() -> () [entry]"), ("f", "g")),
        (("ULTIMATE.start() -> ()", "f() -> ()"), ("ULTIMATE.start",)),
        (("f() -> ()", "g() -> ()", "bodyless() -> ()"), ("f", "g")),
        (("bodyless() -> () [entry]", "main() -> ()"), ("main",)),
    ],
)
def test_the_entry_is_the_marked_one_else_main_else_every_body(
    procedures: tuple[str, ...], entries: tuple[str, ...]
) -> None:
    assert choose_entries(heads(*procedures)) == entries


def test_the_entry_asked_for_wins() -> None:
    assert choose_entries(heads("main() -> () [entry]", "f() -> ()"), "f") == ("f",)


@pytest.mark.parametrize(
    ("procedures", "name", "message"),
    [
        (("start_here() -> ()",), "start_her", "did you mean start_here?"),
        (("bodyless() -> ()", "f() -> ()"), "bodyless", "has no body"),
        (("bodyless() -> ()",), "g", "no procedure has a body"),
        (("bodyless() -> ()",), None, "nothing to verify"),
    ],
)
def test_an_entry_that_is_not_there_is_a_usage_error(
    procedures: tuple[str, ...], name: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        choose_entries(heads(*procedures), name)
