"""Workers without a solver, for `bench.messages`: they say what workers of the inline engine say, in messages of real
sizes, and let virtual time pass instead of searching."""

from __future__ import annotations

from random import Random

from cleave.engines.coordination import Clock, Turn, Work
from cleave.engines.inline.messages import (
    Back,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    Progress,
    Searched,
    SendPartition,
    Solve,
    Wait,
    encode,
    to_worker,
)
from cleave.engines.inline.partition import Decision, Partition
from cleave.runtime.simulation.crew import COST_PER_SECOND

_STEP_SECONDS = 0.25  # of a worker's turn
_LEAST_SPLIT = 0.5  # seconds of work left
_PROOF_SECONDS = 0.1
_UNFOLDING_BYTES = 500
_DIGEST = 2**63


class FakeWorker:
    """Says what a worker says, and lets time pass instead of searching. How much work is in a partition is written at
    the beginning of its unfolding, which nobody else reads."""

    def __init__(self, random: Random, clock: Clock, seconds: float) -> None:
        self._random = random
        self._clock = clock
        self._all = seconds  # in the whole search
        self._halves: dict[str, tuple[float, tuple[Decision, ...]]] = {}  # that it may come back to
        self._claims: list[tuple[str, int]] = []  # and how many decisions each has
        self._outgoing: list[FromWorker] = []
        self._cost = 0
        self._last_split = self._last_progress = 0.0

    def run(self) -> Work:
        self._outgoing.append(GetPartition())
        while True:
            order = None
            may_check = False
            while order is None:
                checking = may_check and bool(self._claims)
                if checking:
                    self._check()
                for message in map(to_worker, (yield self._turn(idle=not checking))):
                    if isinstance(message, Solve | Back):
                        order = message
                    may_check |= isinstance(message, Wait)
            yield from self._solve(order)

    def _turn(self, *, idle: bool = False) -> Turn:
        outgoing, self._outgoing = tuple(map(encode, self._outgoing)), []
        return Turn(outgoing, idle, self._cost)

    def _solve(self, order: Solve | Back) -> Work:
        name, interval = order.id, order.interval
        if isinstance(order, Back):
            left, decisions = self._halves.pop(name)
        else:
            left, decisions = self._amount(order.partition), order.partition.decisions
            self._halves.clear()
        self._last_split = self._clock()
        while left > 0:
            step = min(left, _STEP_SECONDS)
            left -= step
            self._spend(step)
            self._report()
            for message in map(to_worker, (yield self._turn())):
                if isinstance(message, Pace):
                    interval = message.interval
            if self._clock() - self._last_split >= interval and left > _LEAST_SPLIT:
                left, decisions = self._split(name, left, decisions)
                name += "0"
        self._claims.append((name, len(decisions)))
        self._outgoing.append(Searched(name))

    def _split(self, name: str, left: float, decisions: tuple[Decision, ...]) -> tuple[float, tuple[Decision, ...]]:
        """What stays: the half that avoids an instance."""
        self._last_split = self._clock()
        there = left * self._random.uniform(0.1, 0.9)
        instance = self._random.randrange(1, 200)
        reach = (*decisions, Decision(instance, True))
        unfolding = f"{there!r} ".encode().ljust(_UNFOLDING_BYTES)
        partition = Partition(unfolding, reach, bound=1)
        self._outgoing.append(SendPartition(name, self._random.randbytes(16), partition, self._inlined(10)))
        self._halves[name + "1"] = (there, reach)
        return left - there, (*decisions, Decision(instance, False))

    def _amount(self, partition: Partition) -> float:
        return float(partition.unfolding.split()[0]) if partition.decisions else self._all

    def _check(self) -> None:
        name, depth = self._claims.pop(0)
        self._spend(_PROOF_SECONDS)
        decisions = tuple((self._random.randbytes(16), bit == "1") for bit in name[:depth])
        effort = Effort(1_000_000, 100_000, 100_000, 50, 100, 20, 1.5)
        self._outgoing.append(Outcome(name, Closed(3, decisions, "proof checked"), effort, self._inlined(20)))

    def _inlined(self, count: int) -> tuple[int, ...]:
        return tuple(self._random.randrange(_DIGEST) for _ in range(count))

    def _report(self) -> None:
        if self._clock() - self._last_progress >= 1.0:
            self._last_progress = self._clock()
            self._outgoing.append(Progress(1, 100, 50, 20, self._cost))

    def _spend(self, seconds: float) -> None:
        self._cost += round(seconds * COST_PER_SECOND)
