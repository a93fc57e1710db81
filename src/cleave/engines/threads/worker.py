"""A worker of the distributed threads engine: it searches one part after the other, each with a formula of its own.

Between slices of the solver's work it looks up. When it is asked to split, it goes on with the half in which the next
bit is not set, as a further fact for the same solver, which keeps all that it has learned.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from time import monotonic

from cleave.engines.coordination import PROGRESS_SECONDS, Clock, Turn, Work
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.threads.messages import (
    Answer,
    Divided,
    Effort,
    Empty,
    FromWorker,
    GetPart,
    Outcome,
    Progress,
    Solve,
    Split,
    Task,
    decode_task,
    encode,
    send_schedule,
    to_worker,
)
from cleave.engines.threads.part import Outcome as PartOutcome
from cleave.engines.threads.part import Part
from cleave.engines.threads.partition import Space
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


class Client:
    def __init__(self, task: Task, unfolded: Unfolded, clock: Clock) -> None:
        self._options = task.options
        self._unfolded = unfolded
        self._clock = clock
        self._done_cost = 0  # of parts that are gone
        self._part: Part | None = None
        self._outgoing: list[bytes] = []
        self._asked = False  # to split
        self._last_progress = 0.0

    def run(self) -> Work:
        self._tell(GetPart())
        while True:
            order = yield from self._next_order()
            yield from self._solve(order)

    def _tell(self, message: FromWorker) -> None:
        self._outgoing.append(encode(message))

    def _turn(self, *, idle: bool = False) -> Turn:
        outgoing, self._outgoing = tuple(self._outgoing), []
        return Turn(outgoing, idle, self._done_cost + (self._part.cost() if self._part is not None else 0))

    def _next_order(self) -> Generator[Turn, list[bytes], Solve]:
        while True:
            for message in map(to_worker, (yield self._turn(idle=True))):
                if isinstance(message, Solve):
                    return message

    def _solve(self, order: Solve) -> Generator[Turn, list[bytes], None]:
        began, self._asked = self._clock(), False
        self._part = part = Part(self._unfolded, order.contexts, order.name, self._options)
        found = yield from self._search(part, order)
        size = part.size()
        effort = Effort(part.cost(), self._clock() - began, **{k: size.get(k, 0) for k in _SIZES})
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
            yield from self._look_up(part, order)

    def _look_up(self, part: Part, order: Solve) -> Generator[Turn, list[bytes], None]:
        if self._clock() - self._last_progress >= PROGRESS_SECONDS:
            self._last_progress = self._clock()
            self._tell(Progress(part.cost(), part.can_split))
        for message in map(to_worker, (yield self._turn())):
            self._asked |= isinstance(message, Split)
        if self._asked and part.cost() >= self._options.split_after:
            name = part.name
            decision = part.split()
            self._asked = False
            if decision is not None:
                self._tell(Divided(order.contexts, name, decision.meaning))
                yield from self._send()

    def _send(self) -> Generator[Turn, list[bytes], None]:
        """Whoever waits gets the half now, not after the next slice."""
        for message in map(to_worker, (yield self._turn())):
            self._asked |= isinstance(message, Split)

    def _answer(self, part: Part, order: Solve, found: PartOutcome) -> Answer:
        match found:
            case Violation(schedule):
                return Violation(send_schedule(schedule))
            case GivenUp():
                return found
        decided = Space.of(self._unfolded).path(part.name, order.contexts)
        return Empty(tuple(sorted(found.bounds)), decided)


_SIZES = ("nodes", "variables", "clauses")
