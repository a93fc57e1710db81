"""The parts of `bench.hydra` that figures depend on: the test of ranks, the file of rows, the tables."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from bench.hydra_run import SEQUENTIAL
from bench.hydra_tables import speed_ups, tables
from bench.ranks import geometric_mean, signed_rank
from bench.rows import Row, Store, read_rows, row_of


def test_the_signed_rank_test_agrees_with_published_values() -> None:
    plants = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]  # Darwin's, as in SciPy's documentation
    assert signed_rank(plants) == pytest.approx(0.041259765625)
    assert signed_rank([1, 2, 3, 4, 5, 6, 7, 8]) == pytest.approx(2 / 2**8)
    assert signed_rank([]) == 1.0
    assert signed_rank([0.0, 0.0]) == 1.0


def test_the_signed_rank_test_counts_signs_also_with_equal_sizes() -> None:
    random = Random(1)
    for _ in range(20):
        sizes = [random.randrange(1, 4) for _ in range(7)]
        signs = [random.choice((-1, 1)) for _ in sizes]
        ranks = [sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes]
        middle = sum(ranks) / 2

        def distance(signs: tuple[int, ...] | list[int], ranks: list[float] = ranks, middle: float = middle) -> float:
            return abs(sum(r for r, s in zip(ranks, signs, strict=True) if s > 0) - middle)

        extreme = [distance(other) >= distance(signs) for other in product((-1, 1), repeat=len(sizes))]
        expected = sum(extreme) / len(extreme)
        assert signed_rank(a * b for a, b in zip(sizes, signs, strict=True)) == pytest.approx(expected)


def test_geometric_mean() -> None:
    assert geometric_mean([0.5, 2, 8]) == pytest.approx(2)


def _row(task: str, workers: int, answer: str, seconds: float | None, **more: object) -> Row:
    given = {"virtual_seconds": seconds, "virtual_limit": 100.0, "real_limit": 50.0, "cost": 1000}
    return row_of(given, **{"kind": "simulated", "task": task, "workers": workers, "answer": answer} | more)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        _row("a", SEQUENTIAL, "safe", 1.25, splits=3, dissimilarity=0.5, expected="safe"),
        _row("a", 16, "error", None, how="splits=random", seed=1, note="broken:\ttwo\nlines"),
        _row("b", 2, "unsafe", 3.0, kind="real"),
    ]
    store = Store(tmp_path / "new" / "rows.tsv")
    for row in rows:
        store.add(row)
    found = read_rows(store.path)
    assert [found[0], found[2]] == [rows[0], rows[2]]
    assert found[1].note == "broken: two lines"
    assert list(Store(store.path).latest()) == [row.key for row in rows]


def test_a_row_that_was_cut_off_is_skipped_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    Store(path).add(_row("a", 1, "safe", 1.0))
    Store(path).add(_row("b", 1, "safe", 1.0))
    path.write_bytes(path.read_bytes()[:-30])
    again = Store(path)
    assert [row.task for row in again.latest().values()] == ["a"]
    again.add(_row("b", 1, "safe", 2.0))
    assert [(row.task, row.virtual_seconds) for row in read_rows(path)] == [("a", 1.0), ("b", 2.0)]


def test_only_what_higher_limits_could_change_is_run_again() -> None:
    assert _row("a", 1, "safe", 1.0).decides(1000.0, 1000.0)
    assert _row("a", 1, "limit", 100.0).decides(100.0, 1000.0)
    assert not _row("a", 1, "limit", 100.0).decides(200.0, 50.0)
    assert not _row("a", 1, "limit", 100.0).decides(0.0, 50.0)
    assert _row("a", 1, "real limit", 20.0).decides(100.0, 50.0)
    assert not _row("a", 1, "real limit", 20.0).decides(100.0, 60.0)
    assert not _row("a", 1, "error", None).decides(100.0, 50.0)


def test_wrong_is_what_contradicts_the_index_or_does_not_cover_the_search() -> None:
    assert _row("a", 1, "safe", 1.0, expected="unsafe").wrong
    assert _row("a", 1, "unsafe", 1.0, expected="safe").wrong
    assert _row("a", 1, "safe", 1.0, wrong="not covered").wrong
    assert not _row("a", 1, "safe", 1.0, expected="safe", splits=3).wrong
    assert not _row("a", 1, "unsafe", 1.0, expected="unknown").wrong
    assert not _row("a", 1, "limit", 100.0, expected="safe").wrong


def test_speed_ups_are_over_what_both_solve_within_the_limit() -> None:
    alone = {
        "a": _row("a", SEQUENTIAL, "safe", 40.0),
        "b": _row("b", SEQUENTIAL, "unsafe", 90.0),
        "c": _row("c", SEQUENTIAL, "limit", 100.0),
        "d": _row("d", SEQUENTIAL, "real limit", 60.0),
    }
    many = {
        "a": _row("a", 4, "safe", 10.0),
        "b": _row("b", 4, "unsafe", 30.0),
        "c": _row("c", 4, "safe", 5.0),
        "d": _row("d", 4, "safe", 5.0),
    }
    assert speed_ups(alone, many, 100.0) == [4.0, 3.0]
    assert speed_ups(alone, many, 50.0) == [4.0]
    assert [row.missed(100.0) for row in alone.values()] == [False, False, True, False]
    line = next(
        line for line in tables([*alone.values(), *many.values()], 100.0).splitlines() if line.startswith("| 4 ")
    )
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells[:12] == ["4", "4", "4", "2", "3.50×", "3.46×", "3.50×", "8.00×", "2", "1", "0", "0"]


def test_variants_are_compared_with_the_default_and_by_their_best_seed() -> None:
    rows = [_row(task, 16, "safe", 10.0, splits=9) for task in "abcd"]
    rows += [_row(task, 16, "safe", 40.0, how="splits=random", splits=19) for task in "abc"]
    rows += [_row(task, 16, "safe", 20.0, how="splits=random", seed=1, splits=39) for task in "ab"]
    rows += [_row("d", 16, "limit", 100.0, how="splits=random")]
    line = next(line for line in tables(rows, 100.0).splitlines() if "splits: random" in line)
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells[2:] == ["3", "2.52×", "0 : 3", "0.25", "3.17×", "0 : 3", "0.25", "1", "0"]
