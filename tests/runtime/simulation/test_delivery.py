"""Delivery over a bad wire: whatever it does to frames, as long as some pass, each message comes once and in order."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Iterable
from typing import TypeAlias

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleave.runtime.simulation.delivery import Arrival, Channel, Frame

Fate: TypeAlias = tuple[float, ...]
"""When, after it was sent, each copy of a frame arrives; ``()`` is a frame that is lost."""

FATES = st.lists(st.lists(st.floats(0.0, 10.0), max_size=3).map(tuple), max_size=60)
SENDS = st.lists(st.tuples(st.floats(0.0, 5.0), st.sampled_from([0, 1])), max_size=30)


class BadWire:
    """Two sides and what happens to the frames between them: the fates, in the order in which frames are sent."""

    def __init__(self, fates: Iterable[Fate]) -> None:
        self.now = 0.0
        self.sides = (Channel(timeout=1.0), Channel(timeout=1.0))
        self.delivered: tuple[list[bytes], list[bytes]] = ([], [])
        self.frames = 0
        self._fates = iter(fates)
        self._flying: list[tuple[float, int, int, bytes]] = []

    def send(self, side: int, message: bytes) -> None:
        self._put(1 - side, self.sides[side].send(message, self.now))

    def run(self, until: float = math.inf) -> None:
        """Until that time, or until nothing is left to do."""
        while (instant := self._next()) <= until and instant < math.inf:
            self.now = instant
            while self._flying and self._flying[0][0] <= self.now:
                _, _, side, frame = heapq.heappop(self._flying)
                self._take(side, frame)
            for side in (0, 1):
                for frame in self.sides[side].resend(self.now):
                    self._put(1 - side, frame)
            for here, there in (self.sides, reversed(self.sides)):
                assert here.held_back() <= there.unacknowledged()
        self.now = until if until < math.inf else self.now

    def _next(self) -> float:
        return min(self._flying[0][0] if self._flying else math.inf, *(side.due() for side in self.sides))

    def _put(self, to: int, frame: bytes) -> None:
        self.frames += 1
        assert self.frames < 20_000, "frames are sent for ever"
        for copy, late in enumerate(next(self._fates, (0.5,))):
            heapq.heappush(self._flying, (self.now + late, 10 * self.frames + copy, to, frame))

    def _take(self, side: int, frame: bytes) -> None:
        arrival = self.sides[side].receive(frame, self.now)
        self.delivered[side].extend(arrival.messages)
        if arrival.acknowledgement:
            self._put(1 - side, arrival.acknowledgement)


def exchange(wire: BadWire, sends: Iterable[tuple[float, int]]) -> tuple[list[bytes], list[bytes]]:
    """Sends a message at each of these sides, so long after the one before; what each side should be given."""
    expected: tuple[list[bytes], list[bytes]] = ([], [])
    for index, (pause, side) in enumerate(sends):
        wire.run(wire.now + pause)
        message = str(index).encode() if index else b""  # an empty message is a message
        wire.send(side, message)
        expected[1 - side].append(message)
    wire.run()
    return expected


@given(FATES, SENDS)
def test_every_message_is_delivered_once_and_in_order(fates: list[Fate], sends: list[tuple[float, int]]) -> None:
    wire = BadWire(fates)
    assert exchange(wire, sends) == wire.delivered
    assert [side.unacknowledged() + side.held_back() for side in wire.sides] == [0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_a_wire_that_stays_bad_for_ever_is_good_enough(seed: int) -> None:
    dice = random.Random(seed)
    fates = (tuple(dice.random() * 3 for _ in range(2) if dice.random() > 0.7) for _ in itertools.count())
    wire = BadWire(fates)
    assert exchange(wire, [(dice.random(), dice.randrange(2)) for _ in range(200)]) == wire.delivered


def test_a_good_wire_carries_one_frame_and_one_acknowledgement_per_message() -> None:
    wire = BadWire(())
    exchange(wire, [(2.0, 0)] * 10)
    assert wire.frames == 20


def test_frames_are_sent_again_ever_more_rarely() -> None:
    channel = Channel(timeout=1.0, longest=4.0)
    channel.send(b"", now=0.0)
    times = []
    for _ in range(5):
        times.append(channel.due())
        assert channel.resend(math.nextafter(times[-1], 0.0)) == []
        assert len(channel.resend(times[-1])) == 1
    assert times == [1.0, 3.0, 7.0, 11.0, 15.0]


def test_progress_makes_the_wait_short_again() -> None:
    here, there = Channel(timeout=1.0), Channel(timeout=1.0)
    frames = [here.send(b"first", now=0.0), here.send(b"second", now=0.0)]
    here.resend(now=1.0)
    here.resend(now=3.0)
    assert here.due() == 7.0
    here.receive(there.receive(frames[0], now=3.0).acknowledgement, now=3.5)
    assert here.due() == 4.5
    assert here.unacknowledged() == 1


def test_new_messages_do_not_put_off_an_old_one() -> None:
    channel = Channel(timeout=1.0)
    for tenth in range(9):
        channel.send(b"", now=tenth / 10)
    assert channel.due() == 1.0


def test_only_the_oldest_messages_are_sent_again() -> None:
    channel = Channel(timeout=1.0, burst=3)
    for index in range(10):
        channel.send(str(index).encode(), now=0.0)
    frames = [msgspec.msgpack.decode(frame, type=Frame) for frame in channel.resend(now=1.0)]
    assert [(frame.number, frame.message) for frame in frames] == [(1, b"0"), (2, b"1"), (3, b"2")]


def test_a_repeated_frame_is_dropped_but_acknowledged() -> None:
    here, there = Channel(timeout=1.0), Channel(timeout=1.0)
    frame = here.send(b"message", now=0.0)
    first = there.receive(frame, now=0.0)
    assert first.messages == (b"message",)
    assert there.receive(frame, now=0.0) == Arrival((), first.acknowledgement)


def test_a_frame_of_another_version_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        Channel(timeout=1.0).receive(msgspec.msgpack.encode([2, 1, 0, b""]), now=0.0)
