"""A worker that is given one part after the other, by a `coordinator.PartsCoordinator`: what threads and bmc share.

The search sends its news with `_tell`, and gets messages at each `_turn`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator

from cleave.engines.coordination import PROGRESS_SECONDS, Clock, Turn, Work
from cleave.engines.threads.messages import FromWorker, GetPart, Progress, Solve, Split, encode, to_worker

SIZES = ("nodes", "variables", "clauses")


class PartsWorker(ABC):
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked = False  # to split
        self._outgoing: list[bytes] = []
        self._last_progress = 0.0

    def run(self) -> Work:
        self._tell(GetPart())
        while True:
            order = yield from self._next_order()
            yield from self._solve(order)

    @abstractmethod
    def _solve(self, order: Solve) -> Generator[Turn, list[bytes], None]: ...

    @abstractmethod
    def _cost(self) -> int:
        """Of all that was searched so far."""

    def _tell(self, message: FromWorker) -> None:
        self._outgoing.append(encode(message))

    def _turn(self, *, idle: bool = False) -> Turn:
        outgoing, self._outgoing = tuple(self._outgoing), []
        return Turn(outgoing, idle, self._cost())

    def _next_order(self) -> Generator[Turn, list[bytes], Solve]:
        while True:
            for message in map(to_worker, (yield self._turn(idle=True))):
                if isinstance(message, Solve):
                    return message

    def _listen(self) -> Generator[Turn, list[bytes], None]:
        for message in map(to_worker, (yield self._turn())):
            self._asked |= isinstance(message, Split)

    def _look_up(self, cost: int, *, can_split: bool) -> Generator[Turn, list[bytes], None]:
        """Between two slices of a search: tells how far it is, and hears whether to split."""
        if self._clock() - self._last_progress >= PROGRESS_SECONDS:
            self._last_progress = self._clock()
            self._tell(Progress(cost, can_split))
        yield from self._listen()
