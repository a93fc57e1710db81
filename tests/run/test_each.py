"""A verdict for each check: few runs, and the table and the JSON that tell it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cleave.cli.main import main
from cleave.ir.program import Check
from cleave.run.each import Rounds
from cleave.verdict import BoundedSafe, CheckResult, Reason, Result, Safe, Trace, Unknown, Unsafe, Verdict

NAMES = ("a.1", "a.2", "a.3", "a.4")
PLACES = {
    name: CheckResult(Check("a", number), None, "", Unknown(Reason.TIMEOUT))
    for number, name in enumerate(NAMES, start=1)
}


def unsafe(name: str) -> Unsafe:
    return Unsafe(Trace((), "", None, check=PLACES[name].check), "replayed")


class Runs:
    """Answers as a run would: the first violated check of those asked for, else what the slow ones allow."""

    def __init__(self, violated: set[str], slow: frozenset[str] = frozenset(), rest: Verdict | None = None) -> None:
        self.violated, self.slow, self.rest = violated, slow, rest or Safe("")
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, checks: tuple[str, ...], seconds: float) -> Result:
        self.asked.append(checks)
        found = next((name for name in checks if name in self.violated), None)
        verdict = self.rest if found is None else unsafe(found)
        if found is None and not self.slow.isdisjoint(checks):
            verdict = Unknown(Reason.SOLVER)
        return Result(verdict, "inline", {}, 0.0, 1, {})


def words(result: Result) -> list[str]:
    return [one.verdict.word for one in result.each]


def test_one_run_settles_a_program_without_violations() -> None:
    runs = Runs(set())
    assert words(Rounds(PLACES, runs, 0).all()) == ["safe"] * 4
    assert runs.asked == [NAMES]


def test_each_violation_takes_one_more_run() -> None:
    runs = Runs({"a.2", "a.4"})
    result = Rounds(PLACES, runs, 0).all()
    assert words(result) == ["safe", "unsafe", "safe", "unsafe"]
    assert result.verdict.word == "unsafe"
    assert runs.asked == [NAMES, ("a.1", "a.3", "a.4"), ("a.1", "a.3")]


def test_a_check_that_is_too_hard_is_found_by_halving() -> None:
    runs = Runs({"a.1"}, slow=frozenset({"a.3"}))
    result = Rounds(PLACES, runs, 0).all()
    assert words(result) == ["unsafe", "safe", "unknown", "safe"]
    assert len(runs.asked) == 6


def test_a_violation_in_doubt_is_of_its_check_alone() -> None:
    def run(checks: tuple[str, ...], seconds: float) -> Result:
        doubt = Unknown(Reason.UNMODELLED, "f", PLACES["a.1"].check)
        return Result(doubt if "a.1" in checks else Safe(""), "inline", {}, 0.0, 1, {})

    assert words(Rounds(PLACES, run, 0).all()) == ["unknown", "safe", "safe", "safe"]


def test_the_verdict_is_the_worst() -> None:
    bounded = BoundedSafe({"recursion": 3}, "")
    result = Rounds(PLACES, Runs(set(), rest=bounded), 0).all()
    assert result.verdict == bounded
    assert replace(result, each=()).bounds == {"recursion": 3}


def test_interrupted() -> None:
    def run(checks: tuple[str, ...], seconds: float) -> Result:
        return Result(Unknown(Reason.INTERRUPTED), "inline", {}, 0.0, 1, {})

    assert words(Rounds(PLACES, run, 0).all()) == ["unknown"] * 4


# --- the command ----------------------------------------------------------------------------------------------------

PROGRAM = """\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  assert(x != 7);
  assert(x != 7 || x > 0);
  return 10 / x;
}
"""


def verified(folder: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, str]:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    file = folder / "x.c"
    file.write_text(PROGRAM)
    code = main(["verify", str(file), "--quiet", "--journal", "none", "--engine", "inline", *flags])
    return code, capsys.readouterr().out


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = verified(tmp_path, capsys, "--each")
    assert code == 10
    rows = [line.split()[:3] for line in text.splitlines() if line.startswith("    ")]
    assert rows[:3] == [
        ["unsafe", "assertions.1", "5:3"],
        ["safe", "assertions.2", "6:3"],
        ["unsafe", "division.1", "7:13"],
    ]
    assert "trace of division.1:" in text


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = verified(tmp_path, capsys, "--each", "--json")
    found = json.loads(text)
    assert [one["verdict"] for one in found["each"]] == ["unsafe", "safe", "unsafe"]
    assert found["each"][2]["trace"]["violated"] == "division by zero: 10 is divided by 0"
    assert found["each"][1]["location"]["line"] == 6


def test_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(tmp_path, capsys, "--only", "assertions.2")[0] == 0
    assert verified(tmp_path, capsys, "--only", "division.1,assertions.2")[0] == 10
    assert verified(tmp_path, capsys, "--only", "division.2")[0] == 1


def test_other_languages_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.bpl"
    file.write_text("procedure main() { assert true; }")
    assert main(["verify", str(file), "--each", "--journal", "none"]) == 1
    assert "--each is for programs in C" in capsys.readouterr().err


def test_what_is_settled_is_known_while_a_run_goes_on() -> None:
    runs, seen = Runs({"a.2"}), []

    def run(checks: tuple[str, ...], seconds: float) -> Result:
        seen.append(words(rounds.so_far()))
        return runs(checks, seconds)

    rounds = Rounds(PLACES, run, 0)
    rounds.all()
    assert seen == [["unknown"] * 4, ["unknown", "unsafe", "unknown", "unknown"]]
