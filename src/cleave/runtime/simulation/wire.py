"""Virtual time, and wires that take some of it.

>>> timeline = Timeline()
>>> timeline.after(2.0, lambda: print("second, at", timeline.now))
>>> timeline.after(1.0, lambda: print("first, at", timeline.now))
>>> timeline.advance(until=5.0)
first, at 1.0
True
>>> timeline.advance(until=5.0)
second, at 2.0
True
>>> timeline.advance(until=5.0)
False

A `wire` has an end at the coordinator and one at the worker. What is sent at one is delivered at the other, in order
and once: if its dice say that frames get lost, repeated or late, a `Channel` at both ends makes up for it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from cleave.runtime.simulation.delivery import Channel
from cleave.runtime.simulation.faults import Dice

Action: TypeAlias = Callable[[], None]
Deliver: TypeAlias = Callable[[bytes], None]


class Timeline:
    """What is going to happen. At the same instant, what was planned first happens first."""

    def __init__(self) -> None:
        self.now = 0.0
        self._planned = 0
        self._plans: list[tuple[float, int, Action]] = []

    def at(self, time: float, action: Action) -> None:
        """Plans an action; one at infinity never happens."""
        if time < math.inf:
            self._planned += 1
            heapq.heappush(self._plans, (max(time, self.now), self._planned, action))

    def after(self, seconds: float, action: Action) -> None:
        self.at(self.now + seconds, action)

    def advance(self, until: float) -> bool:
        """Goes to the next instant and does all that happens then. False: nothing happens by that time."""
        if not self._plans or self._plans[0][0] > until:
            return False
        self.now = self._plans[0][0]
        while self._plans and self._plans[0][0] == self.now:
            heapq.heappop(self._plans)[2]()
        return True

    def clear(self) -> None:
        self._plans.clear()


class Wire:
    """How all wires of a crew behave; without dice, nothing ever happens to a frame. Counts the frames."""

    def __init__(self, timeline: Timeline, latency: float, dice: Dice | None) -> None:
        self.timeline = timeline
        self.latency = latency
        self.frames = 0
        self._dice = dice

    def connect(self, first: Deliver, second: Deliver) -> tuple[End, End]:
        """Two ends: ``first`` is called with what is sent at the second one, and the other way round."""
        one, other = End(self, first), End(self, second)
        one.other, other.other = other, one
        return one, other

    def channel(self) -> Channel | None:
        # A round trip takes two latencies. A late frame is sent again, which does no harm.
        return None if self._dice is None else Channel(timeout=4 * self.latency + 1e-6)

    def carry(self, frame: bytes, to: End) -> None:
        self.frames += 1
        for late in self._dice.arrivals() if self._dice else (0.0,):
            self.timeline.after(self.latency + late, partial(to.take, frame))


class End:
    """One end of a wire. A closed one neither sends nor takes anything."""

    other: End

    def __init__(self, wire: Wire, deliver: Deliver) -> None:
        self.open = True
        self._wire = wire
        self._deliver = deliver
        self._channel = wire.channel()
        self._alarm = math.inf  # the earliest time at which `_resend` is planned

    def send(self, message: bytes) -> None:
        if not self.open:
            return
        if self._channel is None:
            self._wire.carry(message, self.other)
        else:
            self._wire.carry(self._channel.send(message, self._wire.timeline.now), self.other)
            self._set_alarm(self._channel)

    def take(self, frame: bytes) -> None:
        """A frame arrives here."""
        if not self.open:
            return
        if self._channel is None:
            self._deliver(frame)
            return
        arrival = self._channel.receive(frame, self._wire.timeline.now)
        self._set_alarm(self._channel)
        if arrival.acknowledgement:
            self._wire.carry(arrival.acknowledgement, self.other)
        for message in arrival.messages:
            self._deliver(message)

    def _set_alarm(self, channel: Channel) -> None:
        # An alarm that is no longer needed stays planned: when it goes off nothing is due, and nothing is sent.
        if channel.due() < self._alarm:
            self._alarm = channel.due()
            self._wire.timeline.at(self._alarm, partial(self._resend, channel))

    def _resend(self, channel: Channel) -> None:
        if not self.open:
            return
        now = self._wire.timeline.now
        if self._alarm <= now:
            self._alarm = math.inf
        for frame in channel.resend(now):
            self._wire.carry(frame, self.other)
        self._set_alarm(channel)
