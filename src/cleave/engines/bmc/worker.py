"""A worker of the distributed engine bmc: it searches one part after the other, with one solver for all of them.

Between slices of the solver's work it reads messages. When it splits, it continues with the half in which the chosen
branch is not taken, as a further fact for the same question.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from time import monotonic

import msgspec

from cleave.engines.bmc.levels import received
from cleave.engines.bmc.part import Outcome as PartOutcome
from cleave.engines.bmc.part import Part
from cleave.engines.bmc.partition import Partitions
from cleave.engines.bmc.questions import Questions
from cleave.engines.bmc.task import Problem, Task, problem_of, solver_for
from cleave.engines.coordination import Clock, Turn, Work
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.threads.messages import (
    Answer,
    Divided,
    Effort,
    Empty,
    Outcome,
    Solve,
    send_schedule,
)
from cleave.engines.threads.parts_worker import SIZES, PartsWorker
from cleave.frontends.input import Input


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    return Client(_assigned(task), clock or monotonic).run()


@lru_cache(maxsize=1)
def _assigned(task: bytes) -> Problem:
    """Read once in a process, however many workers it simulates."""
    decoded = msgspec.msgpack.decode(task, type=Task)
    return problem_of(Input.of(decoded.file, decoded.source, decoded.entry), decoded.options)


class Client(PartsWorker):
    def __init__(self, problem: Problem, clock: Clock) -> None:
        super().__init__(clock)
        self._problem = problem
        self._options = problem.options
        self._level = 0
        self._partitions: Partitions | None = None
        self._questions: Questions | None = None

    def _cost(self) -> int:
        return self._questions.cost() if self._questions is not None else 0

    def _unfolded(self, order: Solve) -> tuple[Partitions, Questions]:
        if self._partitions is None or self._level != order.contexts:
            self._partitions = Partitions(self._problem.unfolded(received(order.bounds)))
            self._level = order.contexts
            if self._questions is not None:
                self._questions.begin_level()
        if self._questions is None:
            name = solver_for(self._partitions.unfolded, self._options)
            self._questions = Questions(name, self._options.seed)
        return self._partitions, self._questions

    def _solve(self, order: Solve) -> Generator[Turn, list[bytes], None]:
        began, self._asked = self._clock(), False
        partitions, questions = self._unfolded(order)
        part = Part(partitions.unfolded, questions, self._options, partitions.facts(order.name))
        name, found = yield from self._search(part, order, partitions)
        size = part.size()
        effort = Effort(part.cost(), self._clock() - began, **{k: size.get(k, 0) for k in SIZES})
        self._tell(Outcome(order.contexts, name, _answer(partitions, name, found), effort))

    def _search(
        self, part: Part, order: Solve, partitions: Partitions
    ) -> Generator[Turn, list[bytes], tuple[str, PartOutcome]]:
        name, slices = order.name, part.run()
        while True:
            try:
                next(slices)
            except StopIteration as stop:
                found: PartOutcome = stop.value
                return name, found
            yield from self._look_up(part.cost(), can_split=part.searching)
            if self._asked and part.searching and part.cost() >= self._options.split_after:
                self._asked = False
                decision = partitions.decision(name)
                if decision is not None:
                    part.facts.append(decision.fact(False))
                    self._tell(Divided(order.contexts, name, decision.meaning))
                    name += "0"
                    yield from self._listen()  # whoever waits gets the half now, not after the next slice


def _answer(partitions: Partitions, name: str, found: PartOutcome) -> Answer:
    match found:
        case Violation(schedule):
            return Violation(send_schedule(schedule))
        case GivenUp():
            return found
    return Empty(tuple(sorted(found.bounds)), partitions.path(name))
