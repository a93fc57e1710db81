"""Which variables are in the background, and the program without them."""

from __future__ import annotations

import pytest

from cleave.ir.program import Assume, Program
from cleave.ir.reader import read_program
from cleave.passes.background import background, without_background

ALLOCATOR = """\
var next: Int
var lock: Int
proc main() -> () {{
  local p: Int
  local before: Int
  b:
    assume (> next 0)
    lock := 0
    before := next
    havoc next, p
    assume (= p before)
    assume (>= next (+ before 8))
    {more}
    goto t, u
  t:
    assume (= p 0)
    return
  u:
    assume {branch}
    return
}}
"""


def program(more: str = "lock := 1", branch: str = "(not (= p 0))") -> Program:
    return read_program(ALLOCATOR.format(more=more, branch=branch))


def names(found: frozenset[object]) -> set[str]:
    return {str(v) for v in found}


def test_what_is_only_chosen_and_constrained_is_in_the_background() -> None:
    assert names(background(program())) == {"next", "before"}


@pytest.mark.parametrize(
    ("more", "branch", "left"),
    [
        ("next := (+ next 1)", "true", set()),  # computed
        ("lock := 1", "(< next 100)", set()),  # branched on
        ("lock := 1", "(< before 100)", {"next"}),
        ("lock := before", "true", {"next"}),
        ("before := lock", "true", {"next"}),
        ("lock := next", "true", {"next", "before"}),  # what it flows to is not
    ],
)
def test_what_is_computed_or_branched_on_is_not(more: str, branch: str, left: set[str]) -> None:
    assert names(background(program(more, branch))) == left


def test_without_it_nothing_is_assumed_about_it() -> None:
    whole = program()
    less = without_background(whole)
    assumed = [str(s.condition) for p in less.procedures.values() for s in p.statements() if isinstance(s, Assume)]
    assert assumed == ["(= p 0)", "(not (= p 0))"]


def test_a_program_without_a_background_stays_what_it_is() -> None:
    whole = program("next := 1")
    assert without_background(whole) is whole
