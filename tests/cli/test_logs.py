"""``--verbose``: steps on the standard error stream, and nothing anywhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cleave.cli.logs import show_logs
from cleave.cli.main import main

_LINE = re.compile(r"\d\d:\d\d:\d\d\.\d\d\d [a-z0-9_.]+: \S")


@pytest.mark.parametrize("arguments", [["-v", "verify"], ["verify", "-v"], ["--verbose", "verify"], ["-vv", "verify"]])
def test_steps_have_a_time_and_the_module(
    arguments: list[str], program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, program, "--workers", "1", "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["verdict"] == "safe"
    lines = printed.err.splitlines()
    assert all(map(_LINE.match, lines))
    assert any(f"frontends.read: reading {program}: " in line for line in lines)


def test_without_the_flag_nothing_is_logged(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["-v", "verify", program, "--workers", "1", "--quiet"])
    capsys.readouterr()
    main(["verify", program, "--workers", "1", "--quiet"])
    assert capsys.readouterr().err == ""


def test_workers_are_told_of(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-v", "verify", program, "--workers", "2", "--on", "simulated", "--quiet"]) == 0
    told = capsys.readouterr().err
    assert "journal.places: the journal is " in told
    assert "runtime.drive: worker 1 joined" in told
    assert "runtime.drive: the coordinator is done" in told


@pytest.fixture
def program(tmp_path: Path) -> str:
    """At a place of its own: what was read before is not read again."""
    path = tmp_path / "lock.bpl"
    path.write_bytes(Path("examples/lock.bpl").read_bytes())
    return str(path)


@pytest.fixture(autouse=True)
def _quiet_afterwards() -> Iterator[None]:
    yield
    show_logs(0)
