"""The work of each worker. A worker may have a second order waiting for it, so that it need not wait for the wire."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from cleave.engines.cegar.exploration import Path, State
from cleave.engines.cegar.messages import Piece
from cleave.errors import InternalError
from cleave.records import dataclass


@dataclass(slots=True)
class Order:
    """What a worker is told to do: pieces with their states, or the analysis of a path. ``losses`` counts the workers
    that it took with it."""

    pieces: tuple[tuple[State, Piece], ...] = ()
    path: Path | None = None
    losses: int = 0


@dataclass(slots=True)
class _Member:
    orders: dict[int, Order] = field(default_factory=dict)
    learned: int = 0


class Staff:
    def __init__(self, most_orders: int) -> None:
        self._most_orders = most_orders
        self._members: dict[int, _Member] = {}
        self._waiting: dict[int, None] = {}  # in the order in which they began to wait
        self._with_one: dict[int, None] = {}  # that have an order, and could have another one
        self._given = 0

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, worker: int) -> bool:
        return worker in self._members

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def join(self, worker: int) -> None:
        self._members[worker] = _Member()

    def ready(self, worker: int) -> None:
        """It has read its task."""
        self._waiting[worker] = None

    def leave(self, worker: int) -> Iterable[Order]:
        """What it has not finished."""
        self._waiting.pop(worker, None)
        self._with_one.pop(worker, None)
        return self._members.pop(worker).orders.values()

    def free(self, *, ahead: bool) -> int | None:
        """A worker that has nothing to do; with ``ahead``, also one that soon may have."""
        for worker in self._waiting:
            return worker
        for worker in self._with_one if ahead else ():
            return worker
        return None

    def give(self, worker: int, order: Order) -> int:
        """The order's number."""
        self._given += 1
        self._members[worker].orders[self._given] = order
        self._sort(worker)
        return self._given

    def done(self, worker: int, number: int) -> Order:
        order = self._members[worker].orders.pop(number, None)
        if order is None:
            raise InternalError(f"worker {worker} speaks of order {number}, which it was not given")
        self._sort(worker)
        return order

    def learn(self, worker: int, count: int) -> int:
        """How many of ``count`` predicates the worker knows; from now on it knows them all."""
        member = self._members[worker]
        known, member.learned = member.learned, count
        return known

    def _sort(self, worker: int) -> None:
        orders = len(self._members[worker].orders)
        self._waiting.pop(worker, None)
        self._with_one.pop(worker, None)
        if not orders:
            self._waiting[worker] = None
        elif orders < self._most_orders:
            self._with_one[worker] = None
