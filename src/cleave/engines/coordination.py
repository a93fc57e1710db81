"""What a distributed engine is: one coordinator, a pure state machine, and many workers, generators.

    coordinator.on(event) -> commands            # no clock, no I/O, no solver, nothing random that isn't seeded
    incoming = yield Turn(outgoing, cost=...)    # what a worker does between two steps of its own work

Events and commands carry an engine's messages as bytes: code that moves them need not understand them, and a journal
can keep them. Because a coordinator is pure, feeding it the events of a run again rebuilds it.

Messages between a coordinator and one worker arrive in order and once, or the worker is lost: that is the runtime's
promise. The number of a worker is never used again, so whatever a lost worker still sends can be recognised and is
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Protocol, TypeAlias, TypeVar

import msgspec


class Joined(msgspec.Struct, frozen=True, array_like=True, tag="joined"):
    """A worker is there, has its task, and waits. ``place`` tells a person where it runs."""

    worker: int
    place: str = ""


class Lost(msgspec.Struct, frozen=True, array_like=True, tag="lost"):
    """A worker is gone, with whatever it was doing; ``reason`` is ``memory`` if it hit its limit."""

    worker: int
    reason: str = ""


class Received(msgspec.Struct, frozen=True, array_like=True, tag="received"):
    """A worker's message."""

    worker: int
    message: bytes


class Passed(msgspec.Struct, frozen=True, array_like=True, tag="passed"):
    """Time passed: it is ``seconds`` since the run began."""

    seconds: float


Event: TypeAlias = Joined | Lost | Received | Passed

STOPPED = "stopped"
"""Why workers are lost whose run stopped and goes on: nothing that their work could be blamed for."""


class Hire(msgspec.Struct, frozen=True, array_like=True, tag="hire"):
    """The run can use this many workers in all; the runtime starts what is missing and replaces what is lost."""

    workers: int


class Send(msgspec.Struct, frozen=True, array_like=True, tag="send"):
    worker: int
    message: bytes


class Finish(msgspec.Struct, frozen=True, array_like=True, tag="finish"):
    """The run is over; ``outcome`` is the engine's."""

    outcome: bytes


Command: TypeAlias = Hire | Send | Finish


class Coordinator(Protocol):
    def start(self) -> list[Command]:
        """The first commands, before any event."""

    def on(self, event: Event) -> list[Command]: ...

    def counters(self) -> dict[str, int | float]:
        """How far the run is, for whoever watches it."""


class Turn(msgspec.Struct, frozen=True):
    """A worker's turn is over: its messages to the coordinator, whether it has nothing to do until one comes back, and
    what its work has cost so far, as a count that does not depend on the machine."""

    messages: tuple[bytes, ...] = ()
    idle: bool = False
    cost: int = 0


Clock: TypeAlias = Callable[[], float]
"""Seconds that the worker has worked: real ones, or virtual ones made of its cost."""

Work: TypeAlias = Generator[Turn, list[bytes], None]
"""A worker at work. It is sent the messages that came since its last turn; it never ends by itself."""


class Worker(Protocol):
    """Starts a worker on a task. Named by ``module:function`` where it has to start in another process."""

    def __call__(self, task: bytes, number: int, clock: Clock | None) -> Work: ...


PROGRESS_SECONDS = 1.0
"""A worker tells so often how far it is, if it has nothing else to tell."""

_MOST_FOR_MEMORY = 2  # workers that ran out of memory with the same work: more would, too


def is_hopeless(losses: int, reason: str, most: int) -> bool:
    """Whether work is to be given up that has taken so many workers with it, the last one for this reason."""
    return losses >= (_MOST_FOR_MEMORY if reason == "memory" else most)


Message = TypeVar("Message")


def valid_messages(events: Iterable[Event], read: Callable[[bytes], Message]) -> Iterator[tuple[int, Message]]:
    """The messages of workers that were there when they came, read; what a lost worker still sent is void."""
    present: set[int] = set()
    for event in events:
        match event:
            case Joined(worker=worker):
                present.add(worker)
            case Lost(worker=worker):
                present.discard(worker)
            case Received(worker=worker, message=message) if worker in present:
                yield worker, read(message)


def encode_event(event: Event) -> bytes:
    return _ENCODER.encode(event)


def decode_event(data: bytes) -> Event:
    return _DECODER.decode(data)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)
