"""The messages between the pdr engine's coordinator and its workers (P3, Algorithm 1 and section V).

    worker                          coordinator
    Ready               ──▶         the worker has the problem and nothing to do
                        ◀──         Solve(job, partition, strategy, ...): Entrust; or Divide(job)
    Divided(job)        ──▶         the partitions
    Exchange(job)       ──▶         lemmas that are new, and how far the job is
                        ◀──         Learn(job): what others found that this job does not know
                        ◀──         Stop(job): Exclude; another order follows, now or later
    Outcome(job)        ──▶         the partition is closed or violated, with evidence that was checked; or given up

Each message from a worker names its job and the digest of the problem: what belongs to another job or problem counts
for nothing. A partition is None for the whole problem.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

import msgspec

from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.options import VERSION, PdrOptions, Share
from cleave.ir.horn_partition import Partition
from cleave.ir.integers import Integers
from cleave.ir.program import Property

INVARIANT = -1
"""The level of a lemma that holds at all of them."""


class Task(msgspec.Struct, frozen=True):
    """The problem as its file holds it, and how to solve it. Whoever has it can start a worker or a coordinator."""

    file: str
    source: bytes
    entry: str | None
    property: Property | None
    options: PdrOptions
    workers: int = 1
    version: int = VERSION
    integers: Integers = Integers.BITS
    virtual: bool = False  # its workers are simulated: no clock may matter
    known: bytes = b""  # facts about the program that an earlier stage found; see `engines.known`

    def digest(self) -> bytes:
        """Tells the problem from others; how it is solved does not matter."""
        parts = (self.file, self.source, self.entry, self.property, self.version, self.integers, self.known)
        return sha256(msgspec.msgpack.encode(parts)).digest()[:16]


class Lemma(msgspec.Struct, frozen=True, array_like=True):
    """A formula about a predicate's parameters, by position. ``level`` is a frame's number, or INVARIANT.

    Who is given a lemma of a frame proves it from its own frames first (see `spacer.frames`): taken as it stands it
    makes SPACER answer wrongly."""

    predicate: str
    level: int
    text: str


class Division(msgspec.Struct, frozen=True, array_like=True):
    """The query of ``partition`` was resolved on its body atom ``atom`` with each rule that there is for it: the
    clause numbers of those that are left to solve, and of those whose constraint has no solution."""

    partition: Partition
    atom: int
    open: tuple[int, ...]
    infeasible: tuple[int, ...]


class Effort(msgspec.Struct, frozen=True, array_like=True):
    """What a job took: solver cost, of that for sharing and for the check of its answer; seconds in all and for sharing
    (virtual workers: as their cost says)."""

    cost: int = 0
    sharing: int = 0
    validation: int = 0
    seconds: float = 0.0
    sharing_seconds: float = 0.0
    refused: int = 0  # lemmas of others that were not understood


class Ready(msgspec.Struct, frozen=True, array_like=True, tag=1):
    problem: bytes


class Exchange(msgspec.Struct, frozen=True, array_like=True, tag=2):
    job: int
    problem: bytes
    lemmas: tuple[Lemma, ...] = ()
    level: int = 0
    cost: int = 0
    sharing: int = 0  # what of the cost was for sharing
    strategy: str = ""  # for people, as what follows
    partition: Partition | None = None
    imported: int = 0  # lemmas of others that the job was given since the last message


class Divided(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """The queries of the problem, and which of them or of their parts were divided, in order."""

    job: int
    problem: bytes
    queries: tuple[int, ...]
    divisions: tuple[Division, ...]
    effort: Effort


class Closed(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """No derivation; ``interpretation`` satisfies the rules and the partition's query, as ``validation`` says."""

    interpretation: bytes
    validation: str


Answer: TypeAlias = Closed | Violation[bytes] | GivenUp
"""A violation is a derivation of a query of the prepared problem."""


class Outcome(msgspec.Struct, frozen=True, array_like=True, tag=4):
    job: int
    problem: bytes
    partition: Partition | None
    answer: Answer
    effort: Effort
    strategy: str = ""  # that it was told to use; none to divide


class Solve(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """``lemmas`` are known already. Who ``sieves`` is given all lemmas, to make invariants of them."""

    job: int
    partition: Partition | None
    strategy: str
    seed: int
    share: Share
    lemmas: tuple[Lemma, ...] = ()
    sieves: bool = False


class Divide(msgspec.Struct, frozen=True, array_like=True, tag=2):
    job: int


class Learn(msgspec.Struct, frozen=True, array_like=True, tag=3):
    job: int
    lemmas: tuple[Lemma, ...] = ()


class Stop(msgspec.Struct, frozen=True, array_like=True, tag=4):
    job: int


FromWorker: TypeAlias = Ready | Exchange | Divided | Outcome
ToWorker: TypeAlias = Solve | Divide | Learn | Stop


class Proof(msgspec.Struct, frozen=True, array_like=True):
    """A partition, None for the whole problem, and the interpretation that closed it."""

    partition: Partition | None
    interpretation: bytes
    validation: str


class Proofs(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Together they close the problem. ``queries`` and ``divisions`` tell which parts there are; without them the one
    proof is of the whole."""

    proofs: tuple[Proof, ...]
    queries: tuple[int, ...] = ()
    divisions: tuple[Division, ...] = ()


class Finding(msgspec.Struct, frozen=True):
    """What a whole run found, for the verdict."""

    answer: Proofs | Violation[bytes] | GivenUp


_FROM_WORKER: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)
encode: Callable[[FromWorker | ToWorker | Task | Finding], bytes] = msgspec.msgpack.Encoder().encode
to_worker: Callable[[bytes], ToWorker] = msgspec.msgpack.Decoder(ToWorker).decode
decode_task: Callable[[bytes], Task] = msgspec.msgpack.Decoder(Task).decode
decode_finding: Callable[[bytes], Finding] = msgspec.msgpack.Decoder(Finding).decode


def from_worker(data: bytes) -> FromWorker | None:
    """None for what is no message."""
    try:
        return _FROM_WORKER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
