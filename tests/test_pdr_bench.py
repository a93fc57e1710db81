"""The parts of `bench.pdr` that figures depend on: what counts as solved, the choice of hard tasks, the tables; and one
simulated run for each way to solve."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from bench.pdr import hard_tasks
from bench.pdr_paper_tables import best_technique, cost_ratios, paper_tables, ratios, virtual_best
from bench.pdr_real import STOCK, stock_answer
from bench.pdr_run import ADAPTIVE, SimulatedPdr, options_for, parser
from bench.pdr_tables import real_tables, tables
from bench.rows import Row, Store, row_of

from cleave.engines.pdr.options import Share

COUNTER = """\
(set-logic HORN)
(declare-fun count (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (count x))))
(assert (forall ((x Int) (y Int)) (=> (and (count x) (< x {last}) (= y (+ x 1))) (count y))))
(assert (forall ((x Int)) (=> (and (count x) (= x 7)) false)))
(check-sat)
"""


def _row(task: str, how: str, answer: str, seconds: float | None, workers: int = 60, **more: object) -> Row:
    given = {"virtual_seconds": seconds, "virtual_limit": 100.0, "real_limit": 50.0, "cost": 1000, "kind": "simulated"}
    return row_of(given, **{"task": task, "how": how, "workers": workers, "answer": answer} | more)


def _real(task: str, how: str, answer: str, seconds: float, workers: int = 1, **more: object) -> Row:
    return _row(task, how, answer, None, workers, kind="real", real_seconds=seconds, **more)


def _cells(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        _row("a.smt2", "partitioning+k", "safe", 1.25, expected="safe", evidence="checked", lemmas_pushed=3),
        _real("a.smt2", STOCK, "error", 0.5, note="broken:\ttwo\nlines"),
    ]
    kept = Store(tmp_path / "rows.tsv")
    for row in rows:
        kept.add(row)
    first, second = Store(kept.path).latest().values()
    assert first == rows[0]
    assert second.note == "broken: two lines"


def test_a_verdict_after_the_limit_solves_nothing_but_can_be_wrong() -> None:
    assert _real("a", ADAPTIVE, "safe", 50.0).solved
    late = _real("a", ADAPTIVE, "safe", 50.1, expected="unsafe")
    assert not late.solved
    assert late.wrong
    assert not _real("a", ADAPTIVE, "given up", 1.0, expected="unsafe").wrong


@pytest.mark.parametrize(
    ("printed", "text", "answer"),
    [
        ("sat\n", "(assert x)\n(check-sat)", "safe"),
        ("unsat\n", "(assert x)\n(check-sat)", "unsafe"),
        ("sat\n", "(declare-rel p ())\n(query p)", "unsafe"),
        ("unsat\n", "(declare-rel p ())\n(query p)", "safe"),
        ("sat\n", "; (declare-rel p ())\n(check-sat)", "safe"),
        ("unknown\n", "(check-sat)", "given up"),
        ("timeout\n", "(check-sat)", "real limit"),
        ('(error "line 1: bad")\nsat\n', "(check-sat)", "error"),
        ("", "(check-sat)", "error"),
    ],
)
def test_what_z3_says_about_clauses_and_about_queries(printed: str, text: str, answer: str) -> None:
    assert stock_answer(printed, text)[0] == answer


def test_hard_is_what_stock_spacer_did_not_solve_soon() -> None:
    rows = [
        _real("easy", STOCK, "safe", 3.0),
        _real("slow", STOCK, "safe", 30.0),
        _real("ours", STOCK, "real limit", 50.0),
        _real("ours", ADAPTIVE, "unsafe", 9.0),
        _real("nobody's", STOCK, "given up", 1.0),
        _real("nobody's", ADAPTIVE, "real limit", 50.0),
    ]
    assert hard_tasks(rows, 10.0, solvable=False) == {"slow", "ours", "nobody's"}
    assert hard_tasks(rows, 10.0, solvable=True) == {"slow", "ours"}


def test_real_runs_are_counted_and_compared() -> None:
    rows = [
        _real("a", ADAPTIVE, "safe", 5.0, 2, evidence="checked"),
        _real("b", ADAPTIVE, "unsafe", 5.0, 2, evidence="checked", expected="unsafe"),
        _real("c", ADAPTIVE, "real limit", 50.0, 2),
        _real("a", STOCK, "real limit", 50.0),
        _real("b", STOCK, "safe", 5.0, expected="unsafe"),
        _real("c", STOCK, "safe", 5.0),
    ]
    text = real_tables(rows)
    assert _cells(text, "`cleave verify --workers 2`")[1:] == ["3", "2", "1", "1", "1", "0", "2", "60"]
    assert _cells(text, "stock SPACER") == ["stock SPACER", "3", "2", "2", "0", "1", "1", "-", "60"]
    assert "| stock SPACER | 3 | 1 | 1 |" in text
    assert "only stock SPACER solves: c" in text
    assert "1 wrong verdicts" in tables(rows, 100.0)


def test_tables_of_the_paper() -> None:
    rows = [
        *(_row(task, "strategy def", "safe", 80.0, 1) for task in "ab"),
        _row("c", "strategy def", "limit", 100.0, 1),
        _row("a", "portfolio", "safe", 40.0),
        _row("b", "portfolio", "safe", 20.0),
        _row("c", "portfolio", "real limit", 7.0),
        _row("a", "portfolio+inf", "safe", 10.0, cost=500, sharing_cost=50, lemmas_pushed=4, lemmas_pulled=8),
        _row("b", "portfolio+inf", "safe", 20.0, cost=2000, lemmas_pushed=2),
        _row("c", "portfolio+inf", "unsafe", 5.0),
    ]
    text = paper_tables(rows, 100.0)
    assert _cells(text, "SPACER(def)") == ["SPACER(def)", "3", "0", "2", "1", "0"]
    assert _cells(text, "portfolio") == ["portfolio", "3", "0", "2", "0", "1"]
    assert _cells(text, "virtual best of the techniques")[1:] == ["3", "1", "2", "0", "0"]
    speed_up = next(line for line in text.splitlines() if "6.00×" in line)
    assert speed_up.startswith("| SPACER(def) | 2 | 6.00× | 5.66× |")
    assert "| portfolio + ∞ | 3 | 3.33% | 2 | 3 |" in text
    assert "| portfolio + ∞ | 2 | 1.25× | 1.00× | 1 : 1 |" in text


def test_the_virtual_best_is_unknown_only_if_all_are() -> None:
    slow = {"a": _row("a", "portfolio", "safe", 9.0), "b": _row("b", "portfolio", "limit", 100.0)}
    fast = {"a": _row("a", "portfolio+k", "safe", 3.0), "b": _row("b", "portfolio+k", "memory", 4.0)}
    best = virtual_best([slow, fast], 100.0)
    assert best == {"a": fast["a"], "b": fast["b"]}
    assert best_technique({"portfolio": slow, "portfolio+k": fast}, 100.0) == "portfolio+k"
    assert ratios(slow, fast, 100.0) == [3.0]


def test_costs_are_compared_where_one_solves_and_the_other_is_known_of() -> None:
    plain = {
        "both": _row("both", "portfolio", "safe", 9.0, cost=100),
        "shared": _row("shared", "portfolio", "limit", 100.0),
        "plain": _row("plain", "portfolio", "safe", 9.0),
        "stopped": _row("stopped", "portfolio", "real limit", 9.0),
    }
    shared = {
        "both": _row("both", "portfolio+k", "safe", 9.0, cost=50),
        "shared": _row("shared", "portfolio+k", "safe", 9.0),
        "plain": _row("plain", "portfolio+k", "limit", 100.0),
        "stopped": _row("stopped", "portfolio+k", "safe", 9.0),
    }
    assert cost_ratios(plain, shared, 100.0) == [0.5, inf, 0.0]


def test_what_each_way_to_solve_means() -> None:
    workers, alone = options_for("strategy ic3", 60, 0)
    assert (workers, alone.share, alone.wanted(workers), alone.strategies) == (1, Share.NONE, 0, ("ic3",))
    assert options_for("partitioning+k", 60, 0)[1].wanted(60) == 20
    adaptive = [options_for(ADAPTIVE, n, 0)[1].partition_cost(n) for n in (2, 6, 60)]
    assert adaptive == [500_000_000, 10_000_000, 1_000_000]


@pytest.mark.parametrize(("how", "last", "answer"), [("strategy def", 5, "safe"), ("partitioning+all", 9, "unsafe")])
def test_a_simulated_run(tmp_path: Path, how: str, last: int, answer: str) -> None:
    file = tmp_path / "counter.smt2"
    file.write_text(COUNTER.format(last=last))
    run = SimulatedPdr(parser().parse_args([str(file), f"--how={how}", "--workers=3", "--virtual-limit=100"]))
    report = run.report()
    assert report["answer"] == answer
    assert report["evidence"]
    assert report["cost"] > 0
