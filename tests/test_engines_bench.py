"""The benchmark that has several engines judge the same tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.engines import known, planned, tables
from bench.rows import Row
from bench.runs import Runs
from bench.tasks import Task

EXAMPLES = Path(__file__).parents[1] / "examples"


def row(engine: str, answer: str, expected: str = "safe") -> Row:
    return Row(task=f"ts/{expected}.smt2", how=engine, expected=expected, answer=answer)


def test_a_claim_against_the_index_is_wrong_and_no_verdict_is_not() -> None:
    rows = [
        row("cegar", "given up"),
        row("pdr", "safe"),
        row("cegar", "refused", "unsafe"),
        row("pdr", "safe", "unsafe"),
    ]
    assert [one.wrong for one in rows] == [False, False, False, True]
    told = tables(rows)
    assert "| ts | 2 | 0 | 0 | 1 | 1 | 2 | 0 | 0 | 0 |" in told
    assert "Wrong verdicts: 1" in told


def test_what_an_engine_says_and_why_it_refuses_are_rows() -> None:
    judged = planned(Task("", str(EXAMPLES / "withdraw.bpl"), "unsafe", "", ""), "pdr", 20.0).run(Runs())
    assert judged["answer"] == "unsafe"
    refused = planned(Task("", str(EXAMPLES / "missing.bpl"), "safe", "", ""), "cegar", 20.0).run(Runs())
    assert refused["answer"] == "refused"
    assert "can't read the file" in refused["note"]


def test_programs_with_another_question_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [
        Task("c", "a.c", "safe", "unreach-call", "-"),
        Task("c", "b.c", "safe", "valid-memsafety", "-"),
        Task("c", "c.c", "unknown", "unreach-call", "-"),
    ]
    monkeypatch.setattr("bench.engines.tasks", lambda folder: every)
    assert [task.path for task in known("c")] == ["a.c"]
    assert [task.path for task in known("chc")] == ["a.c", "b.c"]
