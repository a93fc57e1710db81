"""Carries out tasks, N at a time, and gives their rows as they come.

    for row in on_this_machine(tasks, jobs=4):
        store.add(row)

Rows come in the order in which tasks end. A generator that is closed ends what is running.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from time import sleep

from cleave.batch.attempt import Attempt
from cleave.batch.rows import Row
from cleave.batch.task import Task
from cleave.errors import MissingExtraError, UsageError

_POLL_SECONDS = 0.25  # limits are looked at so often; the end of a process is noticed at once

Keyed = tuple[str, Task]
OnTick = Callable[[Sequence[Task]], None]
"""Told now and then what is running."""


def on_this_machine(
    tasks: Sequence[Keyed], *, jobs: int, on_tick: OnTick | None = None, more: Callable[[Task], list[str]] | None = None
) -> Iterator[Row]:
    """``more`` gives further arguments of a task."""
    waiting, running, over = list(reversed(tasks)), list[Attempt](), list[Attempt]()
    with _Ends() as ends:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    key, task = waiting.pop()
                    attempt = Attempt(task, key, tuple(more(task)) if more is not None else ())
                    ends.add(attempt.process.pid)
                    running.append(attempt)
                for one in over:  # after others have taken their places: to keep a row takes a while
                    yield one.row()
                if on_tick is not None:
                    on_tick([one.task for one in running])
                ends.wait(_POLL_SECONDS)
                over = [one for one in running if one.is_over()]
                for one in over:
                    running.remove(one)
                    ends.remove(one.process.pid)
            for one in over:
                yield one.row()
        finally:
            for one in running:
                one.kill("interrupted")


class _Ends:
    """Waits until one of several processes ends; where the system can't, for a moment."""

    def __init__(self) -> None:
        self._selector = DefaultSelector()
        self._files: dict[int, int] = {}

    def __enter__(self) -> _Ends:
        return self

    def __exit__(self, *_: object) -> None:
        for process in list(self._files):
            self.remove(process)
        self._selector.close()

    def add(self, process: int) -> None:
        with suppress(AttributeError, OSError):
            self._files[process] = os.pidfd_open(process)
            self._selector.register(self._files[process], EVENT_READ)

    def remove(self, process: int) -> None:
        if process in self._files:
            file = self._files.pop(process)
            self._selector.unregister(file)
            os.close(file)

    def wait(self, seconds: float) -> None:
        if self._files:
            self._selector.select(seconds)
        else:
            sleep(seconds / 5)


def on_ray(
    tasks: Sequence[Keyed], *, jobs: int, cores: int, address: str | None, on_tick: OnTick | None = None
) -> Iterator[Row]:
    """A Ray cluster whose nodes see the same files and have Cleave installed. ``cores`` are those of one task."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("a batch on Ray needs Ray", "ray") from None
    try:
        ray.init(address=address, num_cpus=None if address else jobs * cores, log_to_driver=False, logging_level=40)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(f"there is no Ray cluster at {address or 'this machine'}: {error}") from None
    run = ray.remote(max_retries=3, num_cpus=cores)(carried_out)
    waiting, running = list(reversed(tasks)), dict[object, Keyed]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                key, task = waiting.pop()
                running[run.remote(key, task, os.getcwd())] = (key, task)
            if on_tick is not None:
                on_tick([task for _, task in running.values()])
            done, _ = ray.wait(list(running), timeout=_POLL_SECONDS)
            for one in done:
                key, task = running.pop(one)
                yield _received(ray, one, key, task)
    finally:
        ray.shutdown()


def _received(ray: object, reference: object, key: str, task: Task) -> Row:
    try:
        row: Row = ray.get(reference)  # type: ignore[attr-defined]
    except Exception as error:  # a node that is lost again and again is a row, too
        return Row(
            name=task.name, key=key, files=task.files, expected=task.expected, reason=f"lost on Ray: {error}"[:300]
        )
    return row


def carried_out(key: str, task: Task, folder: str) -> Row:
    """The row of one task, from a process of this machine. Files are named from ``folder``."""
    os.chdir(folder)
    (row,) = on_this_machine([(key, task)], jobs=1)
    return row
