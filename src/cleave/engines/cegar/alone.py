"""One worker, in this process: the coordinator and it talk without a wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.coordination import Command, Finish, Joined, Received, Send, Turn
from cleave.engines.desk import News

_ONLY = 1


def search_alone(coordinator: CegarCoordinator, worker: CegarWorker, note: Callable[[News], None]) -> bytes:
    """The outcome. What interrupts the worker ends it with an exception."""
    work = worker.run()
    coordinator.start()
    commands = coordinator.on(Joined(_ONLY))
    turn = next(work)
    while True:
        commands += _told(coordinator, turn)
        note(coordinator.counters())
        for command in commands:
            if isinstance(command, Finish):
                return command.outcome
        turn = work.send([command.message for command in commands if isinstance(command, Send)])
        commands = []


def _told(coordinator: CegarCoordinator, turn: Turn) -> Iterator[Command]:
    for message in turn.messages:
        yield from coordinator.on(Received(_ONLY, message))
