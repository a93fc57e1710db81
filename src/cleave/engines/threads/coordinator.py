"""The coordinator of a distributed search of schedules, a pure state machine.

It knows the open parts, which worker has which, and which workers wait. With a fixed number of parts these are all
there are at the beginning (the paper's way); otherwise there is one, and whenever a worker waits for nothing, the one
that has worked longest on its part is asked to split it. A violation ends the run; when no part is left, the next
number of contexts is tried, up to the last.

Nothing is kept of what was closed: `validate` checks from the record of events that it covers the search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from cleave.engines.coordination import (
    STOPPED,
    Command,
    Event,
    Finish,
    Hire,
    Joined,
    Lost,
    Passed,
    Received,
    Send,
    is_hopeless,
)
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.threads.messages import (
    Answer,
    Divided,
    Empty,
    Finding,
    GetPart,
    Outcome,
    Progress,
    Solve,
    Split,
    Task,
    encode,
    from_worker,
)
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import InternalError
from cleave.records import dataclass


@dataclass(slots=True)
class _Member:
    """A worker of the crew; ``part`` is what it works on, since its ``turn``-th order in the run."""

    part: str | None = None
    turn: int = 0
    asked: bool = False  # to split
    can_split: bool = True
    cost: int = 0


class PartsCoordinator:
    """Of a search that is done level by level, each in parts. Which levels there are, `_order`, `_contexts` and
    `_advance` say. ``names`` are the parts that a level begins with, and ``splits`` whether they are split further."""

    def __init__(self, workers: int, names: Sequence[str], *, splits: bool, patience: float, most_losses: int) -> None:
        self._workers = workers
        self._names, self._splits = tuple(names), splits
        self._patience, self._most_losses = patience, most_losses
        self._members: dict[int, _Member] = {}
        self._waiting: dict[int, None] = {}  # in the order in which they began to wait
        self._open: dict[str, None] = {}
        self._queue: deque[str] = deque()
        self._losses: dict[str, int] = {}
        self._bounds: set[str] = set()
        self._given_up: GivenUp | None = None
        self._hired = 1
        self._turns = 0
        self._finished = False
        self._totals = {"splits": 0, "closed": 0, "lost_workers": 0}
        self._sizes = {"nodes": 0, "variables": 0, "clauses": 0}
        self._cost = 0
        self._slowest = 0.0
        self._begin_level()

    def start(self) -> list[Command]:
        return [Hire(self._hired)]

    def on(self, event: Event) -> list[Command]:
        if self._finished:
            return []
        match event:
            case Joined(worker=worker):
                self._members[worker] = _Member()
                return []
            case Lost(worker=worker, reason=reason):
                return self._on_lost(worker, reason)
            case Received(worker=worker, message=message):
                return self._on_message(worker, message)
            case Passed(seconds=seconds):
                return self._hire_all() if seconds >= self._patience else []

    def counters(self) -> dict[str, int | float]:
        """Sizes are those of the largest part so far; ``slowest`` the seconds that a part took at most."""
        return {
            "workers": len(self._members),
            "waiting": len(self._waiting),
            "open_partitions": len(self._open),
            **self._totals,
            **self._sizes,
            "cost": self._cost + sum(m.cost for m in self._members.values() if m.part is not None),
            "setup_cost": 0,
            "validation_cost": 0,
            "contexts": self._contexts,
            "slowest": self._slowest,
        }

    @property
    def _contexts(self) -> int:
        """The number of the level."""
        raise NotImplementedError

    def _order(self, name: str) -> Solve:
        """To search a part of this level."""
        raise NotImplementedError

    def _advance(self) -> bool:
        """To the next level, now that this one is empty, if there is one."""
        raise NotImplementedError

    # --- events -------------------------------------------------------------------------------------------------------

    def _on_message(self, worker: int, message: bytes) -> list[Command]:
        member = self._members.get(worker)
        if member is None:
            return []  # from a worker that was given up; its part is in other hands
        match from_worker(message):
            case GetPart():
                return self._next(worker, member)
            case Divided() as divided:
                return self._on_divided(worker, member, divided)
            case Outcome() as outcome:
                return self._on_outcome(worker, member, outcome)
            case Progress(cost=cost, can_split=can_split):
                member.cost, member.can_split = cost, can_split
                return []

    def _on_divided(self, worker: int, member: _Member, divided: Divided) -> list[Command]:
        self._must_own(worker, member, divided.contexts, divided.name)
        del self._open[divided.name]
        self._losses.pop(divided.name, None)
        member.part, member.asked = divided.name + "0", False
        self._open |= {divided.name + "0": None, divided.name + "1": None}
        self._queue.append(divided.name + "1")
        self._totals["splits"] += 1
        return [*self._hire_all(), *self._serve_waiting()]

    def _on_outcome(self, worker: int, member: _Member, outcome: Outcome) -> list[Command]:
        self._note_effort(member, outcome)
        if isinstance(outcome.answer, Violation):
            return self._finish(outcome.answer)
        self._must_own(worker, member, outcome.contexts, outcome.name)
        if isinstance(outcome.answer, Empty):
            self._totals["closed"] += 1
            self._bounds.update(outcome.answer.bounds)
        else:
            self._given_up = outcome.answer
        member.part = None
        return self._settled(outcome.name) or self._next(worker, member)

    def _must_own(self, worker: int, member: _Member, contexts: int, name: str) -> None:
        if contexts != self._contexts or name != member.part or name not in self._open:
            raise InternalError(f"worker {worker} speaks of part {name!r}, which it does not work on")

    def _note_effort(self, member: _Member, outcome: Outcome) -> None:
        effort = outcome.effort
        member.cost = 0
        self._cost += effort.cost
        self._slowest = max(self._slowest, effort.seconds)
        for word, largest in self._sizes.items():
            self._sizes[word] = max(largest, getattr(effort, word))

    def _on_lost(self, worker: int, reason: str) -> list[Command]:
        member = self._members.pop(worker, None)
        if member is None:
            return []
        self._totals["lost_workers"] += reason != STOPPED
        self._waiting.pop(worker, None)
        if member.part is None:
            return []
        if self._is_hopeless(member.part, reason):
            why = "memory" if reason == "memory" else "lost"
            self._given_up = GivenUp(why, f"a part of the search took {self._losses[member.part]} workers with it")
            return self._settled(member.part)
        self._queue.appendleft(member.part)
        return self._serve_waiting()

    def _is_hopeless(self, part: str, reason: str) -> bool:
        if reason == STOPPED:
            return False
        self._losses[part] = self._losses.get(part, 0) + 1
        return is_hopeless(self._losses[part], reason, self._most_losses)

    # --- parts --------------------------------------------------------------------------------------------------------

    def _begin_level(self) -> None:
        self._open = dict.fromkeys(self._names)
        self._queue = deque(self._names)
        self._losses = {}
        self._bounds = set()

    def _next(self, worker: int, member: _Member) -> list[Command]:
        """What a worker that has nothing to do does next."""
        member.part = None
        self._waiting[worker] = None
        served = self._serve_waiting()
        return [*served, *self._ask_to_split()]

    def _serve_waiting(self) -> list[Command]:
        commands: list[Command] = []
        while self._waiting and self._queue:
            worker = next(iter(self._waiting))
            del self._waiting[worker]
            member = self._members[worker]
            self._turns += 1
            member.part, member.turn = self._queue.popleft(), self._turns
            member.asked, member.can_split, member.cost = False, True, 0
            commands.append(Send(worker, encode(self._order(member.part))))
        return commands

    def _ask_to_split(self) -> list[Command]:
        """For each that waits, one is asked that works: first who has worked longest."""
        if not self._splits:
            return []
        asked = sum(m.asked for m in self._members.values() if m.part is not None)
        able = [(m.turn, w) for w, m in self._members.items() if m.part is not None and m.can_split and not m.asked]
        commands: list[Command] = []
        for _, worker in sorted(able)[: max(0, len(self._waiting) - asked)]:
            self._members[worker].asked = True
            commands.append(Send(worker, encode(Split())))
        return commands

    def _settled(self, name: str) -> list[Command]:
        self._open.pop(name, None)
        self._losses.pop(name, None)
        if self._open:
            return []
        if self._given_up is not None:
            return self._finish(self._given_up)
        if not self._advance():
            return self._finish(Empty(tuple(sorted(self._bounds)), ()))
        self._begin_level()
        return self._serve_waiting()

    def _finish(self, answer: Answer) -> list[Command]:
        self._finished = True
        return [Finish(encode(Finding(self._contexts, answer)))]

    def _hire_all(self) -> list[Command]:
        if self._hired == self._workers:
            return []
        self._hired = self._workers
        return [Hire(self._hired)]


class ThreadsCoordinator(PartsCoordinator):
    """A level is a number of contexts."""

    def __init__(self, task: Task) -> None:
        how = task.options
        bounds = (0,) if how.rounds else how.tried
        self._levels = bounds[-1:] if how.partitions else bounds
        self._level = 0
        super().__init__(
            task.workers,
            chosen_parts(how),
            splits=not how.partitions,
            patience=how.patience,
            most_losses=how.most_losses,
        )

    @property
    def _contexts(self) -> int:
        return self._levels[self._level]

    def _order(self, name: str) -> Solve:
        return Solve(self._contexts, name, self._is_last)

    @property
    def _is_last(self) -> bool:
        return self._level == len(self._levels) - 1

    def _advance(self) -> bool:
        if self._is_last:
            return False
        self._level += 1
        return True


WHOLE = ""
"""The part that is all of a level."""


def part_names(partitions: int) -> list[str]:
    """So many parts, a power of two, by name; the first context's bit is the first."""
    bits = max(partitions, 1).bit_length() - 1
    return [f"{number:0{bits}b}" if bits else "" for number in range(1 << bits)]


def chosen_parts(how: ThreadsOptions) -> list[str]:
    """Of the parts that are made at once, those that are searched here."""
    names = part_names(how.partitions)
    return names[how.first : len(names) if how.last is None else how.last + 1]
