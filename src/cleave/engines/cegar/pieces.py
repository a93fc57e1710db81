"""Work that waits for a worker: transitions from states.

The transitions of a location are divided into parts once and for all. The worker that gets a part first keeps it, as
long as there is anything: what it has found out about these transitions answers most of its questions. When a worker
would have nothing else to do, it takes what others could have had, for good if they have more than their share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from cleave.engines.cegar.exploration import State
from cleave.engines.cegar.posts import Asked

_Part = tuple[int, int]
"""A location, and which part of its transitions."""

_NOBODY = 0


class PieceQueue:
    """``chunk`` is the number of transitions of a part. Its length is that of transitions that wait."""

    def __init__(self, chunk: int) -> None:
        self._chunk = chunk
        self._ranks: dict[int, int] = {}  # of a transition, among those of its location
        self._counts: dict[int, int] = {}
        self._waiting: dict[_Part, deque[tuple[State, Sequence[Asked]]]] = {}
        self._owners: dict[_Part, int] = {}
        self._owned: dict[int, int] = {}  # how many parts each worker has
        self._ready: dict[int, dict[_Part, None]] = {_NOBODY: {}}  # the parts that wait, by owner
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, state: State, asked: Sequence[Asked]) -> None:
        parts: dict[_Part, list[Asked]] = {}
        for one in asked:
            parts.setdefault((state.location, self._rank(state.location, one[0]) // self._chunk), []).append(one)
        for part, some in parts.items():
            if part not in self._waiting:
                self._waiting[part] = deque()
                self._ready.setdefault(self._owner(part), {})[part] = None
            self._waiting[part].append((state, some))
        self._size += len(asked)

    def take(self, worker: int, workers: int, most: int) -> tuple[State, Sequence[Asked]]:
        """Up to ``most`` transitions from a state. There are some; ``workers`` are there at the moment."""
        part = self._choose(worker)
        self._own(part, worker, workers)
        pieces = self._waiting[part]
        state, asked = pieces.popleft()
        if len(asked) > most:
            pieces.appendleft((state, asked[most:]))
        if not pieces:
            del self._waiting[part]
            del self._ready[self._owner(part)][part]
        self._size -= min(most, len(asked))
        return state, asked[:most]

    def suits(self, worker: int) -> bool:
        """Whether anything waits that nobody else knows more about."""
        return bool(self._ready.get(worker) or self._ready[_NOBODY])

    def forget(self, worker: int) -> None:
        """It is gone."""
        if self._owned.pop(worker, 0):
            self._owners = {part: owner for part, owner in self._owners.items() if owner != worker}
        self._ready[_NOBODY].update(self._ready.pop(worker, {}))

    def _owner(self, part: _Part) -> int:
        return self._owners.get(part, _NOBODY)

    def _own(self, part: _Part, worker: int, workers: int) -> None:
        owner = self._owner(part)
        if owner == worker or (owner != _NOBODY and self._owned[owner] * workers <= len(self._owners)):
            return
        if owner != _NOBODY:
            self._owned[owner] -= 1
        del self._ready[owner][part]
        self._owners[part] = worker
        self._owned[worker] = self._owned.get(worker, 0) + 1
        self._ready.setdefault(worker, {})[part] = None

    def _choose(self, worker: int) -> _Part:
        """Of its own, else of nobody's, else of whoever has most."""
        own = self._ready.get(worker) or self._ready[_NOBODY] or max(self._ready.values(), key=len)
        return next(iter(own))

    def _rank(self, location: int, transition: int) -> int:
        rank = self._ranks.get(transition)
        if rank is None:
            rank = self._ranks[transition] = self._counts.get(location, 0)
            self._counts[location] = rank + 1
        return rank
