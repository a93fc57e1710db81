"""The examples do what their README says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cleave import BoundedSafe, InlineOptions, Options, Result, Safe, Unsafe, Verdict, verify
from cleave.cli.main import main
from cleave.engines.registry import engines
from cleave.frontends.c.properties.registry import properties
from cleave_check.__main__ import main as checked

EXAMPLES = Path(__file__).parent.parent / "examples"
VERDICTS: dict[str, type[Verdict]] = {
    "bikes.smt2": Safe,
    "chain.bpl": Safe,
    "lock.bpl": Safe,
    "ring.bpl": Safe,
    "withdraw.bpl": Unsafe,
}


def verified(name: str) -> Result:
    return verify(str(EXAMPLES / name))


def test_every_example_is_listed_and_checked() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    names = sorted(file.name for suffix in (".bpl", ".smt2") for file in EXAMPLES.glob(f"*{suffix}"))
    assert names == sorted(VERDICTS)
    assert all(f"({file.name})" in readme for file in EXAMPLES.iterdir() if file.name != "README.md")


def test_every_property_engine_and_format_has_a_command_that_is_run() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    commands = [line for line in readme.splitlines() if line.startswith("$ cleave verify ")]
    for name in properties():
        assert f"\n| `{name}` | [`" in readme
    for engine in engines():
        assert any(f"--engine {engine.name} " in f"{line} " for line in commands), engine.name
    for suffix in (".c", ".bpl", ".smt2", ".vmt", ".btor2", ".mcmt", ".aag", ".pl", ".yml"):
        assert any(f"{suffix} " in f"{line} " for line in commands), suffix


SOONER = {"ring.bpl": "cegar"}
"""The engine that has the verdict, of examples for which a plan of several takes long."""


CERTIFIED = ("bikes.smt2", "lock.bpl", "withdraw.bpl")
"""Of the others, the calls of `chain.bpl` are too large a tree where nothing is merged, and `ring.bpl` takes long."""


@pytest.mark.parametrize(("name", "expected"), VERDICTS.items())
def test_verdict(name: str, expected: type[Verdict], tmp_path: Path) -> None:
    out = tmp_path / "c.cleave"
    outputs = {"certificate": str(out)} if name in CERTIFIED else {}
    options = Options(engine=SOONER.get(name), workers=1 if name in SOONER else 2, outputs=outputs)
    assert isinstance(verify(str(EXAMPLES / name), options).verdict, expected)
    if name in CERTIFIED:
        assert checked([str(out), str(EXAMPLES / name)]) == 0


def test_ring_has_nothing_wrong_within_a_bound() -> None:
    result = verify(str(EXAMPLES / "ring.bpl"), Options(engine="inline", workers=1))
    assert isinstance(result.verdict, BoundedSafe)
    assert result.bounds["recursion"] >= 3


def test_withdraw_debits_twice_and_pays_nothing() -> None:
    found = verified("withdraw.bpl").verdict
    assert isinstance(found, Unsafe)
    assert "the books agree with the cash" in found.trace.violated
    assert {"main", "withdraw", "next_number", "ask", "debit", "take_back"} == {
        step.procedure for step in found.trace.steps
    }


def test_withdraw_is_safe_without_the_line_that_says_so(tmp_path: Path) -> None:
    lines = (EXAMPLES / "withdraw.bpl").read_text().splitlines()
    repaired = [line for line in lines if "without this line the program is safe" not in line]
    assert len(repaired) == len(lines) - 1
    file = tmp_path / "withdraw.bpl"
    file.write_text("\n".join(repaired))
    assert isinstance(verify(str(file)).verdict, Safe)


def test_lock_is_safe_although_calls_were_blocked_by_the_bound() -> None:
    result = verify(str(EXAMPLES / "lock.bpl"), Options(engine="inline", workers=1))
    assert isinstance(result.verdict, Safe)
    assert result.statistics["blocked_calls"] > 0


@pytest.mark.parametrize(("bound", "expected"), [(5, BoundedSafe), (6, Unsafe)])
def test_a_ring_that_overflows_needs_six_rounds(tmp_path: Path, bound: int, expected: type[Verdict]) -> None:
    right = (EXAMPLES / "ring.bpl").read_text()
    wrong = right.replace("count < 4", "count <= 4")
    assert wrong != right
    file = tmp_path / "ring.bpl"
    file.write_text(wrong)
    options = Options(engine="inline", engines=(InlineOptions(bounds=(bound,)),))
    assert isinstance(verify(str(file), options).verdict, expected)


@pytest.mark.parametrize(("merge", "instances"), [("first", 14), ("tree", 8192)])
def test_chain_as_a_dag_and_as_a_tree(capsys: pytest.CaptureFixture[str], merge: str, instances: int) -> None:
    assert main(["unfold", str(EXAMPLES / "chain.bpl"), "--merge", merge, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["instances"] == instances


def test_five_bikes_are_too_many(tmp_path: Path) -> None:
    right = (EXAMPLES / "bikes.smt2").read_text()
    wrong = right.replace("(= harbour 1)", "(= harbour 3)")
    assert wrong != right
    file = tmp_path / "bikes.smt2"
    file.write_text(wrong)
    found = verify(str(file)).verdict
    assert isinstance(found, Unsafe)
    assert [step.kind for step in found.trace.steps] == ["fact"] * 4 + ["violation"]
