"""``cleave horn`` prints clauses that a Horn solver reads."""

from __future__ import annotations

import subprocess
import sys
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


# --- as CHC-COMP reads it -------------------------------------------------------------------------------------------

_UNUSED = "(declare-fun pbQ (Int Bool) Bool)\n"  # like a name of a solver's own
_COUNTER = (
    "(set-logic HORN)\n(declare-fun P (Int) Bool)\n"
    + _UNUSED
    + "(assert (forall ((x Int)) (=> (= x 0) (P x))))\n"
    + "(assert (forall ((x Int)) (=> (and (P x) (< x 10)) (P (+ x 1)))))\n"
    + "(assert (forall ((x Int)) (=> (and (P x) {}) false)))\n(check-sat)\n"
)


def test_the_first_line_is_the_answer_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "clauses.smt2"
    for query, answer, code in (("(> x 10)", "sat", 0), ("(> x 2)", "unsat", 10)):
        file.write_text(_COUNTER.format(query))
        assert main(["verify", str(file), "--smtlib", "--workers=1", "--journal=none"]) == code
        assert capsys.readouterr().out == f"{answer}\n"
    file.write_text("(set-logic HORN")
    assert main(["verify", str(file), "--smtlib", "--journal=none"]) == 2
    assert capsys.readouterr().out == "unknown\n"


def test_the_model_defines_every_predicate_and_the_clauses_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "clauses.smt2"
    file.write_text(_COUNTER.format("(> x 10)"))
    assert main(["verify", str(file), "--smtlib", "--model", "--workers=1", "--journal=none"]) == 0
    answer, opening, *definitions, closing = capsys.readouterr().out.splitlines()
    assert (answer, opening, closing) == ("sat", "(", ")")
    assert [line.split()[1] for line in definitions] == ["P", "pbQ"]
    lines = _COUNTER.format("(> x 10)").splitlines()
    clauses = " ".join(line.removeprefix("(assert ").removesuffix(")") for line in lines if line.startswith("(assert"))
    script = "\n".join([definitions[0], f"(assert (not (and {clauses})))", "(check-sat)"])
    read = "import sys, z3; solver = z3.Solver(); solver.from_string(sys.stdin.read()); print(solver.check())"
    done = subprocess.run([sys.executable, "-c", read], input=script, capture_output=True, text=True, check=True)
    assert done.stdout == "unsat\n"


def test_the_derivation_of_false_is_made_of_comments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "clauses.smt2"
    file.write_text(_COUNTER.format("(> x 2)"))
    assert main(["verify", str(file), "--smtlib", "--model", "--workers=1", "--journal=none"]) == 10
    answer, *facts = capsys.readouterr().out.splitlines()
    assert answer == "unsat"
    assert len(facts) == 5
    assert all(fact.startswith(";") for fact in facts)


@pytest.mark.parametrize("flags", [["--model"], ["--smtlib", "--json"]])
def test_a_model_needs_the_words_of_smtlib(tmp_path: Path, flags: list[str]) -> None:
    assert main(["verify", str(tmp_path / "x.smt2"), *flags]) == 1
