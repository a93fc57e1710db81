"""The inline engine's side of a distributed run: HYDRA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.engine import GaveUp, Violated
from cleave.engines.inline import messages
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import Task
from cleave.engines.inline.record import split_tree
from cleave.engines.search import OfTask
from cleave.validate.proofs.coverage import uncovered
from cleave.verdict import Reason

_REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Covered:
    """No violation: every part of the search was closed, each by a checked proof. That the parts make up the whole is
    still to be checked: `gap`."""

    bounds: dict[str, int]
    partitions: int


@dataclass(frozen=True, slots=True)
class InlineSearch(OfTask[Task]):
    engine = InlineEngine.name
    worker = "cleave.engines.inline.worker:work"

    @classmethod
    def decode(cls, assignment: bytes) -> InlineSearch:
        return cls(messages.decode_task(assignment))

    def options(self) -> dict[str, Any]:
        known = {"known": self.task.known.text} if self.task.known is not None else {}
        return {
            "entry": self.task.entry,
            "property": self.task.property,
            "integers": self.task.integers.value,
            "search": msgspec.to_builtins(self.task.options),
            **known,
        }

    def coordinator(self) -> HydraCoordinator:
        return HydraCoordinator(self.task)

    def solved(self, outcome: bytes, counters: Mapping[str, int | float]) -> Violated | Covered | GaveUp:
        match messages.decode_finding(outcome).answer:
            case messages.Violated(path=path):
                return Violated(messages.decode_path(path))
            case messages.Closed(bound=bound):
                return Covered({} if bound is None else {"recursion": bound}, int(counters["closed"]))
            case messages.GivenUp(reason=reason, detail=detail):
                found = _REASONS.get(reason, Reason.SOLVER)
                return GaveUp(found, detail or (reason if found is Reason.SOLVER else ""))

    def how_far(self, counters: Mapping[str, int | float]) -> str:
        return f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"


def gap(events: Iterable[Event]) -> str | None:
    """What the closed parts of the search leave out, told from the journal alone; None if nothing."""
    return uncovered(split_tree(events))
