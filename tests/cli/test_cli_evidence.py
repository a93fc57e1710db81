"""``--witness`` and ``--sarif``: what is refused, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cleave import Options
from cleave.cli.main import main
from support.runs import begun
from support.witness_shape import misshapen

C = "void reach_error(void);\nint main(void) { reach_error(); }\n"
BOOGIE = "procedure main() { assert false; }\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(C)
    (tmp_path / "p.bpl").write_text(BOOGIE)
    return tmp_path / "p.c"


@pytest.fixture
def _c() -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The message of a command that fails for its arguments."""
    assert main(["verify", "--workers=1", "--quiet", *map(str, arguments)]) == 1
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.count("\n") == 1
    return captured.err


def test_a_witness_is_of_c(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, program.with_suffix(".bpl"), "--witness", program.with_name("w.yml"))
    assert "--witness is for programs in C" in told


def test_no_witness_tells_a_deadlock(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "deadlock" in refused(capsys, program, "--check=deadlock", "--witness", program.with_name("w.yml"))


def test_a_witness_is_about_the_arithmetic_of_c(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "arithmetic" in refused(capsys, program, "--integers=math", "--witness", program.with_name("w.yml"))


@pytest.mark.parametrize("option", ["--witness", "--sarif"])
def test_inputs_are_not_overwritten(program: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    (program.parent / "folder").mkdir()
    again = program.parent / "folder" / ".." / program.name
    assert "another purpose" in refused(capsys, program, option, again)
    property_file = program.with_suffix(".prp")
    property_file.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )")
    assert "another purpose" in refused(capsys, program, "--property-file", property_file, option, property_file)
    assert program.read_text() == C


def test_the_program_of_a_task_is_an_input(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = program.with_suffix(".yml")
    task.write_text("format_version: '2.0'\ninput_files: 'p.c'\n")
    assert "another purpose" in refused(capsys, task, "--witness", program)
    assert "another purpose" in refused(capsys, task, "--witness", task)


def test_both_need_files_of_their_own(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = program.with_name("evidence")
    assert "another purpose" in refused(capsys, program, "--witness", same, "--sarif", same)
    assert not same.exists()


def test_places_that_can_not_be_written(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no folder" in refused(capsys, program, "--sarif", program.parent / "missing" / "log.sarif")
    assert "is a folder" in refused(capsys, program, "--sarif", program.parent)


def test_one_program_at_a_time(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = program.with_name("log.sarif")
    assert "one program" in refused(capsys, program, program.with_suffix(".bpl"), "--sarif", log)


@pytest.mark.usefixtures("_c")
def test_an_existing_file_is_replaced_only_by_evidence(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, witness = program.with_name("log.sarif"), program.with_name("w.yml")
    log.write_text("old")
    witness.write_text("old")
    program.write_text("this is no C")
    assert main(["verify", "--workers=1", str(program), "--sarif", str(log), "--witness", str(witness)]) == 2
    assert (log.read_text(), witness.read_text()) == ("old", "old")
    program.write_text(C)
    assert main(["verify", "--workers=1", str(program), "--sarif", str(log), "--witness", str(witness)]) == 10
    assert log.read_text().startswith("{")
    assert misshapen(yaml.safe_load(witness.read_text())) == []
    capsys.readouterr()


def test_a_run_that_goes_on_writes_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the run was asked for when it began, wherever it goes on."""
    program, log = tmp_path / "p.bpl", tmp_path / "log.sarif"
    program.write_text(BOOGIE)
    journals = ["--journal", str(tmp_path / "journals"), "--quiet"]
    begun(str(program), Options(workers=2, outputs={"sarif": str(log)}), tmp_path / "journals")
    assert not log.exists()
    assert main(["resume", "latest", *journals]) == 10
    assert '"ruleId": "assertions"' in log.read_text()
    log.unlink()
    assert main(["resume", "latest", *journals]) == 10
    assert "has finished already" in capsys.readouterr().err
    assert not log.exists()


def test_what_is_not_written_is_told_and_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, log = tmp_path / "p.bpl", tmp_path / "log.sarif"
    program.write_text(BOOGIE)
    journals = ["--journal", str(tmp_path / "journals"), "--quiet"]
    begun(str(program), Options(workers=2, outputs={"sarif": str(log)}), tmp_path / "journals")
    program.write_text("// a comment\n" + BOOGIE)
    assert main(["resume", "latest", *journals]) == 1
    captured = capsys.readouterr()
    assert "unsafe" in captured.out
    assert "the program has changed since the run began" in captured.out + captured.err
    assert not log.exists()


def test_inline_finds_no_invariant_to_write(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, program.with_suffix(".bpl"), "--engine=inline", "--invariant", program.with_name("inv.smt2"))
    assert "--invariant needs an engine that finds invariants; this plan runs inline" in told
