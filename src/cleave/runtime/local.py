"""A crew of processes on this machine: the default, nothing to set up.

    with LocalCrew(Assignment("cleave.engines.inline.worker:work", task)) as crew:
        crew.hire(2)
        crew.events(1.0)        # [Joined(1, "local, process 4711")]

Each worker is a process of its own (see `child`), so whatever happens to it, a crash in a solver's native code too,
costs only what that worker was doing: it is `Lost`, and one with a new number takes its place. So is one that gives no
sign of life (see `life`). No process outlives the
crew, and none outlives this process, however it ends: a worker exits as soon as its connection is closed.

Nothing here blocks on a worker. What a worker is not ready to read is kept and sent on while `events` waits.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import IO

import msgspec

from cleave.engines.coordination import Event, Joined, Lost, Received
from cleave.errors import CleaveError
from cleave.runtime.child import EXIT_MEMORY, EXIT_RAISED, Briefing
from cleave.runtime.crew import Assignment
from cleave.runtime.life import Life
from cleave.runtime.stream import CHUNK_BYTES, Unframing, framed
from cleave.verdict import Reason, StoppedError

SILENT = "no sign of life"
_FAILED_STARTS = 3  # in a row: then there is no point in trying again
_REASON_CHARACTERS = 500

_START = "from cleave.runtime.child import main; main()"  # with -m the module would be there twice


class LocalCrew:
    """``memlimit_mb`` is for each worker, 0 for none; ``environment`` is added to this process's own. Workers are
    numbered from ``first``: a run that goes on after a break must not use a number again."""

    def __init__(
        self,
        assignment: Assignment,
        *,
        memlimit_mb: int = 0,
        environment: Mapping[str, str] | None = None,
        first: int = 1,
    ) -> None:
        self._assignment = assignment
        self._memlimit_mb = memlimit_mb
        self._environment = {**os.environ, **(environment or {})}
        self._next_number = first
        self._wanted = 0
        self._failed_starts = 0
        self._processes: dict[int, WorkerProcess] = {}
        self._selector = DefaultSelector()
        self._started = monotonic()

    def __enter__(self) -> LocalCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hire(self, workers: int) -> None:
        self._wanted = workers
        while len(self._processes) < self._wanted:
            self._start()

    def send(self, worker: int, message: bytes) -> None:
        if process := self._processes.get(worker):
            process.send(message)
            self._select(process)

    def events(self, seconds: float) -> list[Event]:
        deadline = monotonic() + seconds
        while True:
            events: list[Event] = []
            for key, ready in self._selector.select(max(0.0, deadline - monotonic())):
                process: WorkerProcess = key.data
                if ready & EVENT_WRITE:
                    process.flush()
                    self._select(process)
                if ready & EVENT_READ:
                    events += self._read(process)
            events += self._hung()
            if events or monotonic() >= deadline:
                return events

    def now(self) -> float:
        return monotonic() - self._started

    def close(self) -> None:
        self._wanted = 0
        for process in self._processes.values():
            process.kill()
        while self._processes:
            _, process = self._processes.popitem()
            self._selector.unregister(process.connection)
            process.bury()
        self._selector.close()

    def _start(self) -> None:
        number = self._next_number
        self._next_number += 1
        briefing = Briefing(self._assignment.worker, self._assignment.task, number, self._memlimit_mb)
        process = WorkerProcess(number, self._environment)
        self._processes[number] = process
        self._selector.register(process.connection, EVENT_READ, process)
        self.send(number, msgspec.msgpack.encode(briefing))

    def _select(self, process: WorkerProcess) -> None:
        """Asks to be told when the worker can read on only while there is something to write."""
        wanted = EVENT_READ | EVENT_WRITE if process.outgoing else EVENT_READ
        if self._selector.get_key(process.connection).events != wanted:
            self._selector.modify(process.connection, wanted, process)

    def _read(self, process: WorkerProcess) -> list[Event]:
        messages = process.receive()
        if messages is None:
            return self._lose(process)
        events: list[Event] = []
        if messages and not process.joined:
            process.joined = True
            self._failed_starts = 0
            events.append(Joined(process.number, f"local, process {process.pid}"))
            messages = messages[1:]
        return events + [Received(process.number, message) for message in messages]

    def _hung(self) -> list[Event]:
        """Of workers that give no sign of life."""
        now = monotonic()
        silent = [process for process in self._processes.values() if process.life.is_hung(now)]
        return [event for process in silent for event in self._lose(process, SILENT)]

    def _lose(self, process: WorkerProcess, why: str = "") -> list[Event]:
        del self._processes[process.number]
        self._selector.unregister(process.connection)
        reason = process.bury()
        reason = why or reason
        if not process.joined:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                if process.raised:
                    raise CleaveError(f"workers can't start: {reason}")
                raise StoppedError(Reason.WORKERS, f"{_FAILED_STARTS} in a row ended while they started: {reason}")
        self.hire(self._wanted)
        return [Lost(process.number, reason)] if process.joined else []


class ChildProcess:
    """A process that is talked to over a socket. ``start`` is what it runs, in Python; it gets the socket's number."""

    def __init__(self, start: str, environment: Mapping[str, str]) -> None:
        self.outgoing = bytearray()
        self._incoming = Unframing()
        try:
            self._log = _file_without_name()  # closed by bury
            self.connection, theirs = socket.socketpair()
            self.connection.setblocking(False)
            with theirs:
                self._popen = _spawn(start, theirs.fileno(), self._log.fileno(), environment)
        except OSError as error:
            raise StoppedError(Reason.WORKERS, f"a process can't be started: {error}") from error
        self.pid = self._popen.pid
        self.raised = False  # whether an error of its own ended it

    def send(self, message: bytes) -> None:
        self.outgoing += framed(message)
        self.flush()

    def flush(self) -> None:
        """Writes as much as the worker takes now."""
        try:
            while self.outgoing:
                del self.outgoing[: self.connection.send(self.outgoing[:CHUNK_BYTES])]
        except BlockingIOError:
            pass
        except OSError:
            self.outgoing.clear()  # the worker is gone, as reading from it will tell

    def receive(self) -> list[bytes] | None:
        """The messages that are complete by now; None if there will be no more."""
        try:
            data = self.connection.recv(CHUNK_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            return None
        return self._incoming.feed(data) if data else None

    def kill(self) -> None:
        self._popen.kill()

    def bury(self) -> str:
        """Waits until the process is gone; says why it went."""
        self.kill()  # changes nothing, not even the exit code, where the process is on its way out already
        code = self._popen.wait()
        self.raised = code == EXIT_RAISED
        said = self._last_line()
        self.connection.close()
        self._log.close()
        if code == EXIT_MEMORY:
            return "memory"
        if code == EXIT_RAISED and said:
            return said
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"{how}: {said}" if said else how

    def _last_line(self) -> str:
        end = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), 4 * _REASON_CHARACTERS, max(0, end - 4 * _REASON_CHARACTERS))
        lines = tail.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:_REASON_CHARACTERS]


class WorkerProcess(ChildProcess):
    """One worker's process, seen from the coordinator's."""

    def __init__(self, number: int, environment: Mapping[str, str]) -> None:
        super().__init__(_START, environment)
        self.number = number
        self.joined = False
        self.life = Life(self.pid)
        self._is_ready = False

    def receive(self) -> list[bytes] | None:
        """Without signs of life: only the first empty message says something."""
        messages = super().receive()
        if not messages:
            return messages
        self.life.heard()
        first = messages[: not self._is_ready]
        self._is_ready = True
        return first + [message for message in messages[len(first) :] if message]


def _file_without_name() -> IO[bytes]:
    """In memory where the system can do that: nothing of it is ever in a folder."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("cleave-log"), "w+b", buffering=0)
    return tempfile.TemporaryFile()


def _spawn(start: str, connection: int, log: int, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Ctrl-C reaches every process of the terminal, but it is for the coordinator to decide what follows. Workers start
    and stay with it blocked: a handler would come too late for a new process, and Z3 puts its own in place of ours."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(
            # -P: what happens to lie in the current directory is not for import.
            [sys.executable, "-P", "-c", start, str(connection)],
            pass_fds=(connection,),
            stdin=subprocess.DEVNULL,
            stdout=log,  # what our process prints is for its user to read, maybe as JSON
            stderr=log,
            env=environment,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
