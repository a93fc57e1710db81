"""One task as a process of its own, watched from outside.

    attempt = Attempt(task, key, folder)
    while not attempt.is_over():              # kills it, with all that it started, when a limit is hit
        ...
    attempt.row()                             # whatever happened: a crash is a row, too

The process dies with the batch, however that ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from time import monotonic
from typing import Any

from cleave.batch.rows import Row
from cleave.batch.task import Limits, Task
from cleave.usage import Tree, descendants, tree

_GRACE_SECONDS = 5.0  # beyond a limit of time, in which a task may still say what it has
_GRACE_SHARE = 1.05  # beyond a limit of memory, which tasks look at now and then
_OUTPUT_BYTES = 50_000_000
_PARENT_DIES = 1  # PR_SET_PDEATHSIG
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Attempt:
    def __init__(self, task: Task, key: str, arguments: tuple[str, ...] = ()) -> None:
        self.task = task
        self.key = key
        self._out = tempfile.TemporaryFile()  # noqa: SIM115
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        self._killed = ""
        self._seen = Tree(0.0, 0)
        self._ended: float | None = None
        self._usage: Any = None
        self._code = 0
        self.started = monotonic()
        command = task.command(sys.executable)
        command[len(command) - len(task.files) : len(command) - len(task.files)] = arguments
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # this process has one thread
        )

    @property
    def seconds(self) -> float:
        return (self._ended or monotonic()) - self.started

    def is_over(self) -> bool:
        """Looks at the limits, and ends what is beyond one."""
        if self._ended is not None:
            return True
        if not self._has_ended():
            self._look()
            why = _beyond(self.task.limits, self.seconds, self._seen)
            if not why:
                return False
            self.kill(why)
        return True

    def kill(self, why: str) -> None:
        """With all descendants: a worker may have a session of its own."""
        self._look()
        self._killed = why
        for process in reversed(list(descendants(self.process.pid))):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._wait(0)

    def row(self) -> Row:
        told = _last_object(self._read(self._out))
        common = {
            "name": self.task.name,
            "key": self.key,
            "files": self.task.files,
            "asked": self.task.asked,
            "expected": self.task.expected,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(max(self._seen.cpu_seconds, self._usage.ru_utime + self._usage.ru_stime), 3),
            "exit_code": self._code,
        }
        peak = max(self._seen.memory_bytes / 1e6, self._usage.ru_maxrss * 1024 / 1e6)
        common["memory_mb"] = round(max(peak, (told or {}).get("peak_memory_mb") or 0.0), 1)
        if self._killed:
            return Row(**common, verdict="unknown", reason=self._killed)
        if told is None or "error" in told:
            return Row(**common, verdict="error", reason=(told or {}).get("error") or self._crash())
        trace = told.get("trace") or {}
        return Row(
            **{**common, "expected": self.task.expected or told.get("expected")},
            verdict=told["verdict"],
            reason=told.get("reason") or "",
            engine=told.get("engine") or "",
            bounds=told.get("bounds") or {},
            violated=_violated(trace),
            validation=told.get("validation") or "",
        )

    def _crash(self) -> str:
        lines = self._read(self._err).decode("utf-8", "replace").strip().splitlines()
        said = f": {lines[-1][:300]}" if lines else ""
        if self._code < 0:
            return f"ended by signal {signal.Signals(-self._code).name}{said}"
        return f"no result, exit code {self._code}{said}"

    def _read(self, stream: Any) -> bytes:
        stream.seek(0)
        return bytes(stream.read(_OUTPUT_BYTES))

    def _look(self) -> None:
        now = tree(self.process.pid)
        self._seen = Tree(max(now.cpu_seconds, self._seen.cpu_seconds), max(now.memory_bytes, self._seen.memory_bytes))

    def _has_ended(self) -> bool:
        return self._wait(os.WNOHANG)

    def _wait(self, how: int) -> bool:
        """Not by `Popen`: only this tells what the process has used."""
        pid, status, usage = os.wait4(self.process.pid, how)
        if pid == 0:
            return False
        self._ended = monotonic()
        self._usage, self._code = usage, os.waitstatus_to_exitcode(status)
        self.process.returncode = self._code
        return True


def _beyond(limits: Limits, seconds: float, seen: Tree) -> str:
    if limits.seconds and seconds > limits.seconds + _GRACE_SECONDS:
        return "timeout: killed"
    if limits.cpu_seconds and seen.cpu_seconds > limits.cpu_seconds + _GRACE_SECONDS:
        return "timeout: killed at the limit of processor time"
    if limits.memory_mb and seen.memory_bytes > limits.memory_mb * 1e6 * _GRACE_SHARE:
        return "memory: killed"
    return ""


def _violated(trace: Mapping[str, Any]) -> str:
    """What is violated, and where."""
    what, place = trace.get("violated") or "", trace.get("location") or {}
    return f"{what}, at {place['file']}:{place['line']}:{place['column']}" if what and place else what


def _last_object(output: bytes) -> Mapping[str, Any] | None:
    for line in reversed(output.splitlines()):
        if line.startswith(b"{"):
            try:
                found = json.loads(line)
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
    return None


def _die_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(_PARENT_DIES, signal.SIGKILL)
