"""``verify`` on Horn clauses and ``--engine pdr`` on programs; what ``show`` and ``resume`` make of such runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cleave.cli.main import main

CLAUSES = """\
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (Inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (< x 3)) (Inv (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (> y LIMIT)) false)))
(check-sat)
"""
LOOP = """\
procedure main()
{
  var n, x, y: int;
  x := 0;
  y := 0;
  while (x < n) { x := x + 1; y := y + 2; }
  assert y SIGN 2 * x;
}
"""
# No strategy ends on this soon: the invariant is not linear.
HARD = """\
(set-logic HORN)
(declare-fun P (Int Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 0) (P 0 0 n))))
(assert (forall ((i Int) (s Int) (n Int)) (=> (and (P i s n) (< i n)) (P (+ i 1) (+ s i) n))))
(assert (forall ((i Int) (s Int) (n Int)) (=> (and (P i s n) (>= i n) (not (= (* 2 s) (* n (- n 1))))) false)))
(check-sat)
"""


def clauses(tmp_path: Path, limit: int) -> str:
    file = tmp_path / "clauses.smt2"
    file.write_text(CLAUSES.replace("LIMIT", str(limit)))
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    _, out, _ = run(capsys, *arguments, "--json", "--quiet")
    result: dict[str, Any] = json.loads(out)
    return result


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("limit", "code", "word", "smtlib"), [(6, 0, "safe", "sat"), (5, 10, "unsafe", "unsat")])
def test_the_verdict_comes_first_and_smtlibs_word_second(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: str, limit: int, code: int, word: str, smtlib: str
) -> None:
    file = clauses(tmp_path, limit)
    exit_code, out, _ = run(capsys, "verify", file, "--workers", workers)
    assert exit_code == code
    first, second, *_ = out.splitlines()
    assert first == f"{word}  {file}"
    assert f"({smtlib})" in second


def test_a_small_task_needs_no_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(capsys, "verify", clauses(tmp_path, 6), "--workers", "2")
    assert result["verdict"] == "safe"
    assert "jobs" not in result["statistics"]
    _, out, _ = run(capsys, "show", result["run"])
    assert out.startswith("safe  ")
    assert out.rstrip().endswith("no workers were needed")


def test_the_trace_is_the_derivation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = found(capsys, "verify", clauses(tmp_path, 5), "--workers", "1")
    values = [step["values"] for step in result["trace"]["steps"]]
    assert values == [{"x": str(x), "y": str(2 * x)} for x in range(4)] + [{}]
    assert result["smtlib"] == "unsat"
    assert result["engine"] == "pdr"


def test_the_invariant_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "invariant.smt2"
    code, _, _ = run(capsys, "verify", clauses(tmp_path, 6), "--workers", "1", "--invariant", str(target))
    assert code == 0
    assert target.read_text().startswith("(define-fun Inv (")


def test_a_loop_without_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The inline engine can't end: there is always another iteration."""
    file = tmp_path / "loop.bpl"
    file.write_text(LOOP.replace("SIGN", "=="))
    result = found(capsys, "verify", str(file), "--engine", "pdr", "--workers", "1")
    assert result["verdict"] == "safe"
    assert result["smtlib"] is None


def test_a_programs_violation_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "loop.bpl"
    file.write_text(LOOP.replace("SIGN", "!="))
    result = found(capsys, "verify", str(file), "--engine", "pdr", "--workers", "1")
    assert result["verdict"] == "unsafe"
    assert "replayed" in result["validation"]
    assert result["trace"]["location"]["line"] == 7


def test_inlining_needs_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "verify", clauses(tmp_path, 6), "--engine", "inline")
    assert (code, out) == (1, "")
    assert "the engine inline takes a sequential program, not Horn clauses" in err


def test_an_unknown_strategy_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "verify", clauses(tmp_path, 6), "--strategies", "def,nonesuch")
    assert code == 1
    assert "'nonesuch'" in err


def test_a_strategys_limit_is_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = clauses(tmp_path, 6)
    for limit in ("", "0", "x", "99999"):
        code, _, err = run(capsys, "verify", file, "--strategies", f"def@{limit}")
        assert code == 1
        assert f"'def@{limit}'" in err
    assert found(capsys, "verify", file, "--strategies", "def@2,stock", "--workers", "1")["verdict"] == "safe"


def test_what_is_not_horn_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.smt2"
    two_heads = "(assert (forall ((x Int)) (or (P x) (P (+ x 1)))))"
    file.write_text(f"(set-logic HORN)\n(declare-fun P (Int) Bool)\n{two_heads}\n")
    code, _, err = run(capsys, "verify", str(file), "--workers", "1")
    assert code == 2
    assert f"{file}:3" in err


def test_a_transition_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "counter.btor2"
    file.write_text(
        "1 sort bitvec 3\n2 zero 1\n3 state 1 x\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n7 next 1 3 6\n"
        "8 sort bitvec 1\n9 ones 1\n10 eq 8 3 9\n11 bad 10\n"
    )
    result = found(capsys, "verify", str(file), "--workers", "1")
    assert result["verdict"] == "unsafe"
    assert len(result["trace"]["steps"]) == 9, "eight states, and false"


def test_a_run_that_hit_its_limit_can_be_shown_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hard.smt2"
    file.write_text(HARD)
    result = found(capsys, "verify", str(file), "--workers", "2", "--timelimit", "8", "--partitions", "3")
    assert result["verdict"] == "unknown"
    assert result["reason"].startswith("timeout: ")
    code, out, _ = run(capsys, "show", result["run"])
    assert code == 0
    assert "whole problem" in out
    assert "who did what" in out
    shown = json.loads(run(capsys, "show", result["run"], "--json")[1])
    assert {part["state"] for part in shown["stages"][0]["search"]["parts"]} <= {"open", "closed", "given up"}
    again = found(capsys, "resume", result["run"], "--timelimit", "3")
    assert again["verdict"] == "unknown"
    assert again["run"] == result["run"]


@pytest.mark.parametrize(("sign", "word"), [("==", "safe"), ("!=", "unsafe")])
def test_two_engines_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str], sign: str, word: str) -> None:
    file = tmp_path / "loop.bpl"
    file.write_text(LOOP.replace("SIGN", sign))
    result = found(capsys, "verify", str(file), "--engine", "auto", "--workers", "2")
    assert result["verdict"] == word
    (decided,) = (stage for stage in result["stages"] if stage["verdict"] == word)
    assert decided["engine"] == result["engine"]
