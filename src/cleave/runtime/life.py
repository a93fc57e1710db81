"""Signs of life of a worker's process, seen from outside: a process that is stopped, frozen or deadlocked gives none.

    life = Life(pid)
    life.heard()                # whenever a message comes; a worker sends an empty one every second
    life.is_hung(now)           # looks; True after ten seconds in which there was no sign

A solver may keep the thread that sends from running, and a busy machine may keep the whole process from running. So
silence alone says nothing: that the process uses processor time, or waits for a processor, are signs, too. Time in
which nobody looked does not count: then this process was stopped itself.
"""

from __future__ import annotations

from pathlib import Path

BEAT_SECONDS = 1.0
_SILENT_SECONDS = 10.0
_LOOK_SECONDS = 1.0  # the most that one look counts for
_RUNNING = "R"


class Life:
    def __init__(self, process: int) -> None:
        self._folder = Path(f"/proc/{process}/task")
        self._used = -1
        self._silent = 0.0
        self._looked: float | None = None

    def heard(self) -> None:
        self._silent = 0.0

    def is_hung(self, now: float) -> bool:
        """Never, where the system does not tell about processes."""
        passed = 0.0 if self._looked is None else min(now - self._looked, _LOOK_SECONDS)
        if self._looked is not None and now - self._looked < _LOOK_SECONDS / 2:
            return False
        self._looked = now
        try:
            threads = [path.read_text().rpartition(")")[2].split() for path in self._folder.glob("*/stat")]
            used = sum(int(thread[11]) + int(thread[12]) for thread in threads)
        except (OSError, ValueError, IndexError):
            return False  # one has just ended, or all, as reading from it will tell
        runs = not threads or any(thread[0] == _RUNNING for thread in threads)
        self._silent = 0.0 if runs or used != self._used else self._silent + passed
        self._used = used
        return self._silent >= _SILENT_SECONDS
