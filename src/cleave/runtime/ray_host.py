"""The actor on a node of a Ray cluster: an actor that starts a worker's process and passes messages on.

    host = ray.remote(WorkerHost).remote()
    host.start.remote("0.2.0", "cleave.engines.inline.worker:work", task, 7, 0)     # Place("10.0.0.7", 4711, 4710)
    host.deliver.remote(0, [b"first", b"second"])
    host.collect.remote(10.0)                                                       # ([b"", b"an answer"], None)

The first message of a worker is empty, and says that it is ready. `ray` has the other side.
"""

from __future__ import annotations

import os
import select
from contextlib import suppress
from time import monotonic

import msgspec

from cleave.errors import UsageError
from cleave.runtime.child import Briefing
from cleave.runtime.life import BEAT_SECONDS
from cleave.runtime.local import SILENT, WorkerProcess
from cleave.runtime.ray_cluster import load_ray
from cleave.version import __version__

_COLLECT_MESSAGES = 1000  # at once, so that a worker that never stops sending is heard
_WRITE_SECONDS = 10.0


class Place(msgspec.Struct, frozen=True):
    """Where a worker runs: on a node, as a process, below that of its actor."""

    node: str
    process: int
    actor: int

    def __str__(self) -> str:
        return f"Ray, node {self.node}, process {self.process}"


class WorkerHost:
    """The actor. ``deliver`` and ``collect`` have a thread each, so a worker that does not read can be heard."""

    _process: WorkerProcess

    def start(self, version: str, worker: str, task: bytes, number: int, memlimit_mb: int) -> Place:
        node: str = load_ray().util.get_node_ip_address()
        if version != __version__:
            raise UsageError(f"the Ray node {node} has Cleave {__version__}, but the coordinator's is {version}")
        self._incoming: dict[int, list[bytes]] = {}
        self._next_batch = 0
        self._process = WorkerProcess(number, os.environ)
        self._write(msgspec.msgpack.encode(Briefing(worker, task, number, memlimit_mb)))
        return Place(node, self._process.pid, os.getpid())

    def deliver(self, index: int, messages: list[bytes]) -> None:
        """Ray may make calls in another order: a large batch comes by another way than a small one."""
        self._incoming[index] = messages
        while self._next_batch in self._incoming:
            for message in self._incoming.pop(self._next_batch):
                self._write(message)
            self._next_batch += 1

    def collect(self, seconds: float) -> tuple[list[bytes], str | None]:
        """What the worker has sent; waits for something at most so long. Why it has ended, if so."""
        deadline = monotonic() + seconds
        messages: list[bytes] = []
        while True:
            if not self._ready(select.POLLIN, 0.0 if messages else min(BEAT_SECONDS, deadline - monotonic())):
                if messages or monotonic() >= deadline:
                    return messages, None
                if self._process.life.is_hung(monotonic()):
                    self._process.bury()
                    return [], SILENT
                continue
            received = self._process.receive()
            if received is None:
                return (messages, None) if messages else ([], self._process.bury())
            messages += received
            if len(messages) >= _COLLECT_MESSAGES:
                return messages, None

    def _write(self, message: bytes) -> None:
        self._process.send(message)
        with suppress(ValueError):  # the connection is closed: the worker has ended, as `collect` tells
            while self._process.outgoing:
                self._ready(select.POLLOUT, _WRITE_SECONDS)
                self._process.flush()

    def _ready(self, what: int, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._process.connection, what)
        return bool(poll.poll(max(0.0, seconds) * 1000))
