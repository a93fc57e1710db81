"""A desk to test HYDRA's coordinator at: events go in by name, commands come out decoded.

desk = Desk(workers=4)
desk.ask(1, 2)              # workers 1 and 2 join and ask for a partition
desk.split(1, "")           # worker 1 splits the whole search: [(2, Solve("1", ...)), ...]
desk.close(2, "1")
"""

from __future__ import annotations

from typing import Any

from cleave.engines.coordination import Command, Event, Finish, Hire, Joined, Received, Send
from cleave.engines.findings import GivenUp
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import (
    Answer,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Searched,
    SendPartition,
    Solve,
    Task,
    ToWorker,
    decode_finding,
    encode,
    to_worker,
)
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.partition import Decision, Partition

Told = tuple[int, ToWorker] | Hire | Answer
WHOLE = Partition()
SLOW = 10.0  # 20 times half a second: nobody waits


class Desk:
    """A coordinator, what happened to it, and what it said, decoded."""

    def __init__(self, workers: int = 4, **how: Any) -> None:
        self.task = Task("program", b"", None, None, InlineOptions(**{"unsplit": False, **how}), workers)
        self.coordinator = HydraCoordinator(self.task)
        self.coordinator.start()
        self.events: list[Event] = []

    def tell(self, event: Event) -> list[Told]:
        self.events.append(event)
        return [decoded(command) for command in self.coordinator.on(event)]

    def hear(self, worker: int, message: FromWorker) -> list[Told]:
        return self.tell(Received(worker, encode(message)))

    def ask(self, *workers: int) -> list[Told]:
        """New workers join and ask for a partition."""
        told: list[Told] = []
        for worker in workers:
            assert self.tell(Joined(worker)) == []
            told += self.hear(worker, GetPartition())
        return told

    def split(self, worker: int, name: str) -> list[Told]:
        return self.hear(worker, SendPartition(name, b"meaning", half(name + "1")))

    def search(self, worker: int, name: str) -> list[Told]:
        return self.hear(worker, Searched(name))

    def close(self, worker: int, name: str, bound: int | None = None) -> list[Told]:
        return self.hear(worker, Outcome(name, Closed(bound, (), "checked"), Effort(search=5, checks=2)))

    def give_up(self, worker: int, name: str) -> list[Told]:
        return self.hear(worker, Outcome(name, GivenUp("unconfirmed"), Effort()))

    def count(self, name: str) -> int | float:
        return self.coordinator.counters()[name]


def decoded(command: Command) -> Told:
    match command:
        case Send(worker=worker, message=message):
            return worker, to_worker(message)
        case Finish(outcome=outcome):
            return decode_finding(outcome).answer
        case Hire():
            return command


def half(name: str) -> Partition:
    """Some partition with the decisions that ``name`` spells: the n-th one is on instance n."""
    return Partition(b"\x90", tuple(Decision(n, bit == "1") for n, bit in enumerate(name, start=1)), bound=1)


def solved(told: list[Told]) -> list[tuple[int, str]]:
    """Who was given which partition."""
    found: list[tuple[int, str]] = []
    for one in told:
        if isinstance(one, tuple) and isinstance(one[1], Solve):
            order = one[1]
            assert order.partition == (half(order.id) if order.id else WHOLE)
            found.append((one[0], order.id))
    return found


def at_work(*names: str, **how: Any) -> Desk:
    """Workers 1, 2, ... at work on these partitions of a search that worker 1 split each time: "00", "1", "01"."""
    desk = Desk(workers=8, **how)
    desk.ask(1)
    for place, worker in enumerate(range(2, len(names) + 1)):
        desk.ask(worker)
        assert solved(desk.split(1, "0" * place)) == [(worker, "0" * place + "1")]
    assert names == ("0" * (len(names) - 1), *("0" * place + "1" for place in range(len(names) - 1)))
    return desk
