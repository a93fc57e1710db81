"""The benchmark that compares verdicts of several ways to run."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from bench import agreement
from bench.agreement import disagreements, tables
from bench.agreement_run import Way, run_way
from bench.rows import Row
from bench.tasks import Task

EXAMPLE = Path(__file__).parents[1] / "examples" / "withdraw.bpl"


def row(way: str, answer: str, task: str = "a.bpl", expected: str = "unsafe") -> Row:
    return Row(kind="way", task=task, how=way, expected=expected, answer=answer)


def test_verdicts_of_one_task_that_differ_are_found_and_unknown_is_no_verdict() -> None:
    same = [row("local-1", "unsafe"), row("local-2", "given up"), row("ray-2", "unsafe"), row("ray-4", "refused")]
    other = [row("local-1", "safe", "b.bpl", "safe"), row("local-2", "bounded-safe", "b.bpl", "safe")]
    assert not list(disagreements(same))
    assert list(disagreements(same + other)) == [other]
    assert "b.bpl: local-1 safe, local-2 bounded-safe" in tables(same + other)


def test_a_verdict_against_the_index_is_wrong_whatever_the_bound() -> None:
    assert row("local-1", "bounded-safe").wrong
    assert row("local-1", "safe").wrong
    assert not row("local-1", "unsafe").wrong
    assert not row("local-1", "given up").wrong
    assert not row("local-1", "safe", expected="unknown").wrong


def test_a_way_is_read_as_it_is_written() -> None:
    for name in ("local-16", "ray-2-resumed", "simulated-4", "local-2-killed"):
        assert str(Way.named(name)) == name
    for name in ("local", "cluster-2", "local-2-sleeping", "local-two"):
        with pytest.raises(SystemExit, match="is no way to run"):
            Way.named(name)


def test_only_runs_on_ray_use_a_cluster() -> None:
    assert Way.named("ray-4", "10.0.0.1:6379").address
    assert not Way.named("local-4", "10.0.0.1:6379").address


def test_the_first_way_says_which_tasks_the_others_are_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [Task("", "solved.bpl", "safe", "", ""), Task("", "hard.bpl", "safe", "", "")]
    ran: list[tuple[str, str]] = []

    def run(task: Task, way: Way, *_: object, **__: object) -> dict[str, object]:
        ran.append((task.path, str(way)))
        return {"answer": "safe" if task.path == "solved.bpl" else "given up"}

    monkeypatch.setattr(agreement, "tasks", lambda folder: chosen)
    monkeypatch.setattr(agreement, "run_way", run)
    parser = argparse.ArgumentParser()
    agreement.add_arguments(parser)
    options = parser.parse_args(["--finished", "--ways=local-1,local-2", f"--out={tmp_path / 'rows.tsv'}"])
    assert agreement.main(options) == 0
    assert ran == [("solved.bpl", "local-1"), ("hard.bpl", "local-1"), ("solved.bpl", "local-2")]


def test_a_run_that_is_killed_at_once_is_gone_on_with_or_has_nothing_to_go_on_with() -> None:
    task = Task("", str(EXAMPLE), "unsafe", "", "")
    told = run_way(task, Way.named("local-2-resumed"), [], timelimit=1.0, seed=0)
    assert told["answer"] == "unsafe" or told["note"] == "killed before it had a journal"
    assert not told["left_behind"]
