"""A worker of the distributed threads engine: it searches one part after the other, each with a formula of its own.

Between slices of the solver's work it reads messages. When it splits, it continues with the half in which the next
bit is not set, as a further fact for the same solver, which keeps all that it has learned.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from time import monotonic

from cleave.engines.coordination import Clock, Turn, Work
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.threads.messages import (
    Answer,
    Divided,
    Effort,
    Empty,
    Outcome,
    Solve,
    Task,
    decode_task,
    send_schedule,
)
from cleave.engines.threads.part import Outcome as PartOutcome
from cleave.engines.threads.part import Part
from cleave.engines.threads.partition import Space
from cleave.engines.threads.parts_worker import SIZES, PartsWorker
from cleave.engines.threads.task import read_task, unfold_task
from cleave.engines.unfolding.instances import Unfolded


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    return Client(*_assigned(task), clock or monotonic).run()


@lru_cache(maxsize=1)
def _assigned(task: bytes) -> tuple[Task, Unfolded]:
    """Unfolded once in a process, however many workers it simulates."""
    decoded = decode_task(task)
    program, entry = read_task(decoded)
    return decoded, unfold_task(decoded, program, entry)


class Client(PartsWorker):
    def __init__(self, task: Task, unfolded: Unfolded, clock: Clock) -> None:
        super().__init__(clock)
        self._options = task.options
        self._unfolded = unfolded
        self._done_cost = 0  # of parts that are gone
        self._part: Part | None = None

    def _cost(self) -> int:
        return self._done_cost + (self._part.cost() if self._part is not None else 0)

    def _solve(self, order: Solve) -> Generator[Turn, list[bytes], None]:
        began, self._asked = self._clock(), False
        self._part = part = Part(self._unfolded, order.contexts, order.name, self._options)
        found = yield from self._search(part, order)
        size = part.size()
        effort = Effort(part.cost(), self._clock() - began, **{k: size.get(k, 0) for k in SIZES})
        self._done_cost += part.cost()
        self._part = None
        self._tell(Outcome(order.contexts, part.name, self._answer(part, order, found), effort))

    def _search(self, part: Part, order: Solve) -> Generator[Turn, list[bytes], PartOutcome]:
        slices = part.run(self._options.slice_cost, last=order.last)
        while True:
            try:
                next(slices)
            except StopIteration as stop:
                found: PartOutcome = stop.value
                return found
            yield from self._look_up(part.cost(), can_split=part.can_split)
            yield from self._split(part, order)

    def _split(self, part: Part, order: Solve) -> Generator[Turn, list[bytes], None]:
        if self._asked and part.cost() >= self._options.split_after:
            name = part.name
            decision = part.split()
            self._asked = False
            if decision is not None:
                self._tell(Divided(order.contexts, name, decision.meaning))
                yield from self._listen()  # whoever waits gets the half now, not after the next slice

    def _answer(self, part: Part, order: Solve, found: PartOutcome) -> Answer:
        match found:
            case Violation(schedule):
                return Violation(send_schedule(schedule))
            case GivenUp():
                return found
        decided = Space.of(self._unfolded).path(part.name, order.contexts)
        return Empty(tuple(sorted(found.bounds)), decided)
