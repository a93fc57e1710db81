"""One real run in one of several ways, with real faults: processes that are ended by SIGKILL.

    run_way(task, Way.named("local-2-killed"), [], timelimit=20.0, seed=0)["answer"]

Processes are found in /proc: those that descend from the run, and, of Ray's, only those that do a worker's work.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

from bench.tasks import Task

_MOST_KILLS = 3
_GRACE_SECONDS = 60.0  # a run ends by itself at its limit; later it is killed, and that is an error
_LEFT_BEHIND_SECONDS = 10.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Way:
    runtime: str
    workers: int
    fault: str = ""
    address: str = ""  # of a Ray cluster that is there already

    @staticmethod
    def named(name: str, address: str = "") -> Way:
        """
        >>> Way.named("ray-2-resumed")
        Way(runtime='ray', workers=2, fault='resumed', address='')
        """
        if not (found := re.fullmatch(r"(local|ray|simulated)-(\d+)(?:-(killed|resumed))?", name)):
            raise SystemExit(f"{name} is no way to run: RUNTIME-WORKERS, or that and -killed or -resumed")
        runtime, workers, fault = found.groups(default="")
        return Way(runtime, int(workers), fault, address if runtime == "ray" else "")

    def __str__(self) -> str:
        return "-".join([self.runtime, str(self.workers), *([self.fault] if self.fault else [])])


def run_way(task: Task, way: Way, arguments: Sequence[str], *, timelimit: float, seed: int) -> dict[str, Any]:
    dice = Random(f"{seed} {task.path} {way}")
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="cleave-agreement-") as folder:
        chosen = [f"--workers={way.workers}", f"--on={way.runtime}", f"--journal={folder}"]
        chosen += [f"--address={way.address}"] if way.address else []
        common = ["--json", "--quiet", "--trace=none", f"--timelimit={timelimit}"]
        run = _Run(["verify", str(task.file), *common, *chosen, *task.arguments_with(_with_engine(task, arguments))])
        if way.fault == "killed":
            run.kill_workers(dice, within=timelimit / 2)
        resumed = way.fault == "resumed" and run.kill_itself(dice, within=timelimit / 2)
        told = run.told(timelimit + _GRACE_SECONDS)
        faults, left_behind = run.faults, run.left_behind()
        if resumed and list(Path(folder).iterdir()):
            again = _Run(["resume", "latest", f"--journal={folder}", *common])
            told = again.told(timelimit + _GRACE_SECONDS)
            left_behind += again.left_behind()
        elif resumed:
            told = {"verdict": "unknown", "reason": "killed before it had a journal"}
    verdict = "refused" if "error" in told else told["verdict"]
    answer = "given up" if verdict == "unknown" else verdict
    note = told.get("error") or told.get("reason") or ""
    seconds = round(monotonic() - began, 2)
    return {"answer": answer, "note": note[:200], "faults": faults, "left_behind": left_behind, "real_seconds": seconds}


def _with_engine(task: Task, arguments: Sequence[str]) -> list[str]:
    """One engine: a plan of several depends on the number of workers, and so does how much it proves."""
    if any(one.startswith("--engine=") for one in arguments):
        return list(arguments)
    usual = "inline" if task.file.suffix in (".bpl", ".c", ".i") else "pdr"
    return [f"--engine={usual}", *arguments]


class _Run:
    """A process of Cleave's and those that it started."""

    def __init__(self, arguments: Sequence[str]) -> None:
        command = [sys.executable, "-m", "cleave.cli.main", *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._seen: dict[int, str] = {}
        self.faults = 0

    def kill_workers(self, dice: Random, within: float) -> None:
        """Some workers, one after the other, at random moments."""
        until = monotonic() + within
        for _ in range(dice.randint(1, _MOST_KILLS)):
            if not self._waited(dice.uniform(0.0, max(0.0, until - monotonic()) / _MOST_KILLS)):
                return
            if workers := [pid for pid, command in self._started() if _is_worker(command)]:
                self.faults += _killed(dice.choice(workers))

    def kill_itself(self, dice: Random, within: float) -> bool:
        """Whether there still was something to kill."""
        if not self._waited(dice.uniform(0.5, within)):
            return False
        self._started()  # so that they are known afterwards
        self.faults += _killed(self._process.pid)
        return True

    def told(self, seconds: float) -> dict[str, Any]:
        try:
            out, err = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return {"error": "it does not end"}
        try:
            found: dict[str, Any] = json.loads(out.splitlines()[0])
            return found
        except (IndexError, json.JSONDecodeError):
            return {"error": (err.splitlines() or [f"exit code {self._process.returncode}"])[-1]}

    def left_behind(self) -> int:
        """How many of the processes that were seen are there for too long."""
        until = monotonic() + _LEFT_BEHIND_SECONDS
        while (there := sum(_command(pid) == command for pid, command in self._seen.items())) and monotonic() < until:
            sleep(_POLL_SECONDS)
        return there

    def _waited(self, seconds: float) -> bool:
        """Whether the run still goes on after so many seconds."""
        until = monotonic() + seconds
        while monotonic() < until and self._process.poll() is None:
            sleep(_POLL_SECONDS)
        return self._process.poll() is None

    def _started(self) -> list[tuple[int, str]]:
        found = [(pid, _command(pid)) for pid in _descendants(self._process.pid)]
        self._seen.update((pid, command) for pid, command in found if _is_worker(command))
        return found


def _killed(pid: int) -> int:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def _is_worker(command: str) -> bool:
    """A local worker, or an actor of Ray's. Its agents, which end a minute after their node, are none."""
    is_actor = command.startswith("ray::") and not any(word in command for word in ("IDLE", "Agent"))
    return "cleave.runtime.child" in command or is_actor


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # it has ended meanwhile
            continue
        for child in map(int, children):
            yield child
            yield from _descendants(child)


def _command(pid: int) -> str:
    """The command line of a process, nothing if it is not there or has ended already."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""
