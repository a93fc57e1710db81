"""Pieces of work that wait for a worker: some of the transitions from a state.

The transitions of a location are divided once and for all. Whoever takes a piece first goes on with those of the same
transitions, as long as there are any: what it has found out about these transitions answers most of its questions.
When a worker would have nothing else to do, it takes what others could have had, for good if they have more than their
share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from cleave.engines.cegar.exploration import State
from cleave.engines.cegar.messages import Piece, pack
from cleave.engines.cegar.posts import Asked

_MOST_LOOKED_AT = 64  # when something is looked for that nobody has taken yet

_Part = tuple[int, int]
"""A location, and which part of its transitions."""


class PieceQueue:
    """``chunk`` is the number of transitions of a part."""

    def __init__(self, chunk: int) -> None:
        self._chunk = chunk
        self._ranks: dict[int, int] = {}  # of a transition, among those of its location
        self._counts: dict[int, int] = {}
        self._waiting: dict[_Part, deque[tuple[State, Piece]]] = {}
        self._owners: dict[_Part, int] = {}
        self._owned: dict[int, dict[_Part, None]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, state: State, asked: Sequence[Asked]) -> None:
        parts: dict[_Part, list[Asked]] = {}
        for one in asked:
            parts.setdefault((state.location, self._rank(state.location, one[0]) // self._chunk), []).append(one)
        for part, some in parts.items():
            self._waiting.setdefault(part, deque()).append((state, Piece(pack(state.bits), tuple(some))))
            self._size += 1

    def take(self, worker: int, workers: int) -> tuple[State, Piece]:
        """There is one. ``workers`` are there at the moment."""
        part = self._choose(worker)
        self._own(part, worker, workers)
        pieces = self._waiting[part]
        piece = pieces.popleft()
        if not pieces:
            del self._waiting[part]
        self._size -= 1
        return piece

    def forget(self, worker: int) -> None:
        """It is gone."""
        for part in self._owned.pop(worker, ()):
            del self._owners[part]

    def _own(self, part: _Part, worker: int, workers: int) -> None:
        owner = self._owners.get(part)
        if owner is not None:
            if owner == worker or len(self._owned[owner]) * workers <= len(self._owners):
                return
            del self._owned[owner][part]
        self._owners[part] = worker
        self._owned.setdefault(worker, {})[part] = None

    def _choose(self, worker: int) -> _Part:
        for part in self._owned.get(worker, ()):
            if part in self._waiting:
                return part
        first: _Part | None = None
        for looked_at, part in enumerate(self._waiting):
            first = part if first is None else first
            if part not in self._owners:
                return part
            if looked_at == _MOST_LOOKED_AT:
                break
        assert first is not None
        return first

    def _rank(self, location: int, transition: int) -> int:
        rank = self._ranks.get(transition)
        if rank is None:
            rank = self._ranks[transition] = self._counts.get(location, 0)
            self._counts[location] = rank + 1
        return rank
