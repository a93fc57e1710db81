"""The parts of a problem and the workers on them: the coordinator's books (P3, section V: the scheduler). Pure.

A part is the whole problem, partition None, or a partition of it. Each has *slots*, numbered from 0: the k-th worker
on a part gets the k-th strategy, and when those are used up the first one again with another seed. A slot whose
search ended without an answer is dead; a part all of whose slots are dead is given up. One job of a part at a time
sieves the lemmas of all for invariants (`sieving`).

Lemmas of others can lead a search astray. Where there are many workers on the whole problem, half of them, with the
best strategies, send lemmas and receive none: so sharing does not make them slower.
"""

from __future__ import annotations

from dataclasses import field

from cleave.engines.coordination import is_hopeless
from cleave.engines.findings import GivenUp
from cleave.engines.pdr.messages import Proof
from cleave.engines.pdr.options import NOT_SPACER, NOTHING_COUNTS, PdrOptions, limited, without_loops
from cleave.ir.horn_partition import Partition
from cleave.records import dataclass


@dataclass(slots=True)
class Part:
    """``jobs`` maps a slot in use to its job's number. ``unconfirmed``: an answer to it was found wrong."""

    partition: Partition | None
    names: tuple[str, ...]  # of strategies, in order
    slots: int
    jobs: dict[int, int] = field(default_factory=dict)
    dead: dict[int, GivenUp] = field(default_factory=dict)
    losses: dict[int, int] = field(default_factory=dict)
    proof: Proof | None = None
    names_without_loops: tuple[str, ...] = ()  # as soon as it is known that no loop counts, if these are others
    unconfirmed: bool = False
    undisturbed: int = 0  # so many slots, the first ones, neither sieve nor take lemmas
    sieve: int | None = None  # the slot of who does, or did

    @property
    def is_open(self) -> bool:
        """Whether it is worth working on."""
        return self.proof is None and len(self.dead) < self.slots

    @property
    def is_given_up(self) -> bool:
        return self.proof is None and len(self.dead) >= self.slots

    def free_slot(self) -> int | None:
        taken = (slot for slot in range(self.slots) if slot not in self.jobs and slot not in self.dead)
        return next(taken, None)

    def strategy(self, slot: int) -> tuple[str, int]:
        """The strategy of a slot and how often all strategies have been given out before."""
        return self.names[slot % len(self.names)], slot // len(self.names)

    def begin(self, slot: int, job: int, *, may_sieve: bool) -> bool:
        """A job is given out; whether it is to sieve, as nobody else does."""
        if self.sieving_job is None:
            self.sieve = slot if may_sieve and self.takes(slot) else None
        self.jobs[slot] = job
        return self.sieve == slot

    def takes(self, slot: int) -> bool:
        """Whether a job is given the lemmas of others."""
        return slot >= self.undisturbed

    @property
    def sieving_job(self) -> int | None:
        return self.jobs.get(self.sieve) if self.sieve is not None else None

    def end(self, slot: int, why: GivenUp, *, alone: bool) -> None:
        """The search of a slot ended without an answer. If what it found was wrong, a lemma that it was given may be to
        blame: it is tried again ``alone``, as are all others on this part from now on."""
        del self.jobs[slot]
        if why.detail == NOTHING_COUNTS:
            self.names = self.names_without_loops or self.names
        unconfirmed = why.reason == "unconfirmed"
        if alone or not unconfirmed:
            self.dead[slot] = why
        self.unconfirmed = self.unconfirmed or (unconfirmed and not alone)

    def release(self, slot: int) -> None:
        del self.jobs[slot]

    def lose(self, slot: int, reason: str, most: int) -> None:
        """The worker on the slot is gone; too many, and the slot is dead."""
        del self.jobs[slot]
        self.losses[slot] = self.losses.get(slot, 0) + 1
        if is_hopeless(self.losses[slot], reason, most):
            why = "memory" if reason == "memory" else "lost"
            self.dead[slot] = GivenUp(why, f"it took {self.losses[slot]} workers with it: {reason}")


class Parts:
    """The whole problem and, once it is divided, its partitions."""

    def __init__(self, options: PdrOptions, workers: int) -> None:
        self._options = options
        self._workers = workers
        self._strategies = options.order(workers)
        self.whole = Part(None, self._strategies, max(workers, len(self._strategies)))
        if options.strategies is None:
            self.whole.names_without_loops = without_loops(self._strategies)
        self.whole.undisturbed = options.undisturbed(workers)
        self.parts: dict[Partition, Part] = {}
        self.divided = False
        self.divides_first = options.wanted(workers) > 0 and not options.partition_cost(workers) and not options.whole

    def divide(self, partitions: list[Partition]) -> None:
        self.divided = True
        unlimited = dict.fromkeys(limited(strategy)[0] for strategy in self._strategies)
        names = tuple(name for name in unlimited if name not in NOT_SPACER)[: self._options.width] or ("default",)
        slots = max(self._workers, len(names))
        self.parts = {partition: Part(partition, names, slots) for partition in partitions}

    def __getitem__(self, partition: Partition | None) -> Part:
        return self.whole if partition is None else self.parts[partition]

    def next_part(self) -> Part | None:
        """What a worker with nothing to do should work on: Entrust.

        The unsolved partition with the fewest workers. One worker stays on the whole, if that is wanted; more go there
        only while it is not divided, or if there is nothing else.
        """
        wanted = self._options.whole or any(part.is_given_up for part in self.parts.values())
        if self.divided and wanted and self.whole.is_open and not self.whole.jobs:
            return self.whole
        free = [part for part in self.parts.values() if part.is_open and part.free_slot() is not None]
        if free:
            return min(free, key=lambda part: len(part.jobs))
        alone = not self.divided and not self.divides_first
        if (alone or wanted) and self.whole.is_open and self.whole.free_slot() is not None:
            return self.whole
        return None

    @property
    def all_closed(self) -> bool:
        return self.divided and all(part.proof is not None for part in self.parts.values())

    def proofs(self) -> tuple[Proof, ...]:
        return tuple(part.proof for part in self.parts.values() if part.proof is not None)

    def count_closed(self) -> int:
        return sum(part.proof is not None for part in self.parts.values())

    def count_open(self) -> int:
        return len(self.parts) - self.count_closed() if self.divided else int(self.whole.proof is None)

    def reasons(self) -> GivenUp:
        """Why there is no answer, when nothing is left to try."""
        dead = [why for part in (*self.parts.values(), self.whole) for why in part.dead.values()]
        said = dict.fromkeys(f"{why.reason}: {why.detail}" if why.detail else why.reason for why in dead)
        first = next((why.reason for why in dead if why.reason == "unconfirmed"), dead[0].reason if dead else "nothing")
        return GivenUp(first, "; ".join(said))
