"""The messages between the threads engine's coordinator and its workers.

    worker                          coordinator
    GetPart             ──▶         the worker has unfolded its program and has nothing to do
                        ◀──         Solve(contexts, name)
                        ◀──         Split: somebody waits; give half of it away
    Divided(name)       ──▶         the worker continues with ``name + "0"``; ``name + "1"`` is for anyone
    Outcome(name)       ──▶         the part is empty, or violated, or given up; the worker has nothing to do

A part is named by its path in the tree of splits, "" for all schedules; see `partition`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from cleave.engines.findings import GivenUp, Violation
from cleave.engines.threads.options import VERSION, ThreadsOptions
from cleave.ir.schedule import Context, Schedule
from cleave.logic.values import MapValue, Value


class Task(msgspec.Struct, frozen=True):
    """The program as its file holds it, and how to search it. Whoever has it can start a worker or a coordinator."""

    file: str
    source: bytes
    entry: str | None
    options: ThreadsOptions
    workers: int = 1
    version: int = VERSION


class GetPart(msgspec.Struct, frozen=True, array_like=True, tag=1):
    pass


class Divided(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """``meaning`` tells the bit that was decided."""

    contexts: int
    name: str
    meaning: bytes


class Empty(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """No violation in the part. ``bounds`` are those that took part; ``decisions`` what the part is, as the worker that
    searched it understands it."""

    bounds: tuple[str, ...]
    decisions: tuple[tuple[bytes, bool], ...]


class SentSchedule(msgspec.Struct, frozen=True, array_like=True):
    contexts: tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]
    values: dict[int, tuple[tuple[str, bytes], ...]]
    successors: dict[int, tuple[str, ...]]


Answer: TypeAlias = Empty | Violation[SentSchedule] | GivenUp


class Effort(msgspec.Struct, frozen=True, array_like=True):
    """Cost, seconds, and how large the formula was: its nodes, and variables and clauses after bit-blasting."""

    cost: int = 0
    seconds: float = 0.0
    nodes: int = 0
    variables: int = 0
    clauses: int = 0


class Outcome(msgspec.Struct, frozen=True, array_like=True, tag=3):
    contexts: int
    name: str
    answer: Answer
    effort: Effort


class Progress(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """``cost`` is that of the part so far; ``can_split`` whether it can be divided further."""

    cost: int
    can_split: bool


class Solve(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """``last``: of the numbers of contexts to try. For a sequential program, the number of contexts is that of the
    bounds that are tried, and ``bounds`` are these: by the name of a loop, the empty one being for all others."""

    contexts: int
    name: str
    last: bool
    bounds: tuple[tuple[str, int], ...] = ()


class Split(msgspec.Struct, frozen=True, array_like=True, tag=6):
    pass


FromWorker: TypeAlias = GetPart | Divided | Outcome | Progress
ToWorker: TypeAlias = Solve | Split


class Finding(msgspec.Struct, frozen=True):
    """What a whole run found, for the verdict."""

    contexts: int
    answer: Answer


encode: Callable[[FromWorker | ToWorker | Task | Finding], bytes] = msgspec.msgpack.Encoder().encode
from_worker: Callable[[bytes], FromWorker] = msgspec.msgpack.Decoder(FromWorker).decode
to_worker: Callable[[bytes], ToWorker] = msgspec.msgpack.Decoder(ToWorker).decode
decode_task: Callable[[bytes], Task] = msgspec.msgpack.Decoder(Task).decode
decode_finding: Callable[[bytes], Finding] = msgspec.msgpack.Decoder(Finding).decode


# --- schedules ------------------------------------------------------------------------------------------------------


def send_schedule(schedule: Schedule) -> SentSchedule:
    values = {
        thread: tuple((name, msgspec.msgpack.encode(_plain(value))) for name, value in own)
        for thread, own in schedule.values.items()
    }
    successors = {thread: tuple(own) for thread, own in schedule.successors.items()}
    return SentSchedule(tuple((c.thread, c.steps, c.commits) for c in schedule.contexts), values, successors)


def receive_schedule(sent: SentSchedule) -> Schedule:
    values = {
        thread: tuple((name, _value(msgspec.msgpack.decode(value))) for name, value in own)
        for thread, own in sent.values.items()
    }
    return Schedule(tuple(Context(*one) for one in sent.contexts), values, sent.successors)


def _plain(value: Value) -> object:
    """Numbers as text, as they may be long; a map as its default and its entries."""
    match value:
        case bool():
            return value
        case int():
            return str(value)
        case MapValue():
            return [_plain(value.default), [[_plain(k), _plain(v)] for k, v in value.entries.items()]]
    raise TypeError(f"{value!r} is no value of a schedule")


def _value(plain: Any) -> Value:
    match plain:
        case bool():
            return plain
        case str():
            return int(plain)
        case [default, [*entries]]:
            return MapValue(_value(default), {_value(key): _value(value) for key, value in entries})
    raise TypeError(f"{plain!r} is no value of a schedule")
