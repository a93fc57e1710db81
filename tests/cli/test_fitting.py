"""An option that does not apply is an error in one sentence, whatever it asks for: never ignored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cleave.cli.main import main

FILES = {
    "a.c": "int main(void) { return 0; }\n",
    "a.bpl": "procedure main() { assert true; }\n",
    "t.bpl": "procedure p() { }\nprocedure {:entrypoint} main() { async call p(); }\n",
    "a.smt2": "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(assert (P 0))\n(check-sat)\n",
    "a.aag": "aag 1 0 1 0 0 1\n2 3\n2\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (1, "", 1), err
    return err


@pytest.mark.parametrize("file", ["a.bpl", "a.smt2", "a.aag"])
@pytest.mark.parametrize(
    "flags",
    [
        ["--32"],
        ["-D", "X=1"],
        ["-I", "."],
        ["--only", "division.1"],
        ["--loop-bound", "3"],
        ["--memory-model", "sc"],
        ["--no-spurious-wakeups"],
        ["--malloc-may-fail"],
        ["--no-malloc-may-fail"],
        ["--trust", "f"],
        ["--assume-pure"],
        ["--each"],
        ["--integers", "bits"],
        ["--witness", "w.yml"],
    ],
)
def test_options_of_c(folder: Path, capsys: pytest.CaptureFixture[str], file: str, flags: list[str]) -> None:
    said = refused(capsys, "plan", file, *flags)
    assert flags[0].replace("--no-malloc", "--malloc") in said
    assert "for programs in C" in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        # what says the default is no more ignored than another value
        (["a.smt2", "--engine", "cegar", "--seed", "0"], "--seed is for the engines inline, "),
        (["a.bpl", "--engine", "inline", "--iterations", "0"], "--iterations is for the engine cegar"),
        (["a.smt2", "--native"], "--native is for the engine executions"),
        (["a.bpl", "--cooperative"], "--cooperative is for programs with threads"),
        (["a.smt2", "--cooperative"], "--cooperative is for programs in Boogie"),
        (["a.bpl", "--invariants-from", "pdr"], "--invariants-from is for --engine inline; the plan without --engine"),
        (["a.bpl", "--engine", "executions", "--on", "simulated"], "--on simulated is for engines with workers"),
        (["a.bpl", "--modular", "--entry", "main"], "--entry names one procedure, and --modular is about each"),
        (["a.bpl", "--modular", "--sarif", "s.json"], "--sarif is about one verdict, and --modular gives many"),
        (
            ["a.bpl", "--infer", "houdini", "--report", "r.html"],
            "--report is about one verdict, and --infer gives many",
        ),
        (["t.bpl", "--engine", "executions", "--contexts", "3"], "--contexts is for the engine threads"),
        (["a.c", "--no-spurious-wakeups"], "--no-spurious-wakeups is for programs with threads"),
        (["a.c", "--loop-bound", "3"], "--check unwinding needs --loop-bound N, and the other way round"),
        (["a.c", "--check", "division", "--malloc-may-fail"], "--malloc-may-fail is for --check memory"),
        (["a.c", "--engine", "executions", "--integers", "math"], "the engine executions computes with bits"),
    ],
)
def test_options_of_others(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert complaint in refused(capsys, "plan", *arguments)


def test_what_is_on_can_be_turned_off(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "a.bpl", "--engine", "executions", "--no-native", "--json"]) == 0
    (stage,) = json.loads(capsys.readouterr().out)["stages"]
    assert stage["options"] == {"native": False}


def test_bits_alone_have_the_same_engines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--integers bits`` leaves out integers that wrap around, and nothing else."""
    assert main(["plan", "a.c", "--integers", "bits", "--json"]) == 0
    stages = json.loads(capsys.readouterr().out)["stages"]
    assert {"inline", "bmc", "pdr", "cegar"} <= {one["engine"] for one in stages}
    assert {one["integers"] for one in stages} == {"bits"}


@pytest.mark.parametrize("file", ["a.smt2", "a.bpl"])
def test_a_task_definition_of_another_language(folder: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    """What SV-COMP says about C is not an option that somebody gave."""
    name = "check-sat" if file.endswith("2") else "unreach-call"
    (folder / "task.yml").write_text(
        f"format_version: '2.0'\ninput_files: {file}\nproperties:\n"
        f"  - property_file: {name}.prp\n    expected_verdict: true\n"
    )
    assert main(["verify", "task.yml", "--json", "--quiet", "--journal", "none", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["expected"]) == ("safe", "safe")
