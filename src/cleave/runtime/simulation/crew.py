"""A crew of virtual workers in this process, in virtual time: for finding faults by seed, and for measuring scaling.

    crew = SimulatedCrew(assignment, faults=Faults(drop=0.3, crash_every=2.0), seed=7)
    drive(coordinator, crew, record)
    crew.now()                        # virtual seconds that the run took
    crew.statistics.busy[1]           # of which worker 1 worked so many

A turn that begins at time t sees the messages that have arrived by then, and is executed at once. What it says to have
cost makes it end at ``t + cost / cost_per_second``: its messages leave then and arrive ``latency`` later. A worker that
is idle begins its next turn when a message arrives. The coordinator takes messages one by one and needs ``handling``
virtual seconds for each: none by default.

Nothing depends on the machine, only on the seed: the same seed gives the same events at the same times.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Self, TypeAlias

from cleave.engines.coordination import Clock, Event, Joined, Lost, Received, Turn, Work
from cleave.errors import CleaveError
from cleave.records import dataclass
from cleave.runtime.child import find_worker
from cleave.runtime.crew import Assignment
from cleave.runtime.simulation.faults import NO_FAULTS, Dice, Faults
from cleave.runtime.simulation.wire import Action, End, Timeline, Wire

StartWork: TypeAlias = Callable[[bytes, int, Clock | None], Work]
"""A `Worker`, or anything that can be called like one."""

COST_PER_SECOND = 1_000_000
_SHORTEST_TURN = 1e-6  # virtual seconds: a worker that says its turns cost nothing must not stop the clock


@dataclass(slots=True)
class Statistics:
    """What a run took, both directions together. Resent and acknowledging frames are frames, but no messages."""

    busy: dict[int, float] = field(default_factory=dict)  # virtual seconds in turns, of every worker that joined
    turns: int = 0
    messages: int = 0
    bytes: int = 0
    frames: int = 0
    crashes: int = 0  # of workers, for whatever reason
    zombies: int = 0


class SimulatedCrew:
    """``worker`` is run instead of the one that the assignment names, if it is given. Workers are numbered from
    ``first``: a run that goes on after a break must not use a number again."""

    def __init__(
        self,
        assignment: Assignment,
        *,
        worker: StartWork | None = None,
        latency: float = 0.001,
        cost_per_second: float = COST_PER_SECOND,
        handling: float = 0.0,
        faults: Faults = NO_FAULTS,
        seed: int = 0,
        first: int = 1,
    ) -> None:
        self._statistics = Statistics()
        self._worker: StartWork = worker or find_worker(assignment.worker)
        self._task = assignment.task
        self._cost_per_second = cost_per_second
        self._handling = handling
        self._faults = faults
        self._dice = Dice(faults, seed)
        self._timeline = Timeline()
        self._wire = Wire(self._timeline, latency, self._dice if faults.on_frames else None)
        self._wanted = 0  # workers in all
        self._hired = 0  # that were started and are not known to be lost
        self._next_number = first
        self._present: dict[int, _VirtualWorker] = {}  # as far as the coordinator knows
        self._alive: dict[int, _VirtualWorker] = {}  # in truth
        self._free = 0.0  # when the coordinator has handled all messages so far
        self._events: list[Event] = []
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def statistics(self) -> Statistics:
        """Complete after `close`: turns that are under way are counted as far as they got."""
        self._statistics.frames = self._wire.frames
        return self._statistics

    def hire(self, workers: int) -> None:
        self._wanted = workers
        self._start_missing()

    def send(self, worker: int, message: bytes) -> None:
        if worker in self._present:
            self._count(message)
            self._present[worker].desk.send(message)

    def events(self, seconds: float) -> list[Event]:
        """What happens at the next instant at which the coordinator notices anything, if it comes in time."""
        until = self._timeline.now + seconds
        while not self._events and self._timeline.advance(until):
            pass
        if not self._events and until < math.inf:
            self._timeline.now = until
        events, self._events = self._events, []
        return events

    def now(self) -> float:
        return self._timeline.now

    def close(self) -> None:
        self._closed = True
        self._timeline.clear()
        self._events.clear()
        self._present.clear()
        for worker in list(self._alive.values()):
            self._end(worker)

    # Workers come and go

    def _start_missing(self) -> None:
        while self._hired < self._wanted and not self._closed:
            self._hired += 1
            start = partial(self._start, self._next_number)
            self._timeline.after(self._wire.latency + self._dice.start_up(), start)
            self._next_number += 1

    def _start(self, number: int) -> None:
        worker = _VirtualWorker(number)
        worker.desk, worker.end = self._wire.connect(partial(self._hear, worker), partial(self._tell, worker))
        self._alive[number] = worker
        self._statistics.busy[number] = 0.0
        self._take_turn(worker)

    def _join(self, worker: _VirtualWorker) -> None:
        self._present[worker.number] = worker
        self._events.append(Joined(worker.number, "simulated"))
        self._timeline.after(self._dice.crash(), partial(self._crash, worker, "crashed"))
        self._timeline.after(self._dice.zombie(), partial(self._give_up, worker))

    def _crash(self, worker: _VirtualWorker, reason: str) -> None:
        """The worker ends here and now; the messages of a turn that is under way are never sent."""
        if worker.end.open:
            self._statistics.crashes += 1
            self._end(worker)
            self._notice(partial(self._lose, worker, reason))

    def _give_up(self, worker: _VirtualWorker) -> None:
        """The coordinator's side takes the worker for lost, but it lives on for a while: what it sends is void."""
        if worker.desk.open and worker.end.open:
            self._statistics.zombies += 1
            self._lose(worker, "silent")
            self._timeline.after(self._faults.zombie_seconds, partial(self._end, worker))

    def _lose(self, worker: _VirtualWorker, reason: str) -> None:
        if worker.desk.open:
            worker.desk.open = False
            del self._present[worker.number]
            self._events.append(Lost(worker.number, reason))
            self._hired -= 1
            self._start_missing()

    def _end(self, worker: _VirtualWorker) -> None:
        if worker.end.open:
            worker.end.open = False
            del self._alive[worker.number]
            self._charge(worker)
            worker.close()

    # Workers work

    def _take_turn(self, worker: _VirtualWorker) -> None:
        if not worker.end.open:
            return
        worker.turn_began = self._timeline.now
        self._statistics.turns += 1
        before = worker.cost
        try:
            turn = worker.take_turn(self._worker, self._task)
        except Exception as error:  # as in a process of its own, where it would end no more than that process
            reason = "memory" if isinstance(error, MemoryError) else traceback.format_exception_only(error)[-1].strip()
            if not worker.ready:  # whoever takes its place would fail in the same way
                raise CleaveError(f"workers can't start: {reason}") from error
            self._timeline.after(_SHORTEST_TURN, partial(self._crash, worker, reason))
        else:
            seconds = max((worker.cost - before) / self._cost_per_second, _SHORTEST_TURN)
            self._timeline.after(seconds, partial(self._end_turn, worker, turn))

    def _end_turn(self, worker: _VirtualWorker, turn: Turn) -> None:
        if not worker.end.open:
            return
        self._charge(worker)
        if not worker.ready:
            worker.ready = True
            self._notice(partial(self._join, worker))
        for message in turn.messages:
            self._count(message)
            worker.end.send(message)
        worker.waits = turn.idle and not worker.inbox
        if not worker.waits:
            self._plan_turn(worker)

    def _plan_turn(self, worker: _VirtualWorker) -> None:
        # Planned rather than taken, so that it sees everything that arrives at this instant.
        self._timeline.after(0.0, partial(self._take_turn, worker))

    def _charge(self, worker: _VirtualWorker) -> None:
        if worker.turn_began is not None:
            self._statistics.busy[worker.number] += self._timeline.now - worker.turn_began
            worker.turn_began = None

    # Messages arrive

    def _tell(self, worker: _VirtualWorker, message: bytes) -> None:
        worker.inbox.append(message)
        if worker.waits:
            worker.waits = False
            self._plan_turn(worker)

    def _hear(self, worker: _VirtualWorker, message: bytes) -> None:
        self._handle(self._handling, partial(self._report, worker, message))

    def _notice(self, action: Action) -> None:
        """Lets the coordinator see that a connection was opened or ended, before or after all that came through it."""
        self._timeline.after(self._wire.latency, partial(self._handle, 0.0, action))

    def _handle(self, seconds: float, action: Action) -> None:
        """What arrives at the coordinator waits for its turn."""
        self._free = max(self._free, self._timeline.now) + seconds
        self._timeline.at(self._free, action)

    def _report(self, worker: _VirtualWorker, message: bytes) -> None:
        if worker.desk.open:
            self._events.append(Received(worker.number, message))

    def _count(self, message: bytes) -> None:
        self._statistics.messages += 1
        self._statistics.bytes += len(message)


class _VirtualWorker:
    desk: End  # of the wire, at the coordinator: open while the worker is not known to be lost
    end: End  # of the wire, at the worker: open while it is alive

    def __init__(self, number: int) -> None:
        self.number = number
        self.inbox: list[bytes] = []
        self.ready = False  # after its first turn
        self.waits = False  # for a message
        self.turn_began: float | None = None  # None between turns
        self.cost = 0
        self._clock = 0.0
        self._work: Work | None = None

    def take_turn(self, worker: StartWork, task: bytes) -> Turn:
        """Executes the next turn. The worker's clock stands still in it, at the virtual time at which it began."""
        self._clock = self.turn_began or 0.0
        if self._work is None:
            self._work = worker(task, self.number, lambda: self._clock)
            turn = next(self._work)  # which is sent nothing
        else:
            messages, self.inbox = self.inbox, []
            turn = self._work.send(messages)
        self.cost = max(self.cost, turn.cost)
        return turn

    def close(self) -> None:
        if self._work is not None:
            self._work.close()
