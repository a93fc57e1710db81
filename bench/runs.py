"""Runs ``cleave verify`` as its user would, one process per task, and reads its JSON."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from bench.tasks import Task


@dataclass(frozen=True, slots=True)
class Measured:
    task: Task
    verdict: str  # of Cleave, or "error"
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


def run(task: Task, arguments: Iterable[str], timelimit: float) -> Measured:
    command = [sys.executable, "-m", "cleave.cli.main", "verify", str(task.file), "--json", "--quiet", "--trace=none"]
    command += ["--workers=1", "--journal=none", f"--timelimit={timelimit}", *task.arguments_with(arguments)]
    # A user's Python keeps what it has compiled: what is measured should not compile itself in each process.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    out, err = process.communicate()
    seconds = perf_counter() - started
    try:
        found = json.loads(out.splitlines()[0])
    except (IndexError, json.JSONDecodeError):
        return Measured(task, "error", (err or "nothing was printed").splitlines()[-1], seconds, 0.0, {})
    if "error" in found:
        return Measured(task, "error", found["error"], seconds, 0.0, {})
    statistics = found["statistics"]
    cpu = statistics.get("cpu_seconds", seconds)
    confirmed = found["validation"] or ""
    return Measured(task, found["verdict"], found["reason"] or "", seconds, cpu, statistics, confirmed)


def run_all(
    chosen: Iterable[Task], arguments: Iterable[str], timelimit: float, jobs: int | None = None
) -> Iterator[Measured]:
    """Results in the order of the tasks, as they come."""
    arguments = list(arguments)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        yield from pool.map(lambda task: run(task, arguments, timelimit), list(chosen))


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
