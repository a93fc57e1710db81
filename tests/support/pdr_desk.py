"""A desk to test P3's coordinator at: events go in by name, commands come out decoded.

desk = Desk(workers=4)
desk.ready(1, 2)                 # workers 1 and 2 join and are ready: [(1, Solve(1, None, "a", ...)), ...]
desk.divide(3, (0, 1))           # worker 3 divides query 7 on its atom 0; rules 0 and 1 are left
desk.close(1)                    # worker 1 closes what it works on
"""

from __future__ import annotations

from typing import Any

from cleave.engines.coordination import Command, Event, Finish, Hire, Joined, Received, Send
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.messages import (
    INVARIANT,
    Answer,
    Closed,
    Divide,
    Divided,
    Division,
    Effort,
    Exchange,
    FromWorker,
    Lemma,
    Outcome,
    Proofs,
    Ready,
    Solve,
    Stop,
    Task,
    ToWorker,
    decode_finding,
    encode,
    to_worker,
)
from cleave.engines.pdr.options import PdrOptions
from cleave.ir.horn_partition import Partition

Told = tuple[int, ToWorker] | Hire | Proofs | Violation[bytes] | GivenUp
QUERY = Partition(7)
NAMES = ("a", "b", "c", "d")
EFFORT = Effort(cost=5, sharing=1, validation=2)


class Desk:
    """A coordinator, what happened to it, and what it said, decoded."""

    def __init__(self, workers: int = 4, **how: Any) -> None:
        options: dict[str, Any] = {"strategies": NAMES, "patience": 0.0, "partitions": 0, **how}
        self.task = Task("problem.smt2", b"", None, None, PdrOptions(**options), workers)
        self.coordinator = P3Coordinator(self.task)
        self.coordinator.start()
        self.problem = self.task.digest()
        self.events: list[Event] = []
        self.orders: dict[int, Solve | Divide | None] = {}

    def tell(self, event: Event) -> list[Told]:
        self.events.append(event)
        told = [decoded(command) for command in self.coordinator.on(event)]
        for one in told:
            if isinstance(one, tuple):
                worker, message = one
                if isinstance(message, Solve | Divide):
                    assert self.orders.get(worker) is None, "a worker gets one job at a time"
                    self.orders[worker] = message
                elif isinstance(message, Stop):
                    order = self.orders.pop(worker)
                    assert order is not None
                    assert order.job == message.job
        return told

    def hear(self, worker: int, message: FromWorker) -> list[Told]:
        if isinstance(message, Outcome | Divided):
            self.orders[worker] = None
        return self.tell(Received(worker, encode(message)))

    def ready(self, *workers: int) -> list[Told]:
        """New workers join and are ready."""
        told: list[Told] = []
        for worker in workers:
            assert self.tell(Joined(worker)) == []
            told += self.hear(worker, Ready(self.problem))
        return told

    def order(self, worker: int) -> Solve | Divide:
        found = self.orders[worker]
        assert found is not None
        return found

    def solves(self, worker: int) -> Solve:
        order = self.order(worker)
        assert isinstance(order, Solve)
        return order

    def divide(self, worker: int, still_open: tuple[int, ...], infeasible: tuple[int, ...] = ()) -> list[Told]:
        order = self.order(worker)
        assert isinstance(order, Divide)
        divisions = (Division(QUERY, 0, still_open, infeasible),)
        return self.hear(worker, Divided(order.job, self.problem, (QUERY.query,), divisions, EFFORT))

    def exchange(self, worker: int, *texts: str, cost: int = 0, level: int = INVARIANT) -> list[Told]:
        lemmas = tuple(Lemma("p", level, text) for text in texts)
        return self.hear(worker, Exchange(self.order(worker).job, self.problem, lemmas, 3, cost))

    def answer(self, worker: int, answer: Answer) -> list[Told]:
        order = self.order(worker)
        partition = order.partition if isinstance(order, Solve) else None
        return self.hear(worker, Outcome(order.job, self.problem, partition, answer, EFFORT))

    def close(self, worker: int) -> list[Told]:
        return self.answer(worker, Closed(b"proof %d" % worker, "checked"))

    def give_up(self, worker: int, reason: str = "solver", detail: str = "") -> list[Told]:
        return self.answer(worker, GivenUp(reason, detail))

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


def part(rule: int) -> Partition:
    return QUERY.child(0, rule)


def entrusted(told: list[Told]) -> list[tuple[int, int | None, str, int]]:
    """Who was given which part (None: the whole, else the rule), with which strategy and seed."""
    found: list[tuple[int, int | None, str, int]] = []
    for one in told:
        if isinstance(one, tuple) and isinstance(one[1], Solve):
            order = one[1]
            rule = None if order.partition is None else order.partition.path[0][1]
            found.append((one[0], rule, order.strategy, order.seed))
    return found


def stopped(told: list[Told]) -> list[int]:
    return [one[0] for one in told if isinstance(one, tuple) and isinstance(one[1], Stop)]
