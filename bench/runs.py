"""Runs as processes of their own: a benchmark's own command, or ``cleave verify`` as its user would run it.

runs = Runs()
runs.reported([sys.executable, "-m", "bench.pdr_run", "a.smt2"], 60.0)["answer"]
runs.verified(task, ["--engine=pdr"], 60.0).verdict

A run keeps its limit itself; if it does not, it is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.tasks import Task

HOME = Path(__file__).parents[1]
"""From where bench can be imported."""

_GRACE_SECONDS = 60.0  # a run ends by itself at its limits; later it is killed
_ANSWERS = {"unknown": "given up"}


@dataclass(frozen=True, slots=True)
class Measured:
    task: Task
    verdict: str  # of Cleave; "refused" if it says why there is none, or "error"
    reason: str
    seconds: float
    cpu_seconds: float
    statistics: dict[str, Any]
    validation: str = ""  # how the verdict was confirmed

    @property
    def wrong(self) -> bool:
        claims = {"safe": "safe", "bounded-safe": "safe", "unsafe": "unsafe"}
        return self.task.expected != "unknown" and claims.get(self.verdict, self.task.expected) != self.task.expected

    @property
    def solved(self) -> bool:
        return self.verdict in ("safe", "bounded-safe", "unsafe")

    def told(self) -> dict[str, Any]:
        """As rows have it."""
        stopped = self.verdict == "unknown" and "timeout" in self.reason
        return {
            **self.statistics,
            "answer": "real limit" if stopped else _ANSWERS.get(self.verdict, self.verdict),
            "real_seconds": round(self.seconds, 2),
            "cpu_seconds": round(self.cpu_seconds, 2),
            "evidence": self.validation,
            "note": self.reason[:300],
        }


class Runs:
    """The processes under way."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()

    def reported(self, command: Sequence[str], timelimit: float) -> dict[str, Any]:
        """What a process says in its last line, as JSON; or why it says nothing."""
        began = perf_counter()
        lines, note = self._printed(command, timelimit)
        try:
            told: dict[str, Any] = json.loads(lines[-1])
        except (IndexError, json.JSONDecodeError):
            return {"answer": "error" if note else "real limit", "note": note, "real_seconds": perf_counter() - began}
        return told

    def verified(self, task: Task, arguments: Iterable[str], timelimit: float) -> Measured:
        command = [sys.executable, "-m", "cleave.cli.main", "verify", str(task.file), "--json", "--quiet"]
        command += ["--trace=none", "--workers=1", "--journal=none", f"--timelimit={timelimit}"]
        began = perf_counter()
        lines, note = self._printed([*command, *task.arguments_with(arguments)], timelimit)
        seconds = perf_counter() - began
        try:
            found = json.loads(lines[0])
        except (IndexError, json.JSONDecodeError):
            return Measured(task, "error", note or "it did not end", seconds, 0.0, {})
        if "error" in found:
            return Measured(task, "refused", found["error"], seconds, 0.0, {})
        statistics, confirmed = found["statistics"], found["validation"] or ""
        cpu = found.get("cpu_seconds") or seconds
        return Measured(task, found["verdict"], found["reason"] or "", seconds, cpu, statistics, confirmed)

    def kill(self) -> None:
        for process in list(self._running):
            process.kill()

    def _printed(self, command: Sequence[str], timelimit: float) -> tuple[list[str], str]:
        """The lines, and why there are none; nothing if it was killed because it did not end."""
        # A user's Python keeps what it has compiled: what is measured should not compile itself in each process.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=HOME, stdout=pipe, stderr=pipe, text=True, env=environment)
        self._running.add(process)
        try:
            out, err = process.communicate(timeout=timelimit + _GRACE_SECONDS if timelimit else None)
            return out.splitlines(), (err.splitlines() or [f"exit code {process.returncode}"])[-1][:200]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return [], ""
        finally:
            self._running.discard(process)


def run(task: Task, arguments: Iterable[str], timelimit: float) -> Measured:
    return Runs().verified(task, arguments, timelimit)


def run_all(
    chosen: Iterable[Task], arguments: Iterable[str], timelimit: float, jobs: int | None = None
) -> Iterator[Measured]:
    """Results in the order of the tasks, as they come."""
    arguments = list(arguments)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        yield from pool.map(lambda task: run(task, arguments, timelimit), list(chosen))
