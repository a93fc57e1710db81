"""A crew of Ray actors: workers on every machine of a cluster.

    with RayCrew(assignment, address="10.0.0.1:6379") as crew:
        crew.hire(64)
        crew.events(1.0)        # [Joined(1, "Ray, node 10.0.0.7, process 4711"), ...]

Without an address a Ray of this run's own is started on this machine, and stopped in the end. With one, the cluster is
only joined: this machine must be a node of it, and Cleave must be installed on every node, the same version. Workers
that find no free CPU wait for one, so nodes that join during a run are used.

    coordinator's process                     a node
    RayCrew  -- deliver(index, messages) -->  WorkerHost (an actor)  -- stream -->  the worker's process (see `child`)
             <-- collect(): messages -------                        <-- stream --

The worker has a process of its own below the actor's, because a solver may keep Python from running anything else for
as long as it searches: what the worker sent before must not wait for that. The actor's process ends with the actor, the
node or the coordinator's process, and the worker's with the actor's. Ray may have made a call although it says that it
failed, so a worker is lost with the first call that fails, and nothing is sent twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeAlias

from cleave.engines.coordination import Event, Joined, Lost, Received
from cleave.errors import CleaveError, UsageError
from cleave.runtime.crew import Assignment
from cleave.runtime.local import SILENT
from cleave.runtime.ray_cluster import check_address, check_node, joined, last_line, load_ray, started
from cleave.runtime.ray_host import Place, WorkerHost
from cleave.verdict import Reason, StoppedError
from cleave.version import __version__

_FAILED_STARTS = 3  # in a row: then there is no point in trying again
_COLLECT_SECONDS = 10.0  # how long an actor waits before it says that there is nothing
_CLOSE_SECONDS = 10.0


class RayCrew:
    """``memlimit_mb`` is for each worker, 0 for none. Workers are numbered from ``first``: a run that goes on after a
    break must not use a number again. A process can have one such crew at a time."""

    def __init__(
        self, assignment: Assignment, *, address: str | None = None, memlimit_mb: int = 0, first: int = 1
    ) -> None:
        if address is not None:
            check_address(address)
        self._ray = load_ray()
        self._assignment = assignment
        self._address = address
        self._memlimit_mb = memlimit_mb
        self._next_number = first
        self._wanted = 0
        self._failed_starts = 0
        self._posts: dict[int, _Post] = {}
        self._calls: dict[Any, tuple[_Post, _OnAnswer]] = {}
        self._connection: ExitStack | None = None
        self._host: Any = None
        self._task: Any = None
        self._started = monotonic()

    def __enter__(self) -> RayCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hire(self, workers: int) -> None:
        self._wanted = workers
        while len(self._posts) < self._wanted:
            self._connect()
            self._start()

    def send(self, worker: int, message: bytes) -> None:
        """Is on its way when `events` is called next: together with whatever else is for that worker."""
        if post := self._posts.get(worker):
            post.outgoing.append(message)

    def events(self, seconds: float) -> list[Event]:
        deadline = monotonic() + seconds
        events = [event for post in list(self._posts.values()) for event in self._deliver(post)]
        while not events:
            for call in self._answered(max(0.0, deadline - monotonic())):
                events += self._on_answer(call)
            if monotonic() >= deadline:
                break
        return events

    def now(self) -> float:
        return monotonic() - self._started

    def close(self) -> None:
        self._wanted = 0
        if self._connection is None:
            return
        try:
            for post in self._posts.values():
                self._ray.kill(post.actor)
            if self._calls:  # which fail as soon as Ray has noticed
                self._ray.wait(list(self._calls), num_returns=len(self._calls), timeout=_CLOSE_SECONDS)
            self._wait_for_processes([post.place for post in self._posts.values() if post.place is not None])
        finally:
            self._posts.clear()
            self._calls.clear()
            self._connection.close()
            self._connection = None

    def _wait_for_processes(self, places: list[Place]) -> None:
        """Until those on this machine are gone, as they are on the others, too, a moment later."""
        here = self._ray.util.get_node_ip_address()
        processes = [number for place in places if place.node == here for number in (place.process, place.actor)]
        deadline = monotonic() + _CLOSE_SECONDS
        while any(map(_runs, processes)) and monotonic() < deadline:
            sleep(0.01)

    def _connect(self) -> None:
        if self._connection is not None:
            return
        connection = ExitStack()
        connection.enter_context(started(self._wanted) if self._address is None else joined(self._address))
        self._connection = connection
        # In a Ray of this run's own, the run says how many workers there are, not the number of CPUs.
        self._host = self._ray.remote(
            num_cpus=0 if self._address is None else 1,
            max_restarts=0,
            max_task_retries=0,
            concurrency_groups={"deliver": 1, "collect": 1},
        )(WorkerHost)
        self._task = self._ray.put(self._assignment.task)

    def _start(self) -> None:
        post = _Post(self._next_number, self._host.remote())
        self._next_number += 1
        self._posts[post.number] = post
        call = post.actor.start.remote(__version__, self._assignment.worker, self._task, post.number, self._memlimit_mb)
        self._calls[call] = (post, self._on_started)

    def _deliver(self, post: _Post) -> list[Event]:
        if post.place is None or not post.outgoing:
            return []
        try:
            call = post.actor.deliver.options(concurrency_group="deliver").remote(post.batches, post.outgoing)
        except Exception as error:
            return self._lose(post, _reason(error))
        self._calls[call] = (post, self._on_delivered)
        post.batches += 1
        post.outgoing = []
        return []

    def _collect(self, post: _Post) -> None:
        call = post.actor.collect.options(concurrency_group="collect").remote(_COLLECT_SECONDS)
        self._calls[call] = (post, self._on_collected)

    def _answered(self, seconds: float) -> list[Any]:
        """The calls that are answered; waits for the first at most so long."""
        calls = list(self._calls)
        if not calls:
            sleep(seconds)
            return []
        answered, _ = self._ray.wait(calls, timeout=seconds)
        if answered and len(calls) > 1:
            answered, _ = self._ray.wait(calls, num_returns=len(calls), timeout=0)
        return list(answered)

    def _on_answer(self, call: Any) -> list[Event]:
        if call not in self._calls:
            return []  # of a worker that another answer has shown to be lost
        post, on_answer = self._calls.pop(call)
        try:
            answer = self._ray.get(call)
        except UsageError as error:
            raise UsageError(last_line(error)) from error
        except Exception as error:
            return self._lose(post, _reason(error))
        return on_answer(post, answer)

    def _on_started(self, post: _Post, place: Place) -> list[Event]:
        post.place = place
        self._collect(post)
        return []

    def _on_delivered(self, post: _Post, _: None) -> list[Event]:
        return []

    def _on_collected(self, post: _Post, answer: tuple[list[bytes], str | None]) -> list[Event]:
        messages, ended = answer
        if ended is not None:
            return self._lose(post, ended)
        self._collect(post)
        events: list[Event] = []
        if messages and not post.joined:
            post.joined = True
            self._failed_starts = 0
            events.append(Joined(post.number, str(post.place)))
            messages = messages[1:]
        return events + [Received(post.number, message) for message in messages]

    def _lose(self, post: _Post, reason: str) -> list[Event]:
        del self._posts[post.number]
        self._calls = {call: (other, handler) for call, (other, handler) in self._calls.items() if other is not post}
        check_node()
        self._ray.kill(post.actor)
        if not post.joined:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                if reason in ("memory", SILENT) or reason.startswith("killed by"):
                    raise StoppedError(Reason.WORKERS, f"{_FAILED_STARTS} in a row ended while they started: {reason}")
                raise CleaveError(f"workers can't start: {reason}")
        self.hire(self._wanted)
        return [Lost(post.number, reason)] if post.joined else []


class _Post:
    """One worker, seen from the coordinator's process."""

    def __init__(self, number: int, actor: Any) -> None:
        self.number = number
        self.actor = actor
        self.place: Place | None = None
        self.joined = False
        self.outgoing: list[bytes] = []
        self.batches = 0


_OnAnswer: TypeAlias = Callable[[_Post, Any], list[Event]]


def _reason(error: Exception) -> str:
    """Why a call failed, of the page that Ray tells about it.

    >>> _reason(Exception("Worker exit type: SYSTEM_ERROR Worker exit detail: End of file. Some common causes ..."))
    "its actor's process died: End of file"
    """
    text = " ".join(str(error).split())
    if "OUT_OF_MEMORY" in text or type(error).__name__ == "OutOfMemoryError":
        return "memory"
    if "node has died" in text or "node was terminated" in text:
        return "its node died"
    if type(error).__name__ == "ActorUnavailableError":
        return "its actor does not answer"
    if detail := re.search(r"Worker exit detail: ([^.]*)", text):
        return f"its actor's process died: {detail[1]}"
    return last_line(error)


def _runs(process: int) -> bool:
    """One that has ended, and only waits for that to be noticed, does not run."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
