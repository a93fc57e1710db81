"""Limits hold while an input is read, and what is no file is not read at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from cleave.cli.main import main
from cleave.frontends.read import MOST_BYTES
from support.processes import children

_CLEAVE = [sys.executable, "-m", "cleave.cli.main", "verify", "--journal", "none", "--json"]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Takes far longer to read than the limits below."""
    file = tmp_path / "large.bpl"
    lines = (
        f"procedure p{n}() {{ var x: int; x := {n}; if (x > 3) {{ x := x * 2 + 1; }} assert x != 2; }}\n"
        for n in range(60_000)
    )
    file.write_text("".join(lines))
    return file


def test_a_time_limit_holds_while_the_input_is_read(large: Path) -> None:
    started = monotonic()
    done = subprocess.run([*_CLEAVE, "--timelimit", "1", str(large)], capture_output=True, check=False)
    assert monotonic() - started < 1 + 1 + 1.5  # the last: starting Python on a busy machine
    assert done.returncode == 5
    assert "timeout" in json.loads(done.stdout)["reason"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_heard_while_the_input_is_read(large: Path, number: int) -> None:
    process = subprocess.Popen([*_CLEAVE, str(large)], stdout=subprocess.PIPE)
    sleep(1.5)
    process.send_signal(number)
    started = monotonic()
    out, _ = process.communicate()
    assert monotonic() - started < 1.5
    assert process.returncode == 5
    assert "interrupted" in json.loads(out)["reason"]


def test_memory_has_a_limit_while_the_input_is_read(large: Path) -> None:
    done = subprocess.run([*_CLEAVE, "--memlimit", "150", str(large)], capture_output=True, check=False)
    assert done.returncode == 5
    assert "memory" in json.loads(done.stdout)["reason"]


def test_the_compiler_ends_with_an_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "bomb.c"
    macros = "".join(f"#define A{n + 1} A{n}+A{n}\n" for n in range(60))
    file.write_text(f"#define A0 x\n{macros}int x; int main(void) {{ return A60; }}\n")
    process = subprocess.Popen([*_CLEAVE, str(file)], stdout=subprocess.PIPE)
    deadline = monotonic() + 20
    while not (found := list(children(process.pid))) and monotonic() < deadline:
        sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 5
    assert "interrupted" in json.loads(out)["reason"]
    assert found
    assert not any(os.path.exists(f"/proc/{one}") for one in found)


def test_only_regular_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.bpl")
    (tmp_path / "zero.c").symlink_to("/dev/zero")
    (tmp_path / "folder.smt2").mkdir()
    with open(tmp_path / "huge.bpl", "wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    for name, why in {"pipe.bpl": "pipe", "zero.c": "device", "folder.smt2": "irectory", "huge.bpl": "bytes"}.items():
        assert main(["verify", str(tmp_path / name), "--journal", "none"]) == 2
        assert why in capsys.readouterr().err
