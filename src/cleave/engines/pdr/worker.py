"""A worker of the pdr engine: it does one job after the other (P3, section V: the client).

It solves a partition with the strategy that it was given, sends what it learned, receives what others learned, and
checks its answer before it claims it; or it divides the problem. A job can be stopped at any time.

A virtual worker is given its clock: then SPACER waits between two turns, and all depends on the messages alone.
A real one looks at its messages while SPACER works.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from cleave.engines.coordination import Clock, Turn, Work
from cleave.engines.findings import GivenUp
from cleave.engines.pdr.confirm import STEP_COST, Confirming, solvers_of_virtual_workers
from cleave.engines.pdr.extension import PartProblem
from cleave.engines.pdr.job import POLL_SECONDS, SolveJob, StartRun, start_spacer
from cleave.engines.pdr.messages import (
    Divide,
    Divided,
    Effort,
    FromWorker,
    Learn,
    Outcome,
    Ready,
    Solve,
    Stop,
    Task,
    ToWorker,
    decode_task,
    encode,
    to_worker,
)
from cleave.engines.pdr.partitioning import Partitioning
from cleave.engines.pdr.spacer.run import Answered, NoAnswer
from cleave.engines.pdr.task import HornProblem, read_problem
from cleave.errors import CleaveError


class Assigned(NamedTuple):
    """A task, and the problem in it."""

    task: Task
    problem: HornProblem


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    return P3Worker(_assigned(task), clock).run()


@lru_cache(maxsize=1)
def _assigned(task: bytes) -> Assigned:
    """Read once in a process, however many workers it simulates: nothing in it belongs to one of them."""
    decoded = decode_task(task)
    return Assigned(decoded, read_problem(decoded))


class P3Worker:
    def __init__(self, assigned: Assigned, clock: Clock | None, start: StartRun = start_spacer) -> None:
        self._problem = assigned.problem
        self._options = assigned.task.options
        self._workers = assigned.task.workers
        self._digest = assigned.task.digest()
        self._clock = clock or monotonic
        self._poll = POLL_SECONDS if clock is None else None
        self._start = start
        solvers = solvers_of_virtual_workers() if clock is not None else None
        self._confirming = Confirming(assigned.problem, self._options.check_seconds, solvers)
        self._inbox: deque[ToWorker] = deque()
        self._outgoing: list[bytes] = []
        self._done_cost = 0  # of jobs that are over
        self._job_cost = 0

    def run(self) -> Work:
        self._tell(Ready(self._digest))
        while True:
            order = yield from self._next_order()
            if isinstance(order, Solve):
                yield from self._solve(order)
            else:
                yield from self._divide(order)
            self._done_cost, self._job_cost = self._done_cost + self._job_cost, 0

    # --- messages -----------------------------------------------------------------------------------------------------

    def _tell(self, message: FromWorker) -> None:
        self._outgoing.append(encode(message))

    def _turn(self, *, idle: bool = False) -> Generator[Turn, list[bytes], None]:
        outgoing, self._outgoing = tuple(self._outgoing), []
        self._inbox.extend(map(to_worker, (yield Turn(outgoing, idle, self._done_cost + self._job_cost))))

    def _next_order(self) -> Generator[Turn, list[bytes], Solve | Divide]:
        while True:
            while self._inbox:
                message = self._inbox.popleft()
                if isinstance(message, Solve | Divide):
                    return message
            yield from self._turn(idle=True)

    def _is_stopped(self, job: int, solving: SolveJob | None = None) -> bool:
        """Takes in what came; whether the job is to end. What comes after that is left for later."""
        while self._inbox:
            match self._inbox[0]:
                case Learn(job=other) as news:
                    if other == job and solving is not None:
                        solving.learn(news)
                case Stop(job=other) if other == job:
                    return True
                case Solve() | Divide():
                    return True
            self._inbox.popleft()
        return False

    # --- jobs ---------------------------------------------------------------------------------------------------------

    def _solve(self, order: Solve) -> Generator[Turn, list[bytes], None]:
        job = SolveJob(self._problem, order, self._options, self._workers, self._start, self._clock, self._poll)
        try:
            found = yield from self._search(job)
            if found is None:
                return
            answer, cost = self._confirming.answer(job.part, found)
            self._job_cost += cost
            self._tell(Outcome(order.job, self._digest, order.partition, answer, job.effort(cost), order.strategy))
        finally:
            job.close()

    def _search(self, job: SolveJob) -> Generator[Turn, list[bytes], Answered | None]:
        """SPACER's answer; None if the job was stopped."""
        while True:
            try:
                found = job.step()
            except CleaveError as error:
                found = NoAnswer(str(error))
            self._job_cost = job.cost()
            if found is not None:
                return found
            news = job.news(self._digest)
            if news is not None:
                self._tell(news)
            yield from self._turn()
            if self._is_stopped(job.order.job, job):
                return None

    def _divide(self, order: Divide) -> Generator[Turn, list[bytes], None]:
        began = self._clock()
        partitioning = Partitioning(self._problem.prepared, self._options, self._workers)
        for _ in partitioning.run():
            self._job_cost = partitioning.cost
            yield from self._turn()
            if self._is_stopped(order.job):
                return
        effort = Effort(cost=partitioning.cost, seconds=self._clock() - began)
        if partitioning.violation is not None:
            whole = PartProblem(self._problem.prepared, None)
            answer = self._confirming.violated(whole, partitioning.violation)
            self._job_cost += STEP_COST * len(partitioning.violation.steps)
            self._tell(Outcome(order.job, self._digest, None, answer, effort))
        elif partitioning.divisions or len(partitioning.queries) > 1:
            divisions = tuple(partitioning.divisions)
            self._tell(Divided(order.job, self._digest, partitioning.queries, divisions, effort))
        else:
            self._tell(Outcome(order.job, self._digest, None, GivenUp("nothing to divide"), effort))
