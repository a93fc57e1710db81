"""The parts of `bench.cegar` that figures depend on: the choice of tasks, the tables, the families; and a simulated run
of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.cegar import long_enough
from bench.cegar_families import FAMILIES, Automaton, Composition, Edge, fischer
from bench.cegar_run import NAIVE, PREDICTABLE, SimulatedCegar, parser
from bench.cegar_tables import is_promise_broken, speed_ups, tables, variation
from bench.rows import Row, Store, row_of
from bench.tasks import Task

from cleave.frontends.horn import read_horn


def _row(task: str, workers: int, seconds: float, answer: str = "safe", **more: object) -> Row:
    given = {"virtual_seconds": seconds, "cost": round(seconds * 1000), "digest": "same", "busy": 0.5}
    known = {"kind": "simulated", "task": task, "how": PREDICTABLE, "workers": workers, "answer": answer}
    return row_of(given, **known | more)


def _cells(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


ROWS = [
    _row("ts/a.pl", 1, 80.0, queries=100),
    _row("ts/a.pl", 10, 10.0, queries=150, cost=160_000),
    _row("ts/a.pl", 40, 4.0),
    _row("b", 1, 40.0),
    _row("b", 10, 8.0),
    _row("b", 40, 3.0, "real limit"),
    _row("soon", 1, 2.0),
    _row("soon", 40, 2.0),
]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    kept = Store(tmp_path / "rows.tsv")
    row = _row("ts/a.pl", 40, 1.25, kind="delayed", how=NAIVE, seed=3, expected="safe", note="two\nlines")
    kept.add(row)
    (read,) = Store(kept.path).latest().values()
    assert read.key == row.key == ("delayed", "ts/a.pl", NAIVE, 40, 3)
    assert (read.seconds, read.note) == (1.25, "two lines")


def test_speed_ups_are_over_what_both_solve() -> None:
    groups = {"a": {1: ROWS[0], 40: ROWS[2]}, "b": {1: ROWS[3], 40: ROWS[5]}}
    assert speed_ups(groups, 40) == {"a": 20.0}


def test_what_one_worker_solves_soon_is_not_measured() -> None:
    candidates = [Task("ts", "a.pl", "safe", "", ""), Task("", "/made/soon.smt2", "safe", "", "")]
    assert long_enough(candidates, ROWS, 10.0) == candidates[:1]
    assert long_enough(candidates, ROWS, 1.0) == candidates


def test_the_table_of_speed_ups() -> None:
    text = tables(ROWS, 10.0)
    assert _cells(text, "a")[:3] == ["a", "safe", "0"]
    scaled = text[text.index("Virtual seconds") :]
    assert _cells(scaled, "a") == ["a", "80.00", "10.00", "4.00", "8.00×", "20.00×", "0.80", "0.50"]
    assert _cells(scaled, "b") == ["b", "40.00", "8.00", "real limit", "5.00×", "", "0.50", ""]
    assert _cells(scaled, "median") == ["median", "", "", "", "6.50×", "20.00×", "0.65", "0.50"]
    assert _cells(text[text.index("Medians") :], "10")[:5] == ["10", "2", "50%", "1.10×", "0.75×"]
    assert "| soon |" not in text
    assert "3 candidates with one worker: 3 solved (3 safe, 0 unsafe), 2 of them in 10 virtual seconds" in text


def test_variation_is_the_worst_run_by_the_best() -> None:
    predictable = [_row("b", 40, seconds, kind="delayed", seed=int(seconds)) for seconds in (10.0, 11.0)]
    naive = [
        _row("b", 40, seconds, kind="delayed", how=NAIVE, seed=int(seconds), digest=str(seconds))
        for seconds in (5.0, 60.0)
    ]
    assert variation(predictable) == (1.1, 1.1)
    assert variation([*naive, _row("b", 40, 1.0, "limit")]) is None
    text = tables([*ROWS, *predictable, *naive], 10.0)
    shown = _cells(text[text.index("over seeds") :], "b")
    assert shown == ["b", "2", "1.10×", "1.10×", "1", "12.00×", "12.00×", "2", "0", "0.50×", "5.45×", "1.50×"]


def test_predictable_runs_of_a_version_must_conclude_the_same() -> None:
    other = _row("ts/a.pl", 20, 5.0, digest="another")
    assert not is_promise_broken(ROWS)
    assert not is_promise_broken([*ROWS, _row("ts/a.pl", 20, 5.0, digest="another", version="later")])
    assert not is_promise_broken([*ROWS, _row("ts/a.pl", 20, 5.0, digest="another", how=NAIVE)])
    assert is_promise_broken([*ROWS, other])
    assert "ts/a.pl: predictable runs concluded different things" in tables([*ROWS, other], 10.0)


# --- families -------------------------------------------------------------------------------------------------------


def test_edges_agree_on_events() -> None:
    """Nobody steps alone on an event that another one listens to; what stutters, stutters on what does not happen."""
    sender = Automaton("s", 2, (Edge(0, 1, events={"go": True}),), own=("go",), located=True)
    listener = Automaton("l", 2, (Edge(0, 1, events={"go": True}),), located=True)
    steps = list(Composition((sender, listener), ()).steps())
    assert [tuple((edge.source, edge.target) for edge in edges) for edges in steps] == [((0, 1), (0, 1))]


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_clauses_that_grow(name: str) -> None:
    small, large = (read_horn("x.smt2", FAMILIES[name](size).text().encode()) for size in (1, 2))
    assert len(large.clauses) > 3 * len(small.clauses)
    assert all(len(clause.body) <= 1 for clause in large.clauses)


@pytest.mark.parametrize(("workers", "naive"), [(1, []), (5, []), (5, ["--naive", "--jitter=0.01", "--seed=2"])])
def test_a_simulated_run(tmp_path: Path, workers: int, naive: list[str]) -> None:
    file = tmp_path / "fischer.smt2"
    file.write_text(fischer(2).text())
    report = SimulatedCegar(parser().parse_args([str(file), f"--workers={workers}", *naive])).report()
    assert report["answer"] == "safe"
    assert report["evidence"]
    assert 0 < report["refinement_cost"] < report["cost"]
    assert report["transitions"] > 30
