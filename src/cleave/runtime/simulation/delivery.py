"""Delivers every message once and in order over a wire that loses, delays, reorders and repeats frames.

Each of the two sides holds a `Channel`. It has no clock and does no I/O: frames come out of it and go into it.

>>> here, there = Channel(timeout=1.0), Channel(timeout=1.0)
>>> lost, second = here.send(b"one", now=0.0), here.send(b"two", now=0.0)
>>> there.receive(second, now=0.5).messages        # held back: what was sent before it is missing
()
>>> [again, _] = here.resend(now=1.0)              # nothing is acknowledged yet, so both are sent again
>>> arrival = there.receive(again, now=1.5)
>>> arrival.messages
(b'one', b'two')
>>> _ = here.receive(arrival.acknowledgement, now=2.0)
>>> here.due()                                     # nothing is left to send again
inf

Messages are numbered from 1. Every frame says up to which number its sender has received everything. A message that is
not acknowledged in time is sent again, each time after twice as long. A side keeps what the other has not acknowledged,
and of what it received only what is ahead of a gap, which the other side has kept as well: no more than is
unacknowledged."""

from __future__ import annotations

import math
from collections import deque
from itertools import islice

import msgspec


class Frame(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """What is on the wire; the tag is the version. Number 0 carries no message, only the acknowledgement."""

    number: int
    acknowledged: int
    message: bytes = b""


class Arrival(msgspec.Struct, frozen=True):
    """What a frame brought: the messages that are now next in order, and the frame to answer with (empty: none)."""

    messages: tuple[bytes, ...] = ()
    acknowledgement: bytes = b""


class Channel:
    """One side's end of a two-way connection.

    ``timeout`` is how long to wait for the first acknowledgement and should exceed a round trip; the wait doubles up to
    ``longest``. At most ``burst`` messages, the oldest, are sent again at a time: the rest is likely to have arrived.
    """

    def __init__(self, *, timeout: float, longest: float | None = None, burst: int = 64) -> None:
        self._timeout = timeout
        self._longest = 32 * timeout if longest is None else longest
        self._burst = burst
        self._wait = timeout
        self._due = math.inf
        self._sent = 0
        self._unacknowledged: deque[bytes] = deque()  # the last ones sent, so their numbers are consecutive
        self._received = 0  # everything up to this number was handed over
        self._ahead: dict[int, bytes] = {}  # arrived before something with a smaller number

    def send(self, message: bytes, now: float) -> bytes:
        """The frame to put on the wire now."""
        self._sent += 1
        self._unacknowledged.append(message)
        # An earlier message that still waits keeps its time: a stream of new ones must not put it off for ever.
        self._due = min(self._due, now + self._wait)
        return self._frame(self._sent, message)

    def receive(self, data: bytes, now: float) -> Arrival:
        """Takes a frame from the wire."""
        frame = _DECODER.decode(data)
        self._acknowledge(frame.acknowledged, now)
        if frame.number == 0:
            return Arrival()
        if frame.number > self._received:
            self._ahead[frame.number] = frame.message
        messages = tuple(self._next_in_order())
        # A repeated frame is answered too: it may have come because the first answer was lost.
        return Arrival(messages, self._frame(0))

    def due(self) -> float:
        """When to call `resend`: infinity while everything is acknowledged."""
        return self._due

    def resend(self, now: float) -> list[bytes]:
        """The frames to put on the wire again; none before they are due."""
        if now < self._due:
            return []
        self._wait = min(2 * self._wait, self._longest)
        self._due = now + self._wait
        oldest = islice(self._unacknowledged, self._burst)
        return [self._frame(number, message) for number, message in enumerate(oldest, start=self._first())]

    def unacknowledged(self) -> int:
        """How many messages are kept because the other side may not have them."""
        return len(self._unacknowledged)

    def held_back(self) -> int:
        """How many messages wait for an earlier one."""
        return len(self._ahead)

    def _first(self) -> int:
        """The number of the oldest message that is not acknowledged."""
        return self._sent - len(self._unacknowledged) + 1

    def _acknowledge(self, up_to: int, now: float) -> None:
        count = min(up_to, self._sent) - self._first() + 1
        if count <= 0:
            return
        for _ in range(count):
            self._unacknowledged.popleft()
        # The wire works: what is left gets a full wait, and a short one.
        self._wait = self._timeout
        self._due = now + self._wait if self._unacknowledged else math.inf

    def _next_in_order(self) -> list[bytes]:
        messages = []
        while (message := self._ahead.pop(self._received + 1, None)) is not None:
            self._received += 1
            messages.append(message)
        return messages

    def _frame(self, number: int, message: bytes = b"") -> bytes:
        return _ENCODER.encode(Frame(number, self._received, message))


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Frame)
