"""Verdicts of small tasks of every front end and engine have certificates, and the checker accepts them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cleave.cli.main import main
from cleave.run.request import Options
from cleave_check.__main__ import main as checker
from cleave_check.certificate import Certificate, read_certificate, sealed
from cleave_check.check import Report, check
from cleave_check.refusal import Undecided
from support.certified_tasks import TASKS, Task, run
from support.runs import begun


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_certificate_is_accepted(task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if task.needs_c and find_spec("ziglang") is None:
        pytest.skip("the extra 'c' is not installed")
    result, out = run(task, tmp_path)
    assert result.verdict.word == task.verdict
    assert not result.unwritten
    certificate = read_certificate(out.read_bytes())
    assert certificate.evidence["kind"] == task.kind
    assert certificate.claim.verdict == task.verdict
    assert certificate.claim.bounds == dict(result.bounds if task.verdict == "bounded-safe" else {})
    assert checker([str(out), str(tmp_path / task.name)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "accepted"
    assert any(line.startswith(f"claim: {task.verdict}") for line in said)
    assert any(line.startswith("checked: ") for line in said)
    shown = {"z3": "Z3", "bitwuzla": "Bitwuzla"}
    assert not any(f"rests on: {shown.get(name)}" in said for name in certificate.solvers)  # they searched
    assert "the files are these" in said[2]


def test_the_command_checks_as_the_module_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(TASKS[0], tmp_path)
    assert main(["check", str(out), str(tmp_path / TASKS[0].name)]) == 0
    first = capsys.readouterr().out
    assert checker([str(out), str(tmp_path / TASKS[0].name)]) == 0
    assert capsys.readouterr().out == first


def test_another_source_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(TASKS[0], tmp_path)
    other = tmp_path / "other.bpl"
    other.write_text(TASKS[0].text + " ")
    assert main(["check", str(out), str(other)]) == 13
    assert capsys.readouterr().out.startswith("refused: the certificate is about another source")


def test_a_run_that_goes_on_writes_its_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "count.bpl", tmp_path / "c.cleave"
    file.write_text(next(task.text for task in TASKS if task.name == "count.bpl"))
    options = Options(engine="pdr", workers=2, outputs={"certificate": str(out)})
    begun(str(file), options, tmp_path / "journals")
    assert main(["resume", "latest", "--journal", str(tmp_path / "journals")]) == 0
    assert checker([str(out), str(file)]) == 0
    assert "claim: safe: assertions, from main" in capsys.readouterr().out


def test_what_has_no_certificate_says_why(tmp_path: Path) -> None:
    # Every second call doubles the tree of calls, which the engine merges to a chain and a certificate does not.
    calls = "\n".join(
        f"procedure p{i}(x: int) returns (y: int) {{ if (*) {{ call y := p{i + 1}(x); }} else"
        f" {{ call y := p{i + 1}(x + 1); }} assert y != 77 || x > 50 || x < 0 || true; }}"
        for i in range(14)
    )
    text = (
        f"{calls}\nprocedure p14(x: int) returns (y: int) {{ assert x < 20; y := x; }}\n"
        "procedure {:entrypoint} main() { var y: int; call y := p0(0); }\n"
    )
    result, out = run(Task("chain.bpl", text, "safe", "inline"), tmp_path)
    assert result.verdict.word == "safe"
    assert not out.exists()
    (said,) = result.unwritten
    assert said.startswith("no certificate: ")


def test_a_proof_that_is_too_hard_is_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    task = next(task for task in TASKS if task.name == "down.bpl")

    def impatient(certificate: Certificate, **how: Any) -> Report:
        if certificate.evidence["split"] is None:
            raise Undecided("too hard as a whole")
        return check(certificate, **how)

    monkeypatch.setattr("cleave.export.certificate.check", impatient)
    _, out = run(task, tmp_path)
    assert checker([str(out)]) == 0
    assert "in 4 parts that cover the search" in capsys.readouterr().out


def test_a_certificate_is_text_that_people_can_read(tmp_path: Path) -> None:
    _, out = run(TASKS[0], tmp_path)
    whole = json.loads(out.read_text())
    assert list(whole) == ["format", "version", "claim", "origin", "evidence", "subject", "seal"]
    assert "proc main() -> () [entry] {" in whole["subject"]


def test_what_is_about_bits_needs_no_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pysat", reason="the extra 'sat' is not installed")
    task = next(task for task in TASKS if task.name == "counter.btor2")
    _, out = run(task, tmp_path)
    assert checker([str(out)]) == 0
    said = capsys.readouterr().out
    assert "each checked, shows it" in said
    assert said.count("rests on: ") == 1  # the front end
    assert checker([str(out), "--solver", "cvc5"]) == 0
    assert "rests on: cvc5" in capsys.readouterr().out
    content = json.loads(out.read_text())
    parts = {name: part for name, part in content.items() if name in ("claim", "origin", "subject")}
    refutations = [*content["evidence"]["refutations"][1:], content["evidence"]["refutations"][0]]
    out.write_text(sealed({**parts, "evidence": {**content["evidence"], "refutations": refutations}}))
    assert checker([str(out)]) == 11
