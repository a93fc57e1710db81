"""Each throw is a short run of the program; workers throw side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import msgspec

from cleave.engines.confirming import confirm_schedule
from cleave.engines.coordination import Clock, Command, Event, Finish, Hire, Joined, Lost, Received, Send, Turn, Work
from cleave.engines.desk import Desk
from cleave.engines.engine import Setting, Team, solved
from cleave.engines.executions.trying import probe
from cleave.frontends.input import Input
from cleave.verdict import Reason, Unknown, Verdict
from cleave_dice.plugin import DiceOptions

_STEPS = 200


class Task(msgspec.Struct, frozen=True):
    file: str
    source: bytes
    entry: str | None
    seed: int


class Thrown(msgspec.Struct, frozen=True):
    seed: int
    violated: bool


def throw(input: Input, seed: int) -> bool:
    return probe(input.program, input.entry or "main", seed=seed, steps=_STEPS)[0] is not None


class DiceCoordinator:
    """Hands out seeds; ends with the first that violates, or with -1."""

    def __init__(self, seed: int, throws: int, workers: int) -> None:
        self._left = list(range(seed, seed + throws))
        self._given: dict[int, int] = {}
        self._workers = workers
        self._done = 0

    def start(self) -> list[Command]:
        return [Hire(self._workers)]

    def on(self, event: Event) -> list[Command]:
        match event:
            case Joined(worker=worker):
                return self._next(worker)
            case Lost(worker=worker):
                if worker in self._given:
                    self._left.insert(0, self._given.pop(worker))
                return []
            case Received(worker=worker, message=message):
                thrown = msgspec.msgpack.decode(message, type=Thrown)
                self._given.pop(worker, None)
                self._done += 1
                return [_finish(thrown.seed)] if thrown.violated else self._next(worker)
        return []

    def counters(self) -> dict[str, int | float]:
        return {"throws": self._done, "cost": self._done}

    def _next(self, worker: int) -> list[Command]:
        if not self._left:
            return [] if self._given else [_finish(-1)]
        self._given[worker] = self._left.pop(0)
        return [Send(worker, msgspec.msgpack.encode(self._given[worker]))]


def _finish(seed: int) -> Finish:
    return Finish(msgspec.msgpack.encode(seed))


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    decoded = msgspec.msgpack.decode(task, type=Task)
    input = Input.of(decoded.file, decoded.source, decoded.entry)
    orders, cost = (yield Turn(idle=True)), 0
    while True:
        thrown = [
            Thrown(seed, throw(input, seed)) for seed in (msgspec.msgpack.decode(one, type=int) for one in orders)
        ]
        cost += len(thrown)
        orders = yield Turn(tuple(map(msgspec.msgpack.encode, thrown)), idle=True, cost=cost)


@dataclass(frozen=True, slots=True)
class DiceSearch:
    input: Input
    options: DiceOptions
    workers: int
    worker: ClassVar[str] = "cleave_dice.search:work"
    begins_alone: ClassVar[bool] = False

    @staticmethod
    def make(input: Input, options: DiceOptions, setting: Setting) -> DiceSearch:
        return DiceSearch(input, options, setting.workers)

    def assignment(self) -> bytes:
        input = self.input
        return msgspec.msgpack.encode(Task(input.file, input.source, input.entry, self.options.seed))

    def coordinator(self) -> DiceCoordinator:
        return DiceCoordinator(self.options.seed, self.options.throws, self.workers)

    def alone(self, desk: Desk) -> Verdict:
        desk.program(self.input)
        for number in range(self.options.throws):
            desk.watch.check()
            desk.note({"throws": number + 1, "cost": number + 1})
            if throw(self.input, self.options.seed + number):
                return self._confirmed(self.options.seed + number)
        return self._nothing()

    def together(self, desk: Desk, team: Team) -> Verdict:
        desk.program(self.input)
        seed = solved(team, desk, lambda outcome, _: msgspec.msgpack.decode(outcome, type=int), lambda _: "")
        if isinstance(seed, int):
            return self._confirmed(seed) if seed >= 0 else self._nothing()
        return Unknown(seed.reason, seed.detail)

    def _confirmed(self, seed: int) -> Verdict:
        entry = self.input.entry or "main"
        found, *_ = probe(self.input.program, entry, seed=seed, steps=_STEPS)
        assert found is not None
        return confirm_schedule(self.input.program, entry, found)

    def _nothing(self) -> Verdict:
        return Unknown(Reason.BUDGET, f"no violation in {self.options.throws} throws")
