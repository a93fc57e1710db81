"""`bench.programs`: which tasks it compares on, and one run of each kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bench.campaign import Planned
from bench.pdr_real import real
from bench.pdr_run import ADAPTIVE
from bench.programs import is_whole, stock_on_clauses
from bench.runs import Runs
from bench.tasks import Task


def _ours(task: Task) -> Planned:
    return real(task, ADAPTIVE, 1, 60.0)


def _stock(task: Task) -> Planned:
    return stock_on_clauses(task, 60.0)


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


@pytest.mark.parametrize("planned", [_ours, _stock])
def test_both_prove_a_loop(planned: Callable[[Task], Planned], tmp_path: Path) -> None:
    file = tmp_path / "loop.bpl"
    file.write_text("procedure main() { var x: int; x := 0; while (x < 10) { x := x + 1; } assert x == 10; }")
    assert planned(Task("", str(file), "safe", "assert", "-")).run(Runs())["answer"] == "safe"


def test_what_has_no_clauses_is_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "wrong.bpl"
    file.write_text("procedure main( {")
    told = _stock(Task("", str(file), "safe", "assert", "-")).run(Runs())
    assert told["answer"] == "error"
