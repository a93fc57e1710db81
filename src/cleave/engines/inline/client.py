"""A worker of the distributed inline engine: HYDRA's Algorithms 4 and 5.

It solves one partition after another. While it solves one it may split it: it goes on where executions avoid the chosen
instance, and sends the other half to the coordinator. Decisions are assumptions, so when its half is closed and nobody
has taken the other one, it turns to that with all that it has inlined and learned.

A partition is closed only after the proof was checked by `validate`, here, by whoever found it.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from random import Random
from time import monotonic
from typing import NamedTuple

from cleave.engines.coordination import Clock, Turn, Work
from cleave.engines.inline.condition import Conditions
from cleave.engines.inline.engine import beyond_cost, make_search
from cleave.engines.inline.messages import (
    Answer,
    Back,
    Closed,
    Effort,
    GetPartition,
    GivenUp,
    Outcome,
    Pace,
    Progress,
    SendPartition,
    Solve,
    Task,
    ToWorker,
    Violated,
    decode_task,
    encode,
    encode_path,
    to_worker,
)
from cleave.engines.inline.options import Decisions, Rate, Splits
from cleave.engines.inline.partition import Decision, Partition, describe
from cleave.engines.inline.proof import ProofWriter
from cleave.engines.inline.search import NoViolation, Search, Undecided, Violation
from cleave.engines.inline.splitting import choose_split
from cleave.engines.inline.task import prepare_task, read_task
from cleave.passes.prepare import Prepared
from cleave.smt.z3 import Z3Solver
from cleave.validate.unfolded import PartitionChecker

INSTANCE_COST = 2_000
"""What it costs to encode an instance, in the solver's units: Python's work, which the solver does not count."""

_PROGRESS_SECONDS = 1.0


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    return Client(_prepared(task), number, clock or monotonic).run()


class Assigned(NamedTuple):
    task: Task
    prepared: Prepared
    conditions: Conditions


@lru_cache(maxsize=1)
def _prepared(task: bytes) -> Assigned:
    """Read once in a process, however many workers it simulates: nothing in it belongs to one of them."""
    decoded = decode_task(task)
    prepared = prepare_task(decoded, read_task(decoded))
    return Assigned(decoded, prepared, Conditions(prepared.program))


class _Job:
    """A search, its proofs, and the partitions of it that this worker has split off."""

    def __init__(self, program: Assigned) -> None:
        task, prepared, conditions = program
        self._solver = Z3Solver(seed=task.options.seed)
        self._proof_solver = Z3Solver(seed=task.options.seed)
        pushed = task.distribution.decisions is Decisions.PUSHED
        self.search: Search = make_search(prepared, conditions, task.options, self._solver, pushed=pushed)
        self.writer = ProofWriter(self.search.unfolding)
        self.checker = PartitionChecker(prepared.program, prepared.entry, self._proof_solver)
        self.told = 0  # how many instances the coordinator has been told of
        self.halves: dict[str, tuple[tuple[Decision, ...], int]] = {}

    def set_up(self, partition: Partition) -> None:
        self.search.rebuild(partition.bindings())
        self.search.decisions = partition.decisions
        for decision in partition.decisions:
            self.search.unfolding.freeze(self.search.unfolding.instances[decision.instance])

    def solver_cost(self) -> int:
        return self._solver.cost()

    def search_cost(self) -> int:
        return self._solver.cost() + INSTANCE_COST * len(self.search.unfolding.instances)

    def proof_cost(self) -> int:
        return self._proof_solver.cost()


class Client:
    def __init__(self, program: Assigned, number: int, clock: Clock) -> None:
        self._program = program
        self._task = task = program.task
        self._how = task.distribution
        self._clock = clock
        self._random = Random(f"{task.options.seed} {number}")
        self._job: _Job | None = None
        self._id = ""
        self._interval = self._how.interval
        self._may_split = True
        self._last_split = 0.0
        self._last_progress = 0.0
        self._done_cost = 0  # of earlier searches
        self._outgoing: list[bytes] = []

    # --- messages -----------------------------------------------------------------------------------------------------

    def run(self) -> Work:
        self._outgoing.append(encode(GetPartition()))
        while True:
            order = yield from self._next_order()
            outcome = yield from self._solve(order)
            self._outgoing.append(encode(outcome))

    def _next_order(self) -> Generator[Turn, list[bytes], Solve | Back]:
        while True:
            incoming = yield self._turn(idle=True)
            for message in map(to_worker, incoming):
                if isinstance(message, Solve | Back):
                    return message

    def _turn(self, *, idle: bool = False) -> Turn:
        outgoing, self._outgoing = tuple(self._outgoing), []
        return Turn(outgoing, idle, self._cost())

    def _cost(self) -> int:
        return self._done_cost + (self._job.search_cost() + self._job.proof_cost() if self._job else 0)

    def _hear(self, messages: list[ToWorker]) -> None:
        for message in messages:
            if isinstance(message, Pace):
                self._interval = message.interval

    # --- a partition --------------------------------------------------------------------------------------------------

    def _solve(self, order: Solve | Back) -> Generator[Turn, list[bytes], Outcome]:
        began, cost_before = self._clock(), self._cost()
        job, bound = self._set_up(order)
        set_up = len(job.search.unfolding.instances)
        cost_set_up, proof_before, checks_before = self._cost(), job.proof_cost(), job.search.progress.checks
        self._last_split = self._clock()
        answer = yield from self._search(job, bound)
        proof_cost = job.proof_cost() - proof_before
        effort = Effort(
            search=self._cost() - cost_set_up - proof_cost,
            setup=cost_set_up - cost_before,
            validation=proof_cost,
            instances_set_up=set_up if isinstance(order, Solve) else 0,
            instances=len(job.search.unfolding.instances),
            checks=job.search.progress.checks - checks_before,
            seconds=self._clock() - began,
        )
        return Outcome(self._id, answer, effort, self._inlined(job))

    def _set_up(self, order: Solve | Back) -> tuple[_Job, int]:
        """The search confined to the partition, and the bound to go on with."""
        self._id, self._interval = order.id, order.interval
        if isinstance(order, Back):
            assert self._job is not None, "a worker goes back only to a partition of its own"
            self._job.search.decisions, bound = self._job.halves.pop(order.id)
            return self._job, bound
        self._done_cost = self._cost()
        self._may_split = order.split
        job = self._job = _Job(self._program)
        job.set_up(order.partition)
        return job, order.partition.bound

    def _search(self, job: _Job, bound: int) -> Generator[Turn, list[bytes], Answer]:
        search, options = job.search, self._task.options
        bounds = [b for b in options.bounds if b >= bound]
        steps = search.run(bounds, beyond_cost(options))
        while True:
            search.slice_cost = self._slice_cost(job)
            try:
                progress = next(steps)
            except StopIteration as stop:
                return self._answer(job, stop.value)
            self._report(
                Progress(
                    progress.bound,
                    progress.instances,
                    progress.open_calls,
                    progress.checks,
                    self._cost(),
                    progress.solver_seconds,
                )
            )
            self._hear([to_worker(m) for m in (yield self._turn())])
            if self._is_time_to_split(job):
                self._split(job)

    def _slice_cost(self, job: _Job) -> int:
        if not self._may_split:
            return 0
        return max(self._how.slice_cost, self._how.split_after - job.solver_cost())

    def _report(self, progress: Progress) -> None:
        if self._clock() - self._last_progress >= _PROGRESS_SECONDS:
            self._last_progress = self._clock()
            self._outgoing.append(encode(progress))

    # --- splitting ----------------------------------------------------------------------------------------------------

    def _is_time_to_split(self, job: _Job) -> bool:
        # Below that cost the search may still go beyond the bound, which parts of it would not: see Search.run.
        if not self._may_split or (not self._id and job.solver_cost() < self._how.split_after):
            return False
        if self._how.splits is Splits.RANDOM:
            return self._random.random() < 0.5
        interval = self._how.interval if self._how.rate is Rate.FIXED else self._interval
        return self._clock() - self._last_split >= interval

    def _split(self, job: _Job) -> None:
        instance = choose_split(job.search, self._how.splits, self._random)
        if instance is None:
            return
        self._last_split = self._clock()
        unfolding, before, bound = job.search.unfolding, job.search.decisions, job.search.progress.bound
        unfolding.freeze(instance)
        reach = (*before, Decision(instance.number, True))
        partition = describe(unfolding, reach, bound)
        message = SendPartition(self._id, unfolding.meaning(instance), partition, self._inlined(job))
        self._outgoing.append(encode(message))
        job.halves[self._id + "1"] = (reach, bound)
        job.search.decisions = (*before, Decision(instance.number, False))
        self._id += "0"

    def _inlined(self, job: _Job) -> tuple[int, ...]:
        """Digests of the calls inlined since the coordinator was last told."""
        instances = job.search.unfolding.instances
        new, job.told = instances[job.told :], len(instances)
        return tuple(job.search.unfolding.place(instance) for instance in new)

    # --- the end of a search ------------------------------------------------------------------------------------------

    def _answer(self, job: _Job, outcome: Violation | NoViolation | Undecided) -> Answer:
        match outcome:
            case Violation(path):
                return Violated(encode_path(path))
            case Undecided(reason):
                return GivenUp(reason)
            case NoViolation(bound, needs_bound):
                return self._checked(job, bound if needs_bound else None)

    def _checked(self, job: _Job, bound: int | None) -> Answer:
        proof = job.writer.proof(bound, job.search.decisions)
        rejected = job.checker.check(proof)
        if rejected is not None:
            return GivenUp("unconfirmed", f"the proof that was found is not confirmed: {rejected.reason}")
        meanings = tuple((job.checker.meaning(d.instance), d.reach) for d in proof.decisions)
        return Closed(bound, meanings, "proof checked by another encoding")
