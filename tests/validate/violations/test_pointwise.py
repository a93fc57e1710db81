"""Paths with memory that is copied or filled: values are found at once, and nothing is confirmed that can't happen."""

from __future__ import annotations

import pytest

from cleave.frontends.boogie import read_boogie
from cleave.ir.path import Enter, Visit
from cleave.validate.violations.confirm import Confirmed, Refuted, validate_trace

PRELUDE = """
procedure main(k: int, M: [int]int) {
  var N: [int]int; var P: [int]int;
"""
COPY = """
  assume (forall x: int :: 20 <= x && x < 20 + k ==> N[x] == M[x - 10]);
  assume (forall x: int :: x < 20 || 20 + k <= x ==> N[x] == M[x]);
"""


def judged(statements: str) -> Confirmed | Refuted:
    program = read_boogie(f"{PRELUDE} {statements} }}", "case.bpl")
    return validate_trace(program, "main", (Enter("main"), Visit(program.procedures["main"].entry.label)), seconds=10)


@pytest.mark.parametrize(
    "statements",
    [
        f"{COPY} assume k > 1; assume M[10] == 7; assert N[20] != 7;",
        f"{COPY} assume k > 1; assume M[k] == 7; assert N[k + 10] != 7 || N[9] != M[9] || N[50] != M[50];",
        f"{COPY} assume k > 1; N[20] := 8; assert N[20] != 8 || N[21] != M[11];",
        f"{COPY} {COPY.replace('N', 'P').replace('M', 'N')} assume k > 15; assert P[30] != M[10];",
        "assume (forall x: int :: N[x] == k); assert N[3] + N[k] != 14;",
        "assume (forall x: int :: {N[x]} x == k || N[x] == M[x]); assert N[k] == M[k];",
        "assume (exists y: int :: (forall x: int :: N[x] == y)); assert N[3] != 7;",
    ],
)
def test_a_violation_after_copying_is_confirmed(statements: str) -> None:
    found = judged(statements)
    assert isinstance(found, Confirmed), found


@pytest.mark.parametrize(
    "statements",
    [
        f"{COPY} assume k > 1; assume M[10] == 7; assert N[20] == 7;",
        f"{COPY} assume k > 1; assert N[10] == M[10];",
        f"{COPY} {COPY.replace('N', 'P').replace('M', 'N')} assume k > 15; assert P[30] == M[10];",
        # Two rules that contradict each other at a place which is never read.
        "assume (forall x: int :: x == k + 77 ==> N[x] == 1); assume (forall x: int :: x == k + 77 ==> N[x] == 2); "
        "assert false;",
    ],
)
def test_what_copying_rules_out_is_not_confirmed(statements: str) -> None:
    found = judged(statements)
    assert isinstance(found, Refuted), found
