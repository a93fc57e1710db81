"""``cleave horn`` prints clauses that a Horn solver reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.cli.main import main

PROGRAM = """\
procedure main() { var x: int; x := 0; while (x < 10) { x := x + 1; } assert x == 10; }
procedure other() { assert false; }
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "loop.bpl"
    path.write_text(PROGRAM)
    return str(path)


def test_clauses_are_printed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["horn", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "(set-logic HORN)"
    assert sum(line.startswith("(assert") for line in lines) == 3
    assert lines[-1] == "(check-sat)"


def test_the_entry_and_the_property_can_be_chosen(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["horn", file, "--entry", "other"]) == 0
    assert "(assert (=> true false))" in capsys.readouterr().out
    assert main(["horn", file, "--entry", "other", "--property", "end-reachable"]) == 0
    assert "(assert" not in capsys.readouterr().out


def test_clauses_are_written_to_a_file(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["horn", file, "-o", str(tmp_path / "loop.smt2")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "loop.smt2").read_text().startswith("(set-logic HORN)")


def test_a_file_that_cannot_be_written_is_a_usage_error(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["horn", file, "-o", "/nowhere/loop.smt2"]) == 1
    assert "can't write /nowhere/loop.smt2" in capsys.readouterr().err
