"""An engine and an export of another package: found by their entry points, with nothing of Cleave touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[1] / "support" / "plugins"
UNSAFE = "procedure main() { var x: int; havoc x; assert x != 0; }"
ENDLESS = "procedure main() { var x: int; x := 1; while (x > 0) { x := x + 1; } }"


def cleave(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), env=environment(folder), capture_output=True, text=True, timeout=100)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "cleave.cli.main", *arguments]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(PLUGINS), *sys.path)), "XDG_STATE_HOME": str(folder)}


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "p.bpl"
    file.write_text(UNSAFE)
    return str(file)


def test_help_names_them_and_their_flags(tmp_path: Path) -> None:
    short = " ".join(cleave(tmp_path, "verify", "--help").stdout.split())
    assert "dice" in short
    assert "--summary" in short
    assert "dice run the program now and then" in " ".join(cleave(tmp_path, "help", "engines").stdout.split())
    told = " ".join(cleave(tmp_path, "verify", "--help-all").stdout.split())
    assert "dice: run the program now and then" in told
    assert "--throws N" in told
    assert "--summary FILE" in told


@pytest.mark.parametrize("workers", ["1", "2"])
def test_verify_runs_it_and_says_what_it_did(tmp_path: Path, program: str, workers: str) -> None:
    ran = cleave(tmp_path, "verify", program, "--engine", "dice", "--throws", "9", "--workers", workers, "--json")
    found = json.loads(ran.stdout)
    assert (ran.returncode, found["verdict"], found["engine"]) == (10, "unsafe", "dice"), ran.stderr
    assert found["statistics"]["throws"] >= 1
    assert found["validation"] == "replayed"
    text = cleave(tmp_path, "verify", program, "--engine", "dice", "--workers", workers).stdout
    assert "throws" in text


def test_plan_show_and_json_know_it(tmp_path: Path, program: str) -> None:
    planned = cleave(tmp_path, "plan", program, "--engine", "dice", "--throws", "7").stdout
    assert "run the program now and then" in planned
    assert "throws 7" in planned
    cleave(tmp_path, "verify", program, "--engine", "dice", "--workers", "2")
    shown = cleave(tmp_path, "show", "latest").stdout
    assert "dice" in shown
    assert "unsafe" in shown


def test_resume_goes_on_with_it(tmp_path: Path) -> None:
    file = tmp_path / "p.bpl"
    file.write_text(ENDLESS)
    arguments = ("verify", str(file), "--engine", "dice", "--throws", "200000", "--workers", "2", "--quiet")
    run = subprocess.Popen(command(*arguments), env=environment(tmp_path), stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while "throws" not in (seen := cleave(tmp_path, "show", "latest", "--json").stdout) or '"running"' not in seen:
        assert time.monotonic() < deadline, seen
        time.sleep(0.2)
    run.send_signal(signal.SIGKILL)
    run.wait()
    ran = cleave(tmp_path, "resume", "latest", "--timelimit", "3", "--json", "--quiet")
    found = json.loads(ran.stdout)
    assert (found["verdict"], found["engine"]) == ("unknown", "dice"), ran.stderr


def test_a_flag_of_it_needs_it(tmp_path: Path, program: str) -> None:
    ran = cleave(tmp_path, "verify", program, "--engine", "inline", "--throws", "3")
    assert ran.returncode == 1
    assert "--throws is for the engine dice" in ran.stderr


def test_the_export_is_written(tmp_path: Path, program: str) -> None:
    out = tmp_path / "summary.txt"
    ran = cleave(tmp_path, "verify", program, "--engine", "inline", "--summary", str(out))
    assert ran.returncode == 10, ran.stderr
    assert out.read_text() == f"{program}: unsafe\n"
