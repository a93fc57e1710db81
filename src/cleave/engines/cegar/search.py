"""The cegar engine's side of a distributed run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from cleave.engines.cegar import messages
from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.messages import Learned, Task, unpack
from cleave.engines.search import OfTask
from cleave.logic import encoding
from cleave.logic.terms import Term, conj_all, disj_all
from cleave.verdict import Reason

ENGINE = "cegar"

_REASONS = {"memory": Reason.MEMORY, "iterations": Reason.ITERATIONS, "interrupted": Reason.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Violation:
    """A path of transitions to the error, and the values of the variables after each of them."""

    path: tuple[int, ...]
    states: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """The states of the covered tree: for each location, sets of its predicates, by number."""

    states: Mapping[int, tuple[int, ...]]
    predicates: Mapping[int, tuple[Term, ...]]

    def invariant(self, location: int) -> Term:
        """What holds whenever control is there."""
        own = self.predicates.get(location, ())
        return disj_all(
            conj_all(predicate for number, predicate in enumerate(own) if bits >> number & 1)
            for bits in self.states.get(location, ())
        )


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: Reason
    detail: str
    predicates: Mapping[int, tuple[Term, ...]]


Found = Violation | Proof | Undecided


@dataclass(frozen=True, slots=True)
class CegarSearch(OfTask[Task]):
    engine = ENGINE
    worker = "cleave.engines.cegar.worker:work"

    @classmethod
    def decode(cls, assignment: bytes) -> CegarSearch:
        return cls(messages.decode_task(assignment))

    def options(self) -> dict[str, Any]:
        search: dict[str, Any] = msgspec.to_builtins(self.task.options)
        task = self.task
        return {"entry": task.entry, "property": task.property, "integers": task.integers.value, "search": search}

    def coordinator(self) -> CegarCoordinator:
        return CegarCoordinator(self.task)

    def solved(self, outcome: bytes, counters: Mapping[str, int | float]) -> Found:
        match messages.decode_finding(outcome).answer:
            case messages.Violated(path=path, states=states):
                return Violation(path, tuple(tuple(encoding.decode(state)) for state in states))
            case messages.Covered(states=sets, predicates=predicates):
                unpacked = {location: tuple(map(unpack, own)) for location, own in sets.items()}
                return Proof(unpacked, by_location(predicates))
            case messages.GivenUp(reason=reason, detail=detail, predicates=predicates):
                return Undecided(_REASONS.get(reason, Reason.SOLVER), detail, by_location(predicates))

    def how_far(self, counters: Mapping[str, int | float]) -> str:
        return f"no verdict in {counters['iterations']} iterations with {counters['predicates']} predicates"


def by_location(predicates: Sequence[Learned]) -> dict[int, tuple[Term, ...]]:
    found: dict[int, tuple[Term, ...]] = {}
    for one in predicates:
        found[one.location] = (*found.get(one.location, ()), *encoding.decode(one.formula))
    return found
