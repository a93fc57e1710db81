"""``cleave batch`` as its users run it: rows, crashes, limits, going on after kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from cleave.batch.attempt import Attempt
from cleave.batch.rows import Row, read_rows
from cleave.batch.schedule import on_this_machine
from cleave.batch.task import Limits, Task
from cleave.cli.main import main

SAFE = "procedure main() { var x: int; x := 1; assert x == 1; }"
UNSAFE = "procedure main() { var x: int; assert x != 5; }"


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "safe.bpl").write_text(SAFE)
    (folder / "unsafe.bpl").write_text(UNSAFE)
    (folder / "broken.bpl").write_text("procedure main( {")
    (folder / "tasks.csv").write_text("file,expected\nsafe.bpl,safe\nunsafe.bpl,unsafe\nbroken.bpl,safe\n")
    return folder


def _rows(out: Path) -> list[Row]:
    return list(read_rows(out / "rows.jsonl"))


def test_each_task_is_a_row_and_is_not_run_again(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", str(tasks), "--out", "o", "--junit", "j.xml", "--", "--engine", "inline"]) == 2
    captured = capsys.readouterr()
    assert "3 tasks: 2 correct, 1 error; score 3" in captured.out
    assert "broken.bpl" in captured.out
    assert {Path(file).name for file in os.listdir("o")} == {"rows.jsonl", "rows.csv", "junit.xml", "table.html"}
    assert Path("j.xml").read_text() == Path("o/junit.xml").read_text()
    rows = {Path(row.name).name: row for row in _rows(Path("o"))}
    assert rows["unsafe.bpl"].engine == "inline"
    assert rows["unsafe.bpl"].violated
    assert all(row.cpu_seconds > 0 and row.memory_mb > 10 and row.seconds > 0 for row in rows.values())

    (tasks / "broken.bpl").write_text(UNSAFE)
    before = len(_rows(Path("o")))
    assert main(["batch", str(tasks), "--out", "o", "--json", "--", "--engine", "inline"]) == 10  # wrong
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["status"] for one in told] == ["correct", "correct", "wrong"]
    assert len(_rows(Path("o"))) == before + 1


def test_a_project_and_files_of_each_task(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cleave.toml").write_text('[[program]]\nname = "one"\nfiles = ["tasks/unsafe.bpl"]\nexpected = "unsafe"\n')
    assert main(["batch", "--quiet", "--write", "sarif"]) == 0
    assert "1 tasks: 1 correct" in capsys.readouterr().out
    (file,) = Path("cleave-batch/files").iterdir()
    assert "assert" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to verify"),
        (["no.c"], "matches none"),
        (["tasks", "--", "--enginee", "pdr"], "--enginee"),
        (["tasks", "--write", "wittness"], "'wittness' is none of"),
        (["tasks", "--address", "x"], "it needs --on ray"),
        (["tasks", "--compare", "nowhere"], "can't read nowhere"),
        (["tasks", "--out", "tasks/safe.bpl"], "can't make the folder"),
    ],
)
def test_mistakes_are_one_sentence(
    tasks: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["batch", *arguments]) in (1, 2)
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_two_sets_of_results_are_compared(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, verdict in (("a", "safe"), ("b", "unsafe")):
        Path(name).mkdir()
        row: dict[str, Any] = {"name": "t", "key": "1", "verdict": verdict, "expected": "safe"}
        Path(name, "rows.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["batch", "--compare", "a", "b", "--table", "t.html"]) == 0
    html = Path("t.html").read_text()
    assert "Different verdicts" in html
    assert "a against b" in html
    assert "1 tasks: 1 wrong" in capsys.readouterr().out


@pytest.mark.slow
def test_a_batch_on_ray(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray")
    assert main(["batch", "tasks/safe.bpl", "tasks/unsafe.bpl", "--on=ray", "--jobs=2", "--fail-on=none"]) == 0
    assert "2 tasks: 2 unjudged" in capsys.readouterr().out


# --- limits and crashes ---------------------------------------------------------------------------------------------


class _Script(Task, frozen=True):
    """A process that does what a test wants."""

    script: str = ""

    def command(self, python: str) -> list[str]:
        return [python, "-c", self.script]


def _of(scripts: Iterable[str], **limits: Any) -> list[Row]:
    tasks = [
        (str(n), _Script(name=str(n), files=(), script=one, limits=Limits(**limits))) for n, one in enumerate(scripts)
    ]
    return sorted(on_this_machine(tasks, jobs=2), key=lambda row: row.name)


def test_a_task_that_crashes_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = "import os, sys; print('half', file=sys.stderr); os.kill(os.getpid(), 11)"
    first, second, third = _of([crash, "print('{\"verdict\": ')", "raise SystemExit(3)"])
    assert (first.verdict, first.reason, first.exit_code) == ("error", "ended by signal SIGSEGV: half", -11)
    assert second.reason == "no result, exit code 0"
    assert third.reason == "no result, exit code 3"


def test_limits_are_kept_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cleave.batch.attempt._GRACE_SECONDS", 0.2)
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', {!r}])"
    busy, large = "while True: pass", "data = bytearray(200_000_000)\nwhile True: pass"
    (wall,) = _of(["import time; time.sleep(60)"], seconds=0.5)
    (cpu,) = _of([child.format(busy)], cpu_seconds=0.5)
    (memory,) = _of([child.format(large)], memory_mb=100)
    assert (wall.verdict, wall.reason) == ("unknown", "timeout: killed")
    assert cpu.reason == "timeout: killed at the limit of processor time"
    assert memory.reason == "memory: killed"
    assert memory.memory_mb > 100
    assert cpu.cpu_seconds >= 0.5


def test_nothing_that_was_started_goes_on_after_a_kill() -> None:
    sleeping = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    script = (
        f"import subprocess, sys, time; other = subprocess.Popen({sleeping}, start_new_session=True);"
        " print(other.pid, flush=True); time.sleep(60)"
    )
    attempt = Attempt(_Script(name="x", files=(), script=script), "k")
    end = time.monotonic() + 20
    while not (told := attempt._read(attempt._out).strip()) and time.monotonic() < end:
        time.sleep(0.05)
    attempt.kill("interrupted")
    assert _is_gone(int(told))


def test_kill_9_and_going_on_give_the_same_table(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    for number in range(6):
        (folder / f"t{number}.bpl").write_text((SAFE, UNSAFE)[number % 2])
    command = [sys.executable, "-m", "cleave.cli.main", "batch", str(folder), "--quiet", "--jobs=2", "--fail-on=none"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert subprocess.run([*command, f"--out={whole}"], timeout=60).returncode == 0
    for rows in (1, 3):
        process = subprocess.Popen([*command, f"--out={broken}"])
        end = time.monotonic() + 30
        while time.monotonic() < end and process.poll() is None and _lines(broken) < rows:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert subprocess.run([*command, f"--out={broken}"], timeout=60).returncode == 0
    assert _table(broken) == _table(whole)
    names = [row.name for row in _rows(broken)]
    assert len(names) == len(set(names)) == 6  # what had a row was not run again


def _lines(out: Path) -> int:
    file = out / "rows.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def _table(out: Path) -> list[str]:
    """Without what differs from run to run."""
    return [",".join(line.split(",")[:6]) for line in (out / "rows.csv").read_text().splitlines()]


def _is_gone(process: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False
