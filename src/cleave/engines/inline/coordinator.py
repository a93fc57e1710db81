"""The coordinator of the distributed inline engine: HYDRA's server (section IV-B and IV-C), as a pure state machine.

It knows the open partitions, which worker has which, and which workers wait. A run is over when a violation was found,
or when no partition is open. Nothing is kept of a closed partition: the record of events says what was closed, and
`validate` checks from that record that the closed partitions cover the search.

    coordinator.on(Received(2, encode(GetPartition())))    # [Send(2, Solve("", ...))]
"""

from __future__ import annotations

from dataclasses import field

from cleave.engines.coordination import (
    STOPPED,
    Command,
    Event,
    Finish,
    Hire,
    Joined,
    Lost,
    Passed,
    Received,
    Send,
    is_hopeless,
)
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.messages import (
    Answer,
    Back,
    CheckProof,
    Closed,
    Finding,
    GetPartition,
    Outcome,
    Pace,
    Progress,
    Searched,
    SendPartition,
    Solve,
    Task,
    ToldProof,
    Wait,
    encode,
    from_worker,
)
from cleave.engines.inline.options import Queues, Rate
from cleave.engines.inline.partition import Partition
from cleave.engines.inline.queues import ORPHANS, Deques, SharedQueue, WaitingPartitions
from cleave.errors import InternalError
from cleave.records import dataclass

ROOT = ""


@dataclass(slots=True)
class _Member:
    """A worker of the crew. ``partition`` is what it works on, None while it waits; ``interval`` what it was told."""

    partition: str | None = None
    claims: dict[str, None] = field(default_factory=dict)  # searched, with proofs that it has yet to check; in order
    interval: float = 0.0
    progress: Progress | None = None


class HydraCoordinator:
    def __init__(self, task: Task) -> None:
        self._how = task.options
        self._workers = task.workers
        self._members: dict[int, _Member] = {}
        self._waiting: dict[int, None] = {}  # in the order in which they began to wait
        self._slow: dict[int, None] = {}  # those at work that were told to split slowly
        self._open: dict[str, Partition] = {ROOT: Partition()}
        self._queue: WaitingPartitions = Deques() if self._how.queues is Queues.DEQUES else SharedQueue()
        self._queue.push(ORPHANS, ROOT)
        self._losses: dict[str, int] = {}
        self._unsplit: set[int] = set()  # the workers that search the whole, unsplit
        self._wholes = self._how.wholes(self._workers)  # those that are still to begin: whether in another way
        self._hired = 1
        self._bound: int | None = None  # the least bound that took part in a closed partition
        self._given_up: GivenUp | None = None
        self._finished = False
        self._last_bound = 0
        self._totals = {"splits": 0, "closed": 0, "went_back": 0, "set_up": 0, "lost_workers": 0, "instances": 0}
        self._efforts = {"cost": 0, "setup_cost": 0, "validation_cost": 0, "checks": 0}

    def start(self) -> list[Command]:
        return [Hire(self._hired)]

    def on(self, event: Event) -> list[Command]:
        if self._finished:
            return []
        match event:
            case Joined(worker=worker):
                self._members[worker] = _Member(interval=self._how.interval)
                return []
            case Lost(worker=worker, reason=reason):
                return self._on_lost(worker, reason)
            case Received(worker=worker, message=message):
                return self._on_message(worker, message)
            case Passed(seconds=seconds):
                return self._hire_all() if seconds >= self._how.patience and not self._is_searched() else []

    def counters(self) -> dict[str, int | float]:
        """``cost`` is that of searches; it counts what is under way as of its worker's last word."""
        at_work = [m.progress for m in self._members.values() if m.progress is not None and m.partition is not None]
        told = sum(m.progress.cost for m in self._members.values() if m.progress is not None)
        settled = self._efforts["setup_cost"] + self._efforts["validation_cost"]
        return {
            "workers": len(self._members),
            "waiting": len(self._waiting),
            "open_partitions": len(self._open),
            "claimed": sum(len(m.claims) for m in self._members.values()),
            **self._totals,
            **self._efforts,
            "cost": max(self._efforts["cost"], told - settled),
            "bound": self._last_bound,
            "open_calls": sum(p.open_calls for p in at_work),
        }

    # --- events -------------------------------------------------------------------------------------------------------

    def _on_message(self, worker: int, message: bytes) -> list[Command]:
        member = self._members.get(worker)
        if member is None:
            return []  # from a worker that was given up; its partition is in other hands
        match from_worker(message):
            case GetPartition():
                return self._next(worker, member)
            case SendPartition() as sent:
                return self._on_split(worker, member, sent)
            case Searched(id=partition, proof=proof):
                told = self._on_searched(worker, member, partition)
                return [*told, *self._check_beside(proof)] if proof is not None else told
            case Outcome() as outcome:
                return self._on_outcome(worker, member, outcome)
            case Progress() as progress:
                member.progress = progress
                self._last_bound = progress.bound
                return []

    def _on_split(self, worker: int, member: _Member, sent: SendPartition) -> list[Command]:
        if sent.id != member.partition or sent.id not in self._open:
            raise InternalError(f"worker {worker} split partition {sent.id!r}, which it does not work on")
        del self._open[sent.id]
        self._losses.pop(sent.id, None)
        member.partition = sent.id + "0"
        self._open[sent.id + "0"] = sent.partition.flipped()
        self._open[sent.id + "1"] = sent.partition
        self._queue.push(worker, sent.id + "1")
        self._totals["splits"] += 1
        self._totals["instances"] += len(sent.inlined)
        pace = self._pace(worker, member)  # before those who wait are served, as in the paper
        return [*self._hire_all(), *self._serve_waiting(), *pace]

    def _on_searched(self, worker: int, member: _Member, partition: str) -> list[Command]:
        if partition != member.partition or partition not in self._open:
            raise InternalError(f"worker {worker} searched partition {partition!r}, which it does not work on")
        member.claims[partition] = None
        return self._next(worker, member)

    def _check_beside(self, proof: ToldProof) -> list[Command]:
        """A search of the whole is finished: one that searches it in another way would hardly end sooner than the check
        of that proof, and checks it, too, in another way."""
        return [Send(worker, encode(CheckProof(proof))) for worker in sorted(self._unsplit)[:1]]

    def _on_outcome(self, worker: int, member: _Member, outcome: Outcome) -> list[Command]:
        effort = outcome.effort
        self._totals["instances"] += len(outcome.inlined)
        self._efforts["cost"] += effort.search
        self._efforts["setup_cost"] += effort.setup
        self._efforts["validation_cost"] += effort.validation
        self._efforts["checks"] += effort.checks
        if isinstance(outcome.answer, Violation):
            return self._finish(outcome.answer)
        if worker in self._unsplit:
            return self._on_whole(worker, member, outcome.answer)
        claimed = outcome.id in member.claims
        if (outcome.id != member.partition and not claimed) or outcome.id not in self._open:
            raise InternalError(f"worker {worker} closed partition {outcome.id!r}, which it does not work on")
        if isinstance(outcome.answer, Closed):
            self._totals["closed"] += 1
            self._note_bound(outcome.answer.bound)
        else:
            self._given_up = outcome.answer
        member.claims.pop(outcome.id, None)
        return self._settled(outcome.id) or ([] if claimed else self._next(worker, member))

    def _on_whole(self, worker: int, member: _Member, answer: Answer) -> list[Command]:
        """The search that nobody split has ended: with a proof it decides the run, otherwise it was only a try."""
        if isinstance(answer, Closed):
            self._totals["closed"] += 1
            return self._finish(answer)
        self._unsplit.remove(worker)
        return self._ended() or self._next(worker, member)

    def _on_lost(self, worker: int, reason: str) -> list[Command]:
        member = self._members.pop(worker, None)
        if member is None:
            return []
        self._totals["lost_workers"] += reason != STOPPED
        self._waiting.pop(worker, None)
        self._slow.pop(worker, None)
        if worker in self._unsplit:
            self._unsplit.remove(worker)
            return self._ended()
        held = [*member.claims, *([member.partition] if member.partition is not None else [])]
        # It worked on its partition, or while it waited on its oldest claim: that one may be to blame.
        at_work = member.partition if member.partition is not None else next(iter(held), None)
        for partition in held:
            if partition == at_work and self._is_hopeless(partition, reason):
                del self._open[partition]
                self._given_up = self._hopeless(partition, reason)
            else:
                self._queue.push(ORPHANS, partition)
        return self._ended() or self._serve_waiting()

    def _hopeless(self, partition: str, reason: str) -> GivenUp:
        losses = self._losses.pop(partition)
        why = "memory" if reason == "memory" else "lost"
        return GivenUp(why, f"a part of the search took {losses} workers with it: {reason}")

    def _is_hopeless(self, partition: str, reason: str) -> bool:
        if reason == STOPPED:
            return False
        self._losses[partition] = self._losses.get(partition, 0) + 1
        return is_hopeless(self._losses[partition], reason, self._how.most_losses)

    # --- partitions ---------------------------------------------------------------------------------------------------

    def _next(self, worker: int, member: _Member) -> list[Command]:
        """What a worker that has nothing to do does next."""
        member.partition = None
        self._slow.pop(worker, None)
        own = self._queue.back(worker)
        if own is not None:
            member.partition = own
            self._totals["went_back"] += 1
            return [Send(worker, encode(Back(own, self._new_interval(worker, member))))]
        self._waiting[worker] = None
        served = self._serve_waiting()
        if worker not in self._waiting:
            return served
        if self._wholes and not member.claims and not self._is_searched():
            return [*served, *self._search_whole(worker, member)]
        return [Send(worker, encode(Wait())), *served, *self._hurry()] if member.claims else [*served, *self._hurry()]

    def _is_searched(self) -> bool:
        """Whether nothing is left to do but to check proofs."""
        return len(self._open) == sum(len(member.claims) for member in self._members.values())

    def _search_whole(self, worker: int, member: _Member) -> list[Command]:
        """The first workers for which there is no partition, and that owe nothing, search the whole, unsplit."""
        del self._waiting[worker]
        self._unsplit.add(worker)
        member.partition = ROOT
        differently, most_cost = self._wholes.pop(0), self._how.cost_of_whole(self._workers)
        whole = Solve(ROOT, Partition(), self._how.interval, split=False, differently=differently, most_cost=most_cost)
        return [Send(worker, encode(whole))]

    def _serve_waiting(self) -> list[Command]:
        commands: list[Command] = []
        while self._waiting and (partition := self._queue.take()) is not None:
            worker = next(iter(self._waiting))
            del self._waiting[worker]
            member = self._members[worker]
            member.partition = partition
            self._totals["set_up"] += 1
            solve = Solve(partition, self._open[partition], self._new_interval(worker, member))
            commands.append(Send(worker, encode(solve)))
        return commands

    def _settled(self, partition: str) -> list[Command]:
        del self._open[partition]
        self._losses.pop(partition, None)
        return self._ended()

    def _ended(self) -> list[Command]:
        if self._open or (self._given_up and self._unsplit):
            return []
        return self._finish(self._given_up or Closed(self._bound, (), "proof checked by another encoding"))

    def _note_bound(self, bound: int | None) -> None:
        if bound is not None:
            self._bound = bound if self._bound is None else min(bound, self._bound)

    def _finish(self, answer: Answer) -> list[Command]:
        self._finished = True
        return [Finish(encode(Finding(answer)))]

    # --- pace ---------------------------------------------------------------------------------------------------------

    def _hire_all(self) -> list[Command]:
        if self._hired == self._workers:
            return []
        self._hired = self._workers
        return [Hire(self._hired)]

    def _interval(self, worker: int) -> float:
        """The paper's equation 3: no split while nobody waits, and the sooner the more wait and the less is there."""
        if self._how.rate is Rate.FIXED:
            return self._how.interval
        if not self._waiting:
            return self._how.slowdown * self._how.interval
        return self._queue.count(worker) / len(self._waiting) * self._how.interval

    def _new_interval(self, worker: int, member: _Member) -> float:
        member.interval = self._interval(worker)
        if member.interval >= self._how.slowdown * self._how.interval:
            self._slow[worker] = None
        else:
            self._slow.pop(worker, None)
        return member.interval

    def _pace(self, worker: int, member: _Member) -> list[Command]:
        before = member.interval
        interval = self._new_interval(worker, member)
        return [] if interval == before else [Send(worker, encode(Pace(interval)))]

    def _hurry(self) -> list[Command]:
        """A worker waits and there is nothing for it: those who were told to take their time are told otherwise."""
        if self._how.rate is Rate.FIXED:
            return []
        return [command for worker in list(self._slow) for command in self._pace(worker, self._members[worker])]
