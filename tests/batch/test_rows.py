"""Rows: what they say, the file that keeps them, and what is made of them."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cleave.batch.page import ResultSet, page
from cleave.batch.rows import Row, Store, read_rows
from cleave.batch.summary import as_csv, as_junit, as_text, in_words

ROWS = [
    Row(name="a", key="1", verdict="safe", expected="safe", cpu_seconds=1.0, seconds=2.0, memory_mb=50),
    Row(name="b", key="2", verdict="unsafe", expected="unsafe", violated="x <y>"),
    Row(name="c", key="3", verdict="unsafe", expected="safe"),
    Row(name="d", key="4", verdict="safe", expected="unsafe"),
    Row(name="e", key="5", verdict="bounded-safe", expected="unsafe"),
    Row(name="f", key="6", verdict="unknown", reason="timeout: \x1b[31m"),
    Row(name="g", key="7", reason="=ended by signal SIGSEGV", exit_code=-11),
    Row(name="h", key="8", verdict="unsafe", violated="y > 0 at h.c:3:1"),
]


def test_status_and_score_are_those_of_the_competition() -> None:
    assert [(row.status, row.score) for row in ROWS] == [
        ("correct", 2),
        ("correct", 1),
        ("wrong", -16),
        ("wrong", -32),
        ("bounded", 0),
        ("unknown", 0),
        ("error", 0),
        ("unjudged", 0),
    ]


def test_a_line_that_was_cut_off_is_skipped_and_the_next_one_whole(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    Store(file).add(ROWS[0])
    with file.open("ab") as stream:
        stream.write(b'{"name": "b", "ke')
    again = Store(file)
    assert list(again.rows) == ["1"]
    again.add(ROWS[2])
    assert [row.name for row in read_rows(file)] == ["a", "c"]


def test_the_text_names_what_is_wrong_or_crashed() -> None:
    text = "\n".join(as_text(ROWS))
    assert "wrong: c: unsafe, expected safe" in text
    assert "error: g: =ended by signal SIGSEGV" in text
    assert "unsafe: h: y > 0 at h.c:3:1" in text, "what nobody expects stops a commit"
    assert "unsafe: b" not in text
    assert in_words(ROWS).startswith(
        "8 tasks: 2 correct, 2 wrong, 1 bounded, 1 unknown, 1 error, 1 unjudged; score -45"
    )


def test_csv_has_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(ROWS))))
    assert [row["name"] for row in rows] == [row.name for row in ROWS]
    assert rows[6]["reason"] == "'=ended by signal SIGSEGV"


def test_junit_has_a_case_for_each_row() -> None:
    suite = ElementTree.fromstring(as_junit(ROWS))
    kinds = {case.get("name"): [child.tag for child in case] for case in suite}
    assert kinds == {
        "a": [],
        "b": [],
        "c": ["failure"],
        "d": ["failure"],
        "e": ["skipped"],
        "f": ["skipped"],
        "g": ["error"],
        "h": ["failure"],
    }
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "8",
        "3",
        "1",
        "2",
    )


class _Counting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href")]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_page_needs_nothing_else(number: int) -> None:
    sets = [ResultSet(f"set{n}", ROWS[n:]) for n in range(number)]
    html = page(sets)
    found = _Counting()
    found.feed(html)
    assert all(address is None or address.startswith(("#", "data:")) for address in found.addresses)
    assert "x &lt;y&gt;" in html
    assert "<y>" not in html
    assert found.tags.count("figure") == 1 + number * (number - 1) // 2 + 1  # cactus, each pair, memory
    assert ("Different verdicts" in html) == (number > 1)


def test_an_empty_batch_has_a_page_too() -> None:
    assert "0 tasks" in page([ResultSet("none", [])])
