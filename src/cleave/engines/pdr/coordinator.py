"""The coordinator of the pdr engine: Algorithm 1 of P3, as a pure state machine.

    coordinator.on(Received(2, encode(Ready(problem))))    # [Send(2, Solve(1, None, "default", ...))]

It starts as a portfolio on the whole problem, or, if options say so or when that takes long, has a worker divide it
into partitions and entrusts those. A derivation that anyone found ends the run; so does an interpretation of the
whole, or one of each partition. What a worker claims it has checked itself, and `validate` checks it again in the
end, with the combined interpretation: a lie here costs time, not truth.

Nothing is believed that does not name the problem, and the job that its worker has now; it is counted as ``ignored``.
"""

from __future__ import annotations

from cleave.engines.coordination import STOPPED, Command, Event, Finish, Hire, Joined, Lost, Passed, Received, Send
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.accounts import Accounts
from cleave.engines.pdr.division import leaves
from cleave.engines.pdr.messages import (
    Answer,
    Closed,
    Divide,
    Divided,
    Effort,
    Exchange,
    Finding,
    Learn,
    Outcome,
    Proof,
    Proofs,
    Ready,
    Solve,
    Stop,
    Task,
    encode,
    from_worker,
)
from cleave.engines.pdr.options import NOT_SPACER, Share, limited
from cleave.engines.pdr.parts import Part, Parts
from cleave.engines.pdr.sharing import LemmaStore
from cleave.ir.horn_partition import Partition
from cleave.records import dataclass


@dataclass(slots=True)
class _Job:
    """What a worker was told to do. ``slot`` is None for one that divides."""

    number: int
    worker: int
    partition: Partition | None
    slot: int | None
    strategy: str = ""
    share: Share = Share.NONE
    cost: int = 0
    sharing: int = 0
    level: int = 0


class P3Coordinator:
    def __init__(self, task: Task) -> None:
        self._options = task.options
        self._workers = task.workers
        self._patience = task.options.seconds_of_patience(virtual=task.virtual)
        self._partition_cost = task.options.partition_cost(task.workers)
        self._problem = task.digest()
        self._parts = Parts(task.options, task.workers)
        self._lemmas = LemmaStore()
        self._jobs: dict[int, _Job] = {}
        self._members: dict[int, int | None] = {}  # workers that have said they are ready, and their jobs' numbers
        self._joined: set[int] = set()
        self._next_job = 1
        self._hired = self._workers if self._patience <= 0 else 1
        self._to_divide = self._options.wanted(self._workers) > 0
        self._division: Divided | None = None
        self._lost_dividers = 0
        self._finished = False
        self._accounts = Accounts()

    def start(self) -> list[Command]:
        return [Hire(self._hired)]

    def on(self, event: Event) -> list[Command]:
        if self._finished:
            return []
        match event:
            case Joined(worker=worker):
                self._joined.add(worker)
                return []
            case Lost(worker=worker, reason=reason):
                return self._on_lost(worker, reason)
            case Received(worker=worker, message=message):
                return self._on_message(worker, message)
            case Passed(seconds=seconds):
                return self._hire_all() if seconds >= self._patience else []

    def counters(self) -> dict[str, int | float]:
        """``cost`` counts what is under way as of its worker's last word; ``solved_by`` a strategy: its proofs and
        derivations."""
        jobs = self._jobs.values()
        return {
            "workers": len(self._joined),
            "waiting": sum(job is None for job in self._members.values()),
            "partitions": len(self._parts.parts),
            "open_partitions": self._parts.count_open(),
            "closed": self._parts.count_closed() + (self._parts.whole.proof is not None),
            "level": max((job.level for job in jobs), default=0),
            **self._accounts.counters(Effort(sum(job.cost for job in jobs), sum(job.sharing for job in jobs))),
            **self._lemmas.counts,
        }

    # --- events -------------------------------------------------------------------------------------------------------

    def _on_message(self, worker: int, data: bytes) -> list[Command]:
        message = from_worker(data)
        if message is None or worker not in self._joined or message.problem != self._problem:
            return self._ignore()
        if isinstance(message, Ready):
            return self._on_ready(worker)
        job = self._jobs.get(message.job)
        if job is None or job.worker != worker:
            return self._ignore()  # late: the job was stopped, or its worker taken for lost; or foreign
        match message:
            case Exchange():
                return self._on_exchange(job, message)
            case Divided():
                return self._on_divided(job, message)
            case Outcome():
                return self._on_outcome(job, message)

    def _ignore(self) -> list[Command]:
        self._accounts.totals["ignored"] += 1
        return []

    def _on_ready(self, worker: int) -> list[Command]:
        if self._members.get(worker) is not None:
            return self._ignore()
        self._members[worker] = None
        return self._entrust_all()

    def _on_exchange(self, job: _Job, message: Exchange) -> list[Command]:
        if job.slot is None:
            return self._ignore()
        job.cost, job.sharing, job.level = max(job.cost, message.cost), message.sharing, message.level
        self._lemmas.push(job.number, message.lemmas)
        learning = {job.number, self._parts[job.partition].sieving_job or job.number}
        return [*(command for number in sorted(learning) for command in self._teach(number)), *self._divide_if_due()]

    def _teach(self, number: int) -> list[Command]:
        news = self._lemmas.pull(number)
        return [Send(self._jobs[number].worker, encode(Learn(number, news)))] if news else []

    def _on_divided(self, job: _Job, message: Divided) -> list[Command]:
        partitions = leaves(message.queries, message.divisions)
        if job.slot is not None or self._division is not None or partitions is None:
            return self._ignore()
        self._done(job, message.effort)
        self._accounts.totals["divided_cost"] += message.effort.cost
        if len(partitions) == 1 and self._options.whole and self._parts.whole.is_open:  # no better than the whole
            return self._stay_whole()
        self._division = message
        self._parts.divide(partitions)
        if self._parts.all_closed:  # no rule fits any query
            return self._finish_parts()
        return [*self._clear_whole(), *self._entrust_all()]

    def _on_outcome(self, job: _Job, message: Outcome) -> list[Command]:
        divides = job.slot is None
        if message.partition != job.partition or (divides and isinstance(message.answer, Closed)):
            return self._ignore()
        self._done(job, message.effort)
        if isinstance(message.answer, Violation):
            self._accounts.credit(job.strategy or "division")
            return self._finish(message.answer)
        if divides:
            return self._stay_whole()
        return self._on_answer(job, message.answer)

    def _on_answer(self, job: _Job, answer: Answer) -> list[Command]:
        part = self._parts[job.partition]
        assert job.slot is not None
        if isinstance(answer, Closed):
            part.release(job.slot)
            part.proof = Proof(job.partition, answer.interpretation, answer.validation)
            self._accounts.credit(job.strategy or "division")
            return self._exclude(part)
        assert isinstance(answer, GivenUp)
        part.end(job.slot, answer, alone=job.share is Share.NONE)
        if answer.reason == "unconfirmed" and job.share is not Share.NONE:
            self._lemmas.distrust()
        return self._entrust_all()

    def _on_lost(self, worker: int, reason: str) -> list[Command]:
        self._joined.discard(worker)
        number = self._members.pop(worker, None)
        self._accounts.totals["lost_workers"] += reason != STOPPED
        if number is None:
            return []
        job = self._jobs.pop(number)
        self._lemmas.end(number)
        self._accounts.add(Effort(cost=job.cost, sharing=job.sharing))
        if job.slot is None:
            self._lost_dividers += reason != STOPPED
            if self._lost_dividers >= self._options.most_dividers:
                return self._stay_whole()
        elif reason == STOPPED:
            self._parts[job.partition].release(job.slot)
        else:
            self._parts[job.partition].lose(job.slot, reason, self._options.most_losses)
        return self._entrust_all()

    # --- partitions ---------------------------------------------------------------------------------------------------

    def _exclude(self, part: Part) -> list[Command]:
        """A part is closed: those who work on it are free for the others."""
        self._lemmas.forget(part.partition)
        if part.partition is None:
            assert part.proof is not None
            return self._finish(Proofs((part.proof,)))
        if self._parts.all_closed:
            return self._finish_parts()
        stops = [self._stop(self._jobs[number]) for number in list(part.jobs.values())]
        return [*stops, *self._entrust_all()]

    def _clear_whole(self) -> list[Command]:
        """The problem is divided: those on the whole are free, but one if that is wanted: the first strategy's."""
        kept = 1 if self._options.whole else 0
        extra = sorted(self._parts.whole.jobs.items())[kept:]
        return [self._stop(self._jobs[number]) for _, number in extra]

    def _stop(self, job: _Job) -> Command:
        self._done(job, Effort(cost=job.cost, sharing=job.sharing))
        if job.slot is not None:
            self._parts[job.partition].release(job.slot)
        self._accounts.totals["stopped"] += 1
        return Send(job.worker, encode(Stop(job.number)))

    def _done(self, job: _Job, effort: Effort) -> None:
        """The job is over, and its worker free."""
        del self._jobs[job.number]
        self._members[job.worker] = None
        self._lemmas.end(job.number)
        self._accounts.add(effort)
        self._lemmas.counts["lemmas_refused"] += effort.refused

    def _divide_if_due(self) -> list[Command]:
        """Divides when the whole has taken long, if somebody else than who is furthest with it can."""
        whole = self._parts.whole
        due = self._may_divide() and any(self._jobs[n].cost >= self._partition_cost for n in whole.jobs.values())
        if not due or (self._options.whole and len(self._members) < 2):
            return []
        last = max(whole.jobs, default=None)
        if last is None:
            return []
        job = self._jobs[whole.jobs[last]]
        return [self._stop(job), self._send_divide(job.worker)]

    def _stay_whole(self) -> list[Command]:
        """It can't be divided."""
        self._to_divide = self._parts.divides_first = False
        return self._entrust_all()

    def _may_divide(self) -> bool:
        dividing = any(job.slot is None for job in self._jobs.values())
        return self._to_divide and self._division is None and not dividing

    # --- work ---------------------------------------------------------------------------------------------------------

    def _entrust_all(self) -> list[Command]:
        commands: list[Command] = []
        for worker, job in list(self._members.items()):
            if job is None:
                commands += self._entrust(worker)
        return commands or self._give_up_if_stuck()

    def _entrust(self, worker: int) -> list[Command]:
        at_once = not self._partition_cost and (self._parts.whole.jobs or not self._options.whole)
        if self._may_divide() and (at_once or not self._parts.whole.is_open):
            return [self._send_divide(worker)]
        part = self._parts.next_part()
        return [] if part is None else [self._send_solve(worker, part)]

    def _send_divide(self, worker: int) -> Command:
        job = self._new_job(worker, None, None)
        return Send(worker, encode(Divide(job.number)))

    def _send_solve(self, worker: int, part: Part) -> Command:
        slot = part.free_slot()
        assert slot is not None
        job = self._new_job(worker, part.partition, slot)
        job.strategy, again = part.strategy(slot)
        share = self._options.parts_share if self._parts.divided else self._options.share
        job.share = Share.NONE if part.unconfirmed or limited(job.strategy)[0] in NOT_SPACER else share
        sieves = part.begin(slot, job.number, may_sieve=job.share.invariants)
        self._lemmas.begin(job.number, part.partition, job.share, sieves=sieves, takes=part.takes(slot))
        known = self._lemmas.pull(job.number)
        seed = self._options.seed + again
        order = Solve(job.number, part.partition, job.strategy, seed, job.share, known, sieves)
        return Send(worker, encode(order))

    def _new_job(self, worker: int, partition: Partition | None, slot: int | None) -> _Job:
        job = self._jobs[self._next_job] = _Job(self._next_job, worker, partition, slot)
        self._members[worker] = job.number
        self._next_job += 1
        self._accounts.totals["jobs"] += 1
        return job

    def _hire_all(self) -> list[Command]:
        if self._hired == self._workers:
            return []
        self._hired = self._workers
        return [Hire(self._hired), *self._divide_if_due()]

    # --- the end ------------------------------------------------------------------------------------------------------

    def _give_up_if_stuck(self) -> list[Command]:
        """Nobody works, and there is nothing to do for those who could: all that was to be tried has been."""
        if self._jobs or not self._members:
            return []
        return self._finish(self._parts.reasons())

    def _finish_parts(self) -> list[Command]:
        assert self._division is not None
        return self._finish(Proofs(self._parts.proofs(), self._division.queries, self._division.divisions))

    def _finish(self, answer: Proofs | Violation[bytes] | GivenUp) -> list[Command]:
        self._finished = True
        return [Finish(encode(Finding(answer)))]
