"""The messages between the inline engine's coordinator and its workers (HYDRA, section IV).

    worker                          coordinator
    GetPartition        ──▶         the worker has its program and nothing to do
                        ◀──         Solve(id, partition, interval)
    SendPartition(id)   ──▶         ``id`` is split: its must-reach half, id + "1", is for anyone; the worker continues
                                    with the must-avoid half, id + "0"
                        ◀──         Pace(interval)
    Searched(id)        ──▶         there is no violation in ``id``; the worker has time for another partition
                        ◀──         Back(id, interval) if its own last half is still there, else Solve, else Wait
    Outcome(id)         ──▶         ``id`` is closed, its proof checked; or violated; or given up
                        ◀──         CheckProof(proof) to a worker that searches the whole, when another one has

A worker checks its proofs while it waits. The paper's POP and GET_PARTITION are part of `Searched`, and of an `Outcome`
that says at once what it has to say: one message instead of three.

A partition's id is its path in the split tree, "" for the whole search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.options import VERSION, InlineOptions
from cleave.engines.inline.partition import Partition
from cleave.ir.integers import Integers
from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.ir.program import Property
from cleave.ir.unfolded import UnfoldedInstance, UnfoldedProof


class KnownFacts(msgspec.Struct, frozen=True):
    """What is known about the program before the search (see `known`), and who answers for it."""

    facts: bytes
    text: str


class Task(msgspec.Struct, frozen=True):
    """The program as its file holds it, and how to search it. Whoever has it can start a worker or a coordinator."""

    file: str
    source: bytes
    entry: str | None
    property: Property | None
    options: InlineOptions
    workers: int = 1
    version: int = VERSION
    known: KnownFacts | None = None
    integers: Integers = Integers.BITS


class GetPartition(msgspec.Struct, frozen=True, array_like=True, tag=1):
    pass


class SendPartition(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """``meaning`` is the digest of the instance decided on; ``inlined`` digests of the calls inlined since the last
    message that told, for statistics; ``call`` tells a person which call was decided on, and ``names`` what the
    instances of a small unfolding are, by their numbers in the partition."""

    id: str
    meaning: bytes
    partition: Partition
    inlined: tuple[int, ...] = ()
    call: str = ""
    names: tuple[str, ...] = ()


class ToldProof(msgspec.Struct, frozen=True, array_like=True):
    """An `UnfoldedProof` without decisions: of each instance its procedure, whether it is exclusive, and its calls."""

    instances: tuple[tuple[str, bool, tuple[tuple[str, int, int], ...]], ...]
    bound: int | None

    @staticmethod
    def of(proof: UnfoldedProof) -> ToldProof:
        told = (
            (i.procedure, i.exclusive, tuple((*p, callee) for p, callee in i.callees.items())) for i in proof.instances
        )
        return ToldProof(tuple(told), proof.bound)

    def proof(self) -> UnfoldedProof:
        made = [
            UnfoldedInstance(procedure, {(block, place): callee for block, place, callee in calls}, exclusive)
            for procedure, exclusive, calls in self.instances
        ]
        return UnfoldedProof(made, self.bound)


class Searched(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The search of the partition is over, without a violation; its proof is still to be checked, by this worker. Of
    the whole search the proof is told, too, for somebody to check it at the same time."""

    id: str
    proof: ToldProof | None = None


class Closed(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """No violation in the partition, checked; ``bound`` is None if none took part. ``decisions`` are the meanings of
    the partition's decisions and whether they must be reached, as the worker that closed it understands them."""

    bound: int | None
    decisions: tuple[tuple[bytes, bool], ...]
    validation: str


Answer: TypeAlias = Closed | Violation[tuple[str, ...]] | GivenUp
"""A violation is a path of the prepared program."""


class Effort(msgspec.Struct, frozen=True, array_like=True):
    """What a partition took: cost of the search, of the setup before it and of the check after it; instances set up
    and in all; checks of the solver; and seconds in all."""

    search: int = 0
    setup: int = 0
    validation: int = 0
    instances_set_up: int = 0
    instances: int = 0
    checks: int = 0
    seconds: float = 0.0


class Outcome(msgspec.Struct, frozen=True, array_like=True, tag=3):
    id: str
    answer: Answer
    effort: Effort
    inlined: tuple[int, ...] = ()


class Progress(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """How far a worker is in its partition; ``id`` tells people which."""

    bound: int
    instances: int
    open_calls: int
    checks: int
    cost: int
    id: str | None = None


class Solve(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """``split``: whether the partition may be split. ``differently``: somebody else searches it in the usual way.
    ``most_cost``: after which it is given up; 0: never."""

    id: str
    partition: Partition
    interval: float
    split: bool = True
    differently: bool = False
    most_cost: int = 0


class Back(msgspec.Struct, frozen=True, array_like=True, tag=6):
    id: str
    interval: float


class Pace(msgspec.Struct, frozen=True, array_like=True, tag=7):
    interval: float


class Wait(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """There is no partition for the worker now: time to check proofs."""


class CheckProof(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Another worker has finished the search of the whole: its proof is worth more than the search of this one."""

    proof: ToldProof


FromWorker: TypeAlias = GetPartition | SendPartition | Searched | Outcome | Progress
ToWorker: TypeAlias = Solve | Back | Pace | Wait | CheckProof


class Finding(msgspec.Struct, frozen=True):
    """What a whole run found, for the verdict."""

    answer: Answer


encode: Callable[[FromWorker | ToWorker | Task | Finding], bytes] = msgspec.msgpack.Encoder().encode
from_worker: Callable[[bytes], FromWorker] = msgspec.msgpack.Decoder(FromWorker).decode
to_worker: Callable[[bytes], ToWorker] = msgspec.msgpack.Decoder(ToWorker).decode
decode_task: Callable[[bytes], Task] = msgspec.msgpack.Decoder(Task).decode
decode_finding: Callable[[bytes], Finding] = msgspec.msgpack.Decoder(Finding).decode


def encode_path(path: Path) -> tuple[str, ...]:
    """Each step as text: ``>procedure``, ``:block`` or ``<``."""
    return tuple(_step_text(step) for step in path)


def _step_text(step: PathStep) -> str:
    match step:
        case Enter(procedure):
            return f">{procedure}"
        case Visit(block):
            return f":{block}"
        case Leave():
            return "<"


def decode_path(steps: tuple[str, ...]) -> Path:
    return tuple(_step(step[0], step[1:]) for step in steps)


def _step(kind: str, name: str) -> PathStep:
    match kind:
        case ">":
            return Enter(name)
        case ":":
            return Visit(name)
        case _:
            return Leave()
