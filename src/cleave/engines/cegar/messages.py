"""The messages between the cegar engine's coordinator and its workers.

    worker                               coordinator
    Ready(transitions)        ──▶        the worker has read its task and has nothing to do
                              ◀──        Learn(predicates): from now on these, too
                              ◀──        Expand(pieces), with facts that others found
    Expanded(successors)      ──▶        the abstract successors, and facts; the worker has nothing to do
                              ◀──        Analyse(path): can it be executed?
    Analysed(answer)          ──▶        its states, or predicates that exclude it

An abstract state is a location and the set of its predicates that hold, as the bits of a number; the predicates of a
location are numbered in the order in which they are learned, so that a set means the same in every iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from cleave.engines.cegar.options import VERSION, CegarOptions
from cleave.engines.findings import GivenUp, Violation
from cleave.ir.integers import Integers
from cleave.ir.program import Property


class Task(msgspec.Struct, frozen=True):
    """The file, and how to search it. Whoever has it can start a worker or a coordinator."""

    file: str
    source: bytes
    entry: str | None
    property: Property | None
    options: CegarOptions
    workers: int = 1
    version: int = VERSION
    integers: Integers = Integers.BITS
    known: bytes = b""  # facts about the program that an earlier stage found; see `engines.known`


class Learned(msgspec.Struct, frozen=True, array_like=True):
    """A predicate of a location: a formula over its variables, encoded."""

    location: int
    formula: bytes


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """Some transitions from a state. For each of them, which of the target's predicates are asked for: those from this
    number on, as the others are known."""

    bits: bytes
    transitions: tuple[tuple[int, int], ...]


class Implied(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """With these predicates of its source, the predicate holds after the transition; or, for None, the transition can't
    be taken."""

    transition: int
    predicate: int | None
    core: bytes


class Witnessed(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """There is a way to take the transition. Of the predicates that are known before it, and after it, some hold;
    ``values`` are those before it, from which those after it follow (see `points.Step`), if all of them are numbers or
    truths."""

    transition: int
    before: bytes
    before_known: bytes
    after: bytes
    after_known: bytes
    values: tuple[str, ...] | None = None


Fact: TypeAlias = Implied | Witnessed


class Successors(msgspec.Struct, frozen=True, array_like=True):
    """For each transition that can be taken, the predicates that hold after it, among those asked for."""

    taken: tuple[tuple[int, bytes], ...]


class Ready(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The source and the target of each transition, in their order, and the predicates to begin with."""

    transitions: tuple[tuple[int, int], ...]
    predicates: tuple[Learned, ...] = ()


class Expanded(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The answers to the pieces of an order, in their order; ``queries`` are those that the solver answered, and
    ``facts`` what it said."""

    number: int
    successors: tuple[Successors, ...]
    cost: int
    queries: int
    facts: tuple[Fact, ...] = ()


class Feasible(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The values of the variables after each transition, encoded."""

    states: tuple[bytes, ...]


class Refined(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Predicates that exclude the path; in the order of the path."""

    predicates: tuple[Learned, ...]


class Failed(msgspec.Struct, frozen=True, array_like=True, tag=3):
    reason: str


Answer: TypeAlias = Feasible | Refined | Failed


class Analysed(msgspec.Struct, frozen=True, array_like=True, tag=3):
    number: int
    answer: Answer
    cost: int


class Learn(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """In the order in which every worker learns them."""

    predicates: tuple[Learned, ...]


class Expand(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """``facts`` are those of other workers that the pieces may need."""

    number: int
    pieces: tuple[Piece, ...]
    facts: tuple[Fact, ...] = ()


class Analyse(msgspec.Struct, frozen=True, array_like=True, tag=6):
    number: int
    path: tuple[int, ...]


FromWorker: TypeAlias = Ready | Expanded | Analysed
ToWorker: TypeAlias = Learn | Expand | Analyse


class Covered(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """No error state is reachable in the abstraction: its states, for each location the sets of predicates."""

    states: dict[int, tuple[bytes, ...]]
    predicates: tuple[Learned, ...]


class SentSteps(msgspec.Struct, frozen=True, array_like=True):
    """A path to the error, and the values along it; still to be checked."""

    path: tuple[int, ...]
    states: tuple[bytes, ...]


class Finding(msgspec.Struct, frozen=True):
    """What a whole run found, for the verdict."""

    answer: Covered | Violation[SentSteps] | GivenUp


encode: Callable[[FromWorker | ToWorker | Task | Finding], bytes] = msgspec.msgpack.Encoder().encode
from_worker: Callable[[bytes], FromWorker] = msgspec.msgpack.Decoder(FromWorker).decode
to_worker: Callable[[bytes], ToWorker] = msgspec.msgpack.Decoder(ToWorker).decode
decode_task: Callable[[bytes], Task] = msgspec.msgpack.Decoder(Task).decode
decode_finding: Callable[[bytes], Finding] = msgspec.msgpack.Decoder(Finding).decode


def pack(bits: int) -> bytes:
    """A set of predicates; there may be more than a message's numbers have bits."""
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")


def unpack(data: bytes) -> int:
    return int.from_bytes(data, "little")
