"""Violations that are found by running the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cleave import InlineOptions, Options, verify
from cleave.engines.executions.options import ExecutionsOptions
from cleave.ir.program import Program
from cleave.ir.schedule import Schedule
from cleave.ir.unfolded import UnfoldedProof
from cleave.validate.confirmation import Confirmation, rejected
from cleave.verdict import BoundedSafe, Reason, Result, StoppedError, Unknown, Unsafe
from support.runs import run_stage

COUNTS = """\
procedure main() {{
  var i, n: int;
  i, n := 0, 0;
  while (i < 1500) {{ i, n := i + 1, n + 2; }}
  assert n != {};
}}
"""
NEVER, AT_THE_END = 3001, 3000
LITTLE: dict[str, Any] = {
    "engines": (InlineOptions(beyond_cost=50_000),)
}  # of inlining, before executions have their turn


def result(folder: Path, text: str, name: str = "program.bpl", **options: object) -> Result:
    file = folder / name
    file.write_text(text)
    return verify(str(file), Options(**{"engine": "inline", "workers": 1, **options}))  # type: ignore[arg-type]


def test_what_is_beyond_the_bound_is_found_by_an_execution(tmp_path: Path) -> None:
    found = result(tmp_path, COUNTS.format(AT_THE_END), **LITTLE)
    assert isinstance(found.verdict, Unsafe)
    assert found.verdict.validation == "replayed"
    assert found.statistics["probe_steps"] > 1500
    assert all(step.kind != "context" for step in found.verdict.trace.steps)


def test_executions_without_a_violation_say_nothing(tmp_path: Path) -> None:
    found = result(tmp_path, COUNTS.format(NEVER), **LITTLE)
    assert found.verdict.word == "bounded-safe"
    assert found.statistics["probe_steps"] > 1500


def test_who_chooses_a_bound_gets_that_one(tmp_path: Path) -> None:
    found = result(tmp_path, COUNTS.format(AT_THE_END), engines=(InlineOptions(bounds=(3,)),))
    assert found.verdict.word == "bounded-safe"
    assert "probe_steps" not in found.statistics


@pytest.mark.parametrize("engine", ["inline", "pdr"])
def test_programs_in_c_are_run_first(tmp_path: Path, engine: str) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    text = "int main(void) { unsigned i = 0; while (i < 1500) i++; if (i == 1500) ERROR: return 1; return 0; }"
    found = result(tmp_path, text, "program.c", engine=engine)
    assert found.verdict.word == "unsafe"
    assert found.statistics["probe_steps"] > 1500
    assert "cost" not in found.statistics


def test_a_limit_that_ends_the_executions_leaves_what_was_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise StoppedError(Reason.TIMEOUT)

    monkeypatch.setattr("cleave.engines.executions.search.probe", stopped)
    assert result(tmp_path, COUNTS.format(AT_THE_END), **LITTLE).verdict.word == "bounded-safe"


def test_an_execution_that_does_not_replay_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(program: Program, entry: str, schedule: Schedule) -> Unknown:
        return Unknown(Reason.UNCONFIRMED, "no")

    monkeypatch.setattr("cleave.engines.executions.search.confirm_schedule", other)
    outcome = run_stage("p.bpl", COUNTS.format(AT_THE_END), "executions", ExecutionsOptions(), role="violations")
    assert outcome.unknown is not None
    assert outcome.unknown.reason is Reason.BUDGET
    assert not outcome.settles


def test_executions_go_on_until_the_steps_are_spent() -> None:
    """No execution is longer than 5,000 steps at first."""
    for steps in (1, 30_000):
        options = ExecutionsOptions(steps=steps)
        outcome = run_stage("p.bpl", COUNTS.format(NEVER), "executions", options, role="violations")
        assert outcome.unknown is not None
        assert steps <= outcome.counters["probe_steps"] < steps + 10_000


def test_a_proof_beyond_the_bound_that_is_hard_to_check_is_checked_within_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int | None] = []

    def hard(checker: object, proof: UnfoldedProof, **_: object) -> Confirmation:
        judged.append(proof.bound)
        return Confirmation(True) if proof.bound == 3 else rejected("the check stopped", undecided=True)

    monkeypatch.setattr("cleave.engines.inline.confirm.PartitionChecker.check", hard)
    verdict = result(tmp_path, COUNTS.format(NEVER), **LITTLE).verdict
    assert isinstance(verdict, BoundedSafe)
    assert verdict.bounds == {"recursion": 3}
    assert judged[-1] == 3
    assert len(judged) > 1


def test_a_long_program_without_inputs_is_settled_by_its_only_execution(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    file = tmp_path / "long.c"
    text = (
        "#include <assert.h>\nint main(void) { unsigned s = 0; for (int i = 0; i < 400000; i++) s += 3; assert(%s); }"
    )
    for condition, word in (("s == 1200000", "safe"), ("s != 1200000", "unsafe")):
        file.write_text(text % condition)
        result = verify(str(file), Options(engine="executions", workers=1, journal=None))
        assert result.verdict.word == word
        assert "machine code" in result.verdict.validation  # type: ignore[union-attr]


def test_a_long_violation_that_may_depend_on_a_function_without_a_body_is_none(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    file = tmp_path / "long.c"
    loop = "for (int i = 0; i < 400000; i++) s += 3;"
    body = f"int x = %s(); unsigned s = 0; {loop} assert(x != 77);"
    text = f"#include <assert.h>\nextern int %s(void);\nint main(void) {{ {body} }}"
    for function, word in (("asked", "unknown"), ("__VERIFIER_nondet_int", "unsafe")):
        file.write_text(text % (function, function))
        options = Options(engine="executions", engines=(ExecutionsOptions(steps=1_000_000),), workers=1, journal=None)
        assert verify(str(file), options).verdict.word == word
