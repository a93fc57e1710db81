"""A worker of the distributed inline engine, driven by hand.

worker = Worker()
worker.search(Solve("", WHOLE, NEVER))      # ("", [..., Searched("")])
worker.proofs()                             # {"": Outcome("", Closed(...))}
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from cleave.engines.coordination import Turn
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.job import Assigned
from cleave.engines.inline.messages import (
    Back,
    FromWorker,
    Outcome,
    Searched,
    Solve,
    Task,
    ToWorker,
    Wait,
    encode,
    from_worker,
)
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.worker import Client
from cleave.passes.prepare import Prepared, prepare
from support.hydra_runs import EAGER
from support.programs import LayeredMaker

NEVER = 1e9
LAYERED = prepare(LayeredMaker(random.Random(17), 4).program(), ("main",))


class Worker:
    """A client whose time is the cost of its work, as in the simulator."""

    def __init__(self, prepared: Prepared = LAYERED, *, interval: float = 0.0005, beyond: int = 0, **how: Any) -> None:
        options: dict[str, Any] = {**EAGER, "interval": interval, **how}
        search = InlineOptions(bounds=(1,), beyond_cost=beyond, **options)
        task = Task("program", b"", None, None, search, workers=2)
        self.seconds = 0.0
        client = Client(Assigned(task, prepared, Conditions(prepared.program)), 1, lambda: self.seconds)
        self._work = client.run()
        self.first = self._said(next(self._work))

    def _said(self, turn: Turn) -> list[FromWorker]:
        self.seconds = turn.cost / 1_000_000
        self.idle = turn.idle
        return [from_worker(message) for message in turn.messages]

    def tell(self, *messages: ToWorker) -> list[FromWorker]:
        """Its next turn."""
        return self._said(self._work.send([encode(message) for message in messages]))

    def until_idle(self, *messages: ToWorker) -> Iterator[FromWorker]:
        yield from self.tell(*messages)
        while not self.idle:
            yield from self.tell()

    def search(self, order: Solve | Back) -> tuple[str, list[FromWorker]]:
        """The id of what it has searched in the end, without a violation, and all that it said."""
        said = list(self.until_idle(order))
        assert isinstance(said[-1], Searched)
        (searched,) = (message.id for message in said if isinstance(message, Searched))
        return searched, said

    def proofs(self) -> dict[str, Outcome]:
        """It is told to wait, and checks what it has claimed."""
        return outcomes(list(self.until_idle(Wait())))


def outcomes(said: list[FromWorker]) -> dict[str, Outcome]:
    """By partition, in their order."""
    return {message.id: message for message in said if isinstance(message, Outcome)}
