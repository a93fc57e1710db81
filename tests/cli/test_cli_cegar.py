"""``verify --engine cegar``: verdicts, evidence, output that is the same each time, and what ``show`` says."""

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
LOCK = """\
var held: bool;
procedure main()
{
  var n: int;
  held := false;
  while (n > 0) { call lock(); n := n - 1; call STEP(); }
}
procedure lock() modifies held; { assert !held; held := true; }
procedure unlock() modifies held; { assert held; held := false; }
procedure nothing() { }
"""
RECURSIVE = """\
procedure main() { var x, k: int; assume k >= 0; call x := f(k); assert x >= 0; }
procedure f(n: int) returns (r: int)
{
  var s: int;
  r := n;
  s := 0;
  if (n > 1) { call r := f(n - 1); SECOND r := r + s; }
}
"""
C_LOOP = """\
void reach_error(void);
int main(void) {
  unsigned x = 0;
  while (x < 6) x += 2;
  if (x != LAST) reach_error();
  return 0;
}
"""
# Each iteration finds one more value of x.
DIVERGING = """\
(set-logic HORN)
(declare-fun P (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 0) (P 0 0))))
(assert (forall ((i Int) (s Int)) (=> (P i s) (P (+ i 1) (+ s i)))))
(assert (forall ((i Int) (s Int)) (=> (and (P i s) (< (* 2 s) (- i 1))) false)))
(check-sat)
"""


def _file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


def _found(capsys: pytest.CaptureFixture[str], file: str, *arguments: str) -> dict[str, Any]:
    _, out, _ = _run(capsys, "verify", file, "--engine", "cegar", "--json", "--quiet", *arguments)
    result: dict[str, Any] = json.loads(out)
    return result


@pytest.mark.parametrize(("limit", "verdict", "smtlib"), [(6, "safe", "sat"), (5, "unsafe", "unsat")])
def test_clauses(tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: int, verdict: str, smtlib: str) -> None:
    result = _found(capsys, _file(tmp_path, "a.smt2", CLAUSES.replace("LIMIT", str(limit))), "--workers", "1")
    assert (result["verdict"], result["smtlib"], result["engine"]) == (verdict, smtlib, "cegar")
    assert "checked" in result["validation"]
    assert result["statistics"]["iterations"] > 1


@pytest.mark.parametrize(("step", "verdict"), [("unlock", "safe"), ("nothing", "unsafe")])
def test_procedures_are_copied_and_violations_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], step: str, verdict: str
) -> None:
    result = _found(capsys, _file(tmp_path, "lock.bpl", LOCK.replace("STEP", step)), "--workers", "1")
    assert result["verdict"] == verdict
    assert ("replayed" in result["validation"]) == (verdict == "unsafe")


@pytest.mark.parametrize(("last", "verdict"), [(6, "safe"), (5, "unsafe")])
def test_c_is_bit_precise(tmp_path: Path, capsys: pytest.CaptureFixture[str], last: int, verdict: str) -> None:
    result = _found(capsys, _file(tmp_path, "loop.c", C_LOOP.replace("LAST", str(last))), "--workers", "1")
    assert result["verdict"] == verdict


def test_recursion_is_refused_where_its_clauses_are_not_linear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once = _file(tmp_path, "once.bpl", RECURSIVE.replace("SECOND", ""))
    assert _found(capsys, once, "--workers", "1")["verdict"] == "safe"
    file = _file(tmp_path, "twice.bpl", RECURSIVE.replace("SECOND", "call s := f(n - 2);"))
    code, _, err = _run(capsys, "verify", file, "--engine", "cegar", "--quiet")
    assert code == 2
    assert "recursion" in err
    assert "pdr" in err


def test_output_is_the_same_for_any_number_of_workers_on_any_runtime(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("safe.smt2", CLAUSES.replace("LIMIT", "6")), ("unsafe.smt2", CLAUSES.replace("LIMIT", "3"))):
        file = _file(tmp_path, name, text)
        places = (["--workers", "1"], ["--workers", "2"], ["--workers", "5", "--on", "simulated"])
        command = ("verify", file, "--engine", "cegar", "--json", "--deterministic", "--quiet")
        outputs = {_run(capsys, *command, *place)[1] for place in places}
        assert len(outputs) == 1
        (output,) = outputs
        assert "seconds" not in output
        texts = {_run(capsys, *(word for word in command if word != "--json"), *place)[1] for place in places}
        assert len(texts) == 1
        assert '"verdict"' in output


def test_the_invariant_can_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, invariant = _file(tmp_path, "a.smt2", CLAUSES.replace("LIMIT", "6")), tmp_path / "invariant.smt2"
    _found(capsys, file, "--workers", "1", "--invariant", str(invariant))
    assert "(define-fun Inv" in invariant.read_text()


def test_what_is_given_up_comes_with_its_predicates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, "diverging.smt2", DIVERGING)
    result = _found(capsys, file, "--workers", "1", "--iterations", "2")
    assert result["verdict"] == "unknown"
    assert "2 iterations" in result["reason"]
    assert result["predicates"]["P"]
    code, out, _ = _run(capsys, "verify", file, "--engine", "cegar", "--iterations", "2", "--quiet", "--workers", "1")
    assert code == 5
    assert "predicates found:" in out


def test_show_tells_the_iterations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, "a.smt2", CLAUSES.replace("LIMIT", "6"))
    result = _found(capsys, file, "--workers", "2", "--on", "simulated")
    code, out, _ = _run(capsys, "show", result["run"])
    assert code == 0
    assert "iteration 1" in out
    assert "learned in iteration 1" in out
    code, out, _ = _run(capsys, "show", result["run"], "--json")
    assert json.loads(out)["stages"][0]["search"]["parts"][0]["state"] == "closed"


def test_horn_clauses_are_not_for_engines_that_need_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _file(tmp_path, "a.smt2", CLAUSES.replace("LIMIT", "6"))
    code, _, err = _run(capsys, "verify", file, "--engine", "inline", "--quiet")
    assert code == 1
    assert "the engine inline takes a sequential program, not Horn clauses" in err
