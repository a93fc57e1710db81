"""Partitions that wait for a worker (HYDRA, section IV-B).

    push(worker, id)      at the left of the worker's own queue
    back(worker)          from the left of its own queue: the partition that it split off last
    take()                from the right of the longest queue: the oldest and smallest partition there

`SharedQueue` is the comparison: one queue for all, first in, first out, and no way back to one's own.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from typing import Protocol

ORPHANS = 0
"""The queue of partitions whose worker was lost; workers are numbered from 1."""


class WaitingPartitions(Protocol):
    def push(self, worker: int, partition: str) -> None: ...

    def back(self, worker: int) -> str | None: ...

    def take(self) -> str | None: ...

    def count(self, worker: int) -> int: ...

    def __len__(self) -> int: ...


class Deques:
    def __init__(self) -> None:
        self._queues: dict[int, deque[str]] = {}
        self._longest: list[tuple[int, int]] = []  # (-length, worker), one entry at least for each true length
        self._size = 0

    def push(self, worker: int, partition: str) -> None:
        queue = self._queues.setdefault(worker, deque())
        queue.appendleft(partition)
        self._size += 1
        self._note_length(worker, queue)

    def back(self, worker: int) -> str | None:
        queue = self._queues.get(worker)
        if not queue:
            return None
        return self._removed(worker, queue, queue.popleft())

    def take(self) -> str | None:
        while self._longest:
            length, worker = self._longest[0]
            queue = self._queues.get(worker)
            if queue and len(queue) == -length:
                return self._removed(worker, queue, queue.pop())
            heappop(self._longest)
        return None

    def count(self, worker: int) -> int:
        queue = self._queues.get(worker)
        return len(queue) if queue else 0

    def __len__(self) -> int:
        return self._size

    def _removed(self, worker: int, queue: deque[str], partition: str) -> str:
        self._size -= 1
        if queue:
            self._note_length(worker, queue)
        else:
            del self._queues[worker]
        return partition

    def _note_length(self, worker: int, queue: deque[str]) -> None:
        heappush(self._longest, (-len(queue), worker))
        if len(self._longest) > 2 * len(self._queues) + 64:  # mostly lengths of the past
            self._longest = [(-len(queue), worker) for worker, queue in self._queues.items()]
            heapify(self._longest)


class SharedQueue:
    def __init__(self) -> None:
        self._queue: deque[str] = deque()

    def push(self, worker: int, partition: str) -> None:
        self._queue.append(partition)

    def back(self, worker: int) -> str | None:
        return None

    def take(self) -> str | None:
        return self._queue.popleft() if self._queue else None

    def count(self, worker: int) -> int:
        return len(self._queue)

    def __len__(self) -> int:
        return len(self._queue)
