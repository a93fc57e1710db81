"""Mutation testing itself: which mistakes are put in, that they take effect, and that tests notice them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.mutation.campaign import Row, _run, joined, modules, read_rows, report
from bench.mutation.mutants import Mutant, mutants, mutated


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a <= b", ["a <= b -> a < b"]),
        ("x = a is None", ["a is None -> a is not None"]),
        ("x = a < b < c", ["a < b < c -> a <= b < c", "a < b < c -> a < b <= c"]),
        ("x = a and b", ["a and b -> a or b"]),
        ("x = a - b", ["a - b -> a + b"]),
        ("x = all(a)", ["all(a) -> any(a)"]),
        ("x = f(3, True)", ["3 -> 4", "True -> False"]),
        ("if a:\n    f()", ["f() -> pass", "a -> not a"]),
        ("if not a:\n    b += c", ["b += c -> pass", "not a -> a"]),
        ("while a:\n    break", ["break -> pass", "a -> not a"]),
        ("x = [a for a in b if c(a)]", ["c(a) -> not c(a)"]),
        ("x.y = a", ["x.y = a -> pass"]),
        ("def f():\n    return a", ["return a -> return None"]),
        ("def f():\n    return False", ["False -> True"]),
    ],
)
def test_mistakes(source: str, changes: list[str]) -> None:
    assert [mutant.change for mutant in mutants(source)] == changes


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of 3 lines."""',
        "def f(x: Literal[3]) -> Literal[4]: ...",
        "@dataclass(frozen=True)\nclass A:\n    x: int | None",
        "assert x < 3",
        "Record = Divided | Closed",
        "_LIMIT = 5000",
        "x = a + 'text'",
        "x = zip(a, b, strict=True)",
        "from a import b",
        "return None",
        "import a",
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert mutants(source) == []


def test_one_mistake_at_a_time() -> None:
    source = "def smaller(a, b):\n    return a < b\n"
    results = []
    for mutant in mutants(source):
        scope: dict[str, Any] = {}
        exec(compile(mutated(source, mutant.number), "f", "exec"), scope)
        results.append(scope["smaller"](1, 1))
    assert results == [None, True]
    with pytest.raises(ValueError, match="not 3 mutants"):
        mutated(source, 2)


def test_mutants_know_their_function() -> None:
    source = "A = f(1)\n\nclass C:\n    def m(self):\n        def inner():\n            g()\n        inner()\n"
    assert [(mutant.line, mutant.function) for mutant in mutants(source)] == [(1, 0), (7, 4), (6, 4)]


def test_the_nearest_and_quickest_tests_come_first_and_the_budget_ends_them() -> None:
    calls = joined(
        [
            {"tests/test_a.py::a": (0.1, ["m:5"]), "tests/validate/test_b.py::b": (3.0, ["m:5", "m:9"])},
            {"tests/validate/test_c.py::c": (2.0, ["m:5"]), "tests/test_d.py::d": (9.0, ["m:5", "mm:5"])},
        ]
    )
    order = ["tests/validate/test_c.py::c", "tests/validate/test_b.py::b", "tests/test_a.py::a", "tests/test_d.py::d"]
    assert calls.tests_of("m", _mutant(function=5), 100) == order
    assert calls.tests_of("m", _mutant(function=5), 5) == order[:2]
    assert calls.tests_of("m", _mutant(function=5), 0) == order[:1]
    assert calls.tests_of("m", _mutant(function=0), 100) == order
    assert calls.tests_of("m", _mutant(function=7), 100) == []


def test_rows_that_were_cut_off_are_skipped_and_the_score_counts_what_no_test_reaches(tmp_path: Path) -> None:
    rows = [_row(0, "killed"), _row(1, "timeout"), _row(2, "survived"), _row(3, "unreached")]
    path = tmp_path / "rows"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows) + b'["cleave.validate')
    assert list(read_rows(path).values()) == rows
    assert report(rows)[-1] == "| all | 4 | 2 | 1 | 1 | 50.0 % |"
    assert [line for line in report(rows) if line.startswith("survived")] == [
        "survived: cleave.validate.clauses.x:7 (return) a -> b"
    ]


def test_a_mistake_is_noticed_by_tests_of_its_module_and_not_by_others() -> None:
    name = "cleave.validate.proofs.coverage"
    found = next(found for module, _, found in modules(Path("src/cleave/validate")) if module == name)
    change = "record.partition not in leaves -> record.partition in leaves"
    mutant = next(mutant for mutant in found if mutant.change == change)
    outcome, by = _run(name, mutant, ["tests/validate/proofs/test_coverage.py"], 60)
    assert outcome == "killed"
    assert by.startswith("tests/validate/proofs/test_coverage.py::")
    assert _run(name, mutant, ["tests/test_covered.py"], 60) == ("survived", "")


def _mutant(function: int) -> Mutant:
    return Mutant(0, 1, function, "return", "a -> b")


def _row(number: int, outcome: str) -> Row:
    return Row("cleave.validate.clauses.x", number, "d", outcome, 7, "return", "a -> b", "", 0.5)
