"""A worker of the distributed inline engine: HYDRA's Algorithms 4 and 5.

It solves one partition after another. While it solves one it may split it: it continues where executions avoid the
chosen instance, and sends the other half to the coordinator. Decisions are assumptions, so when its half is done and
nobody has taken the other one, it turns to that with all that it has inlined and learned.

A partition is closed only after `validate` has checked its proof, here, by the worker that found it, and while there is
nothing to search: see `claims`."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from functools import lru_cache
from random import Random
from time import monotonic

from msgspec.structs import replace

from cleave.engines.coordination import PROGRESS_SECONDS, Clock, Turn, Work
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.claims import Claim, Claims
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.confirm import ProofCheck
from cleave.engines.inline.job import Assigned, Job
from cleave.engines.inline.messages import (
    Back,
    CheckProof,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    Progress,
    Searched,
    Solve,
    ToldProof,
    decode_task,
    encode,
    encode_path,
    to_worker,
)
from cleave.engines.inline.options import Rate, Splits
from cleave.engines.inline.proof import proof_of
from cleave.engines.inline.stratified import NoViolation
from cleave.engines.inline.stratified import Outcome as SearchOutcome
from cleave.engines.inline.task import prepare_task, read_task

_MOST_CLAIMS = 1  # proofs that may wait to be checked: if the worker is lost, so are they


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    return Client(_assigned(task), number, clock or monotonic).run()


@lru_cache(maxsize=1)
def _assigned(task: bytes) -> Assigned:
    """Read once in a process, however many workers it simulates: nothing in it belongs to one of them."""
    decoded = decode_task(task)
    prepared = prepare_task(decoded, read_task(decoded))
    return Assigned(decoded, prepared, Conditions(prepared.program))


class Client:
    def __init__(self, assigned: Assigned, number: int, clock: Clock) -> None:
        self._assigned = assigned
        self._options = assigned.task.options
        self._slice = self._options.cost_of_slice(assigned.task.workers)
        self._first_split = self._options.first_split(assigned.task.workers)
        self._clock = clock
        self._random = Random(f"{self._options.seed} {number}")
        self._job: Job | None = None
        self._owed: deque[Claims] = deque()  # of earlier jobs
        self._done_cost = 0  # of what is gone
        self._interval = self._options.interval
        self._may_split = True
        self._most_cost = 0
        self._told_proof: ToldProof | None = None  # somebody else's, to be checked here, too
        self._beside: ProofCheck | None = None
        self._last_split = 0.0
        self._last_progress = 0.0
        self._outgoing: list[bytes] = []

    def run(self) -> Work:
        self._tell(GetPartition())
        while True:
            order = yield from self._next_order()
            yield from self._solve(order)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _tell(self, message: FromWorker) -> None:
        self._outgoing.append(encode(message))

    def _turn(self, *, idle: bool = False) -> Turn:
        outgoing, self._outgoing = tuple(self._outgoing), []
        return Turn(outgoing, idle, self._cost())

    def _cost(self) -> int:
        owed = sum(claims.cost() for claims in self._owed)
        job = self._job.cost() + self._job.claims.cost() if self._job else 0
        beside = self._beside.cost() if self._beside is not None else 0
        return self._done_cost + owed + job + beside

    def _next_order(self) -> Generator[Turn, list[bytes], Solve | Back]:
        """Waits for an answer; if that is to wait, checks proofs meanwhile."""
        order, told_to_wait = None, False
        while order is None:
            checking = told_to_wait and self._next_claims() is not None
            if checking:
                self._check_a_proof()
            for message in map(to_worker, (yield self._turn(idle=not checking))):
                match message:
                    case Solve() | Back():
                        order = message
                    case Pace(interval=interval):
                        order = replace(order, interval=interval) if order is not None else None
                    case _:
                        told_to_wait = True
        return order

    def _look_up(self) -> Generator[Turn, list[bytes], None]:
        """Sends what there is to send, and hears how fast to split, or of a proof to check."""
        for message in map(to_worker, (yield self._turn())):
            match message:
                case Pace(interval=interval):
                    self._interval = interval
                case CheckProof(proof=proof):
                    self._told_proof = proof

    # --- a partition --------------------------------------------------------------------------------------------------

    def _solve(self, order: Solve | Back) -> Generator[Turn, list[bytes], None]:
        began, cost_before = self._clock(), self._cost()
        self._interval = order.interval
        job, bound = self._set_up(order)
        set_up, cost_set_up, checks_before = (
            len(job.search.unfolding.instances),
            self._cost(),
            job.search.progress.checks,
        )
        self._last_split = self._clock()
        job.begin_work()
        found = yield from self._search(job, bound)
        effort = Effort(
            search=self._cost() - cost_set_up,
            setup=cost_set_up - cost_before,
            instances_set_up=set_up if isinstance(order, Solve) else 0,
            instances=len(job.search.unfolding.instances),
            checks=job.search.progress.checks - checks_before,
            seconds=self._clock() - began,
        )
        yield from self._conclude(job, found, effort)

    def _set_up(self, order: Solve | Back) -> tuple[Job, int]:
        """The search confined to the partition, and the bound to go on with."""
        if isinstance(order, Back):
            assert self._job is not None, "a worker goes back only to a partition of its own"
            return self._job, self._job.go_back(order.id)
        if self._job is not None:
            self._done_cost += self._job.cost()
            self._owed.append(self._job.claims)
        self._may_split, self._most_cost, self._told_proof = order.split, order.most_cost, None
        self._job = Job(self._assigned, order.id, order.partition, differently=order.differently)
        return self._job, order.partition.bound

    def _search(self, job: Job, bound: int) -> Generator[Turn, list[bytes], SearchOutcome]:
        search, beyond = job.search, self._options.cost_beyond
        steps = search.run([b for b in self._options.tried if b >= bound], 0 if job.differently else beyond)
        while True:
            search.slice_cost = self._slice_cost(job)
            try:
                progress = next(steps)
            except StopIteration as stop:
                found: SearchOutcome = stop.value
                needs_bound = isinstance(found, NoViolation) and found.needs_bound
                if job.differently and needs_bound and job.solver_cost() < beyond:
                    # The usual search may go beyond the bound, and the verdict must not depend on who is first.
                    return GivenUp("cost")
                return found
            self._report(
                Progress(progress.bound, progress.instances, progress.open_calls, progress.checks, self._cost(), job.id)
            )
            yield from self._look_up()
            if self._told_proof is not None and not self._may_split:
                return GivenUp("another worker has finished the search")
            if self._most_cost and job.solver_cost() >= self._most_cost:
                return GivenUp("cost")
            if self._is_time_to_split(job) and self._split(job):
                yield from self._look_up()  # whoever waits gets the half now, not after the next check

    def _slice_cost(self, job: Job) -> int:
        if self._most_cost:
            return max(self._slice, self._most_cost - job.solver_cost())
        if not self._may_split:
            return self._options.unsplit_slices * self._slice
        return max(self._slice, self._first_split - job.solver_cost())

    def _report(self, progress: Progress) -> None:
        if self._clock() - self._last_progress >= PROGRESS_SECONDS:
            self._last_progress = self._clock()
            self._tell(progress)

    def _is_time_to_split(self, job: Job) -> bool:
        # Below that cost the search may still go beyond the last bound, which parts of it would not: see Search.run.
        if not self._may_split or (not job.id and job.solver_cost() < self._first_split):
            return False
        if job.search.progress.bound > self._options.tried[-1] or not job.is_worth_splitting():
            return False
        if self._options.splits is Splits.RANDOM:
            return self._random.random() < 0.5
        interval = self._options.interval if self._options.rate is Rate.FIXED else self._interval
        return self._clock() - self._last_split >= interval

    def _split(self, job: Job) -> bool:
        """Whether there was something to split on."""
        self._last_split = self._clock()
        half = job.split(self._random)
        if half is not None:
            self._tell(half)
        return half is not None

    # --- what comes of it ---------------------------------------------------------------------------------------------

    def _conclude(self, job: Job, found: SearchOutcome, effort: Effort) -> Generator[Turn, list[bytes], None]:
        inlined = job.newly_inlined()
        match found:
            case Violation(path):
                self._tell(Outcome(job.id, Violation(encode_path(path)), effort, inlined))
            case GivenUp() if self._told_proof is not None and not self._may_split:
                yield from self._check_beside(job, self._told_proof, effort, inlined)
            case GivenUp():
                self._tell(Outcome(job.id, found, effort, inlined))
            case NoViolation(bound, needs_bound):
                claim = Claim(job.id, job.search.decisions, bound if needs_bound else None, effort, inlined)
                job.claims.waiting.append(claim)
                # Of the whole search, unsplit, nothing but the proof is left to do.
                while self._count_claims() > (_MOST_CLAIMS if self._may_split else 0):
                    self._check_a_proof()
                    yield from self._look_up()
                if self._may_split:
                    self._tell(Searched(job.id, self._proof_to_tell(job, claim)))

    def _proof_to_tell(self, job: Job, claim: Claim) -> ToldProof | None:
        """That of the whole, unless it is for a larger bound than was asked for: its check has a limit."""
        if claim.id or (claim.bound is not None and claim.bound > self._options.tried[-1]):
            return None
        return ToldProof.of(proof_of(job.search.unfolding, claim.bound))

    def _check_beside(
        self, job: Job, told: ToldProof, effort: Effort, inlined: tuple[int, ...]
    ) -> Generator[Turn, list[bytes], None]:
        """Checks the proof of another worker's search as a whole; that one begins with what the proof needs."""
        self._told_proof = None
        self._beside = check = ProofCheck(self._assigned.prepared, told.proof())
        while (judged := check.go_on(max(self._slice, check.cost()))) is None:  # longer each time, to get on
            yield from self._look_up()
        answer = Closed(told.bound, (), judged.text) if judged.holds else GivenUp("unconfirmed", judged.text)
        self._tell(Outcome(job.id, answer, replace(effort, validation=check.cost()), inlined))
        self._done_cost, self._beside = self._done_cost + check.cost(), None

    def _count_claims(self) -> int:
        own = len(self._job.claims.waiting) if self._job is not None else 0
        return own + sum(len(claims.waiting) for claims in self._owed)

    def _next_claims(self) -> Claims | None:
        """The oldest claims; those of earlier jobs are forgotten once they are settled."""
        while self._owed:
            if self._owed[0].waiting:
                return self._owed[0]
            self._done_cost += self._owed.popleft().cost()
        return self._job.claims if self._job is not None and self._job.claims.waiting else None

    def _check_a_proof(self) -> None:
        """Works on the oldest claim for a slice, longer each time, and tells if that settled it."""
        claims = self._next_claims()
        assert claims is not None
        claim, before = claims.waiting[0], claims.cost()
        # Where nothing was split off, there is nothing else to turn to.
        limit = max(self._slice, claim.effort.validation) if self._may_split and claim.id else 0
        asked_for, most = self._options.tried[-1], self._options.beyond_check_cost
        is_beyond = claim.bound is not None and claim.bound > asked_for
        answer = claims.check(claim, claims.left(most) if is_beyond else limit)
        effort = replace(claim.effort, validation=claim.effort.validation + claims.cost() - before)
        claims.waiting.popleft()
        if is_beyond and not isinstance(answer, Closed) and (answer is not None or not claims.left(most)):
            claims.confine(asked_for)
            claims.waiting.appendleft(Claim(claim.id, claim.decisions, asked_for, effort, claim.inlined))
        elif answer is None:
            claims.waiting.appendleft(Claim(claim.id, claim.decisions, claim.bound, effort, claim.inlined))
        else:
            self._tell(Outcome(claim.id, answer, effort, claim.inlined))
