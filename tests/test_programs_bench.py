"""`bench.programs`: which tasks it compares on, and one run of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.pdr_rows import ADAPTIVE, STOCK
from bench.programs import Planned, is_whole, run_planned
from bench.tasks import Task


@pytest.mark.parametrize(
    ("question", "bounds", "whole"),
    [
        ("unreach-call", "data_model=ILP32", True),
        ("assertions/default checks; args: --little-endian", "-", True),
        ("assertions/default checks; args: foo/bar.c", "-", False),
        ("assert; flags --unroll=6", "unroll=6", False),
        ("assertions/default checks; args: --big-endian", "-", False),
        ("no-overflow", "-", False),
        ("assert reachability; flags /k:1", "-", False),
    ],
)
def test_tasks_are_whole_and_without_bounds(question: str, bounds: str, whole: bool) -> None:
    assert is_whole(Task("c", "a.c", "safe", question, bounds)) == whole


@pytest.mark.parametrize("how", [ADAPTIVE, STOCK])
def test_both_prove_a_loop(how: str, tmp_path: Path) -> None:
    file = tmp_path / "loop.bpl"
    file.write_text("procedure main() { var x: int; x := 0; while (x < 10) { x := x + 1; } assert x == 10; }")
    assert run_planned(Planned(Task("", str(file), "safe", "assert", "-"), how), 60.0)["answer"] == "safe"


def test_what_has_no_clauses_is_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "wrong.bpl"
    file.write_text("procedure main( {")
    told = run_planned(Planned(Task("", str(file), "safe", "assert", "-"), STOCK), 60.0)
    assert told["answer"] == "error"
