"""The threads engine's side of a distributed run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from cleave.engines.coordination import Event
from cleave.engines.search import OfTask
from cleave.engines.threads import messages
from cleave.engines.threads.coordinator import ThreadsCoordinator
from cleave.engines.threads.findings import NoViolation, Undecided, Violation
from cleave.engines.threads.messages import Task, receive_schedule
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.partition import Space
from cleave.engines.threads.record import split_tree
from cleave.validate.proofs.coverage import uncovered
from cleave.verdict import Reason

_REASONS = {"memory": Reason.MEMORY, "interrupted": Reason.INTERRUPTED, "timeout": Reason.TIMEOUT}


@dataclass(frozen=True, slots=True)
class ThreadsSearch(OfTask[Task]):
    engine = "threads"
    worker = "cleave.engines.threads.worker:work"

    @classmethod
    def decode(cls, assignment: bytes) -> ThreadsSearch:
        return cls(messages.decode_task(assignment))

    def options(self) -> dict[str, Any]:
        return {"entry": self.task.entry, "search": msgspec.to_builtins(self.task.options)}

    def coordinator(self) -> ThreadsCoordinator:
        return ThreadsCoordinator(self.task)

    def solved(self, outcome: bytes, counters: Mapping[str, int | float]) -> Violation | NoViolation | Undecided:
        finding = messages.decode_finding(outcome)
        match finding.answer:
            case messages.Violated(schedule=schedule):
                return Violation(receive_schedule(schedule))
            case messages.Empty(bounds=bounds):
                return NoViolation(bound_values(self.task.options, finding.contexts, bounds))
            case messages.GivenUp(reason=reason, detail=detail):
                found = _REASONS.get(reason, Reason.SOLVER)
                return Undecided(found, detail or (reason if found is Reason.SOLVER else ""))

    def how_far(self, counters: Mapping[str, int | float]) -> str:
        done = f"parts of the search: {counters['closed']} closed, {counters['open_partitions']} open"
        return f"{counters['contexts']} contexts; {done}"


def bound_values(options: ThreadsOptions, contexts: int, names: Iterable[str]) -> dict[str, int]:
    """The bounds that took part, with their values."""
    values = {"contexts": contexts, "rounds": options.rounds, "unwind": options.unwound}
    return {name: values[name] for name in sorted(names)}


def gap(task: Task, space: Space, events: Iterable[Event]) -> str | None:
    """What the closed parts leave out of the schedules, told from the journal alone; None if nothing."""
    contexts = 0 if task.options.rounds else task.options.tried[-1]
    at_once = max(task.options.partitions, 1).bit_length() - 1
    meanings = tuple(decision.meaning for decision in space.decisions(contexts)[:at_once])
    return uncovered(split_tree(events, contexts, meanings))
