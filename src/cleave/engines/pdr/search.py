"""The pdr engine's side of a distributed run: P3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from cleave.engines.engine import GaveUp
from cleave.engines.pdr import messages
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.evidence import decode_derivation, decode_interpretation
from cleave.engines.pdr.messages import Task
from cleave.engines.search import OfTask
from cleave.ir.horn import Derivation, Interpretation
from cleave.ir.horn_partition import Partition
from cleave.verdict import Reason

ENGINE = "pdr"

REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Refuted:
    """A derivation of ``false`` from the given clauses, still to be checked."""

    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Invariants:
    """An interpretation of the prepared clauses for each partition, None being the whole problem. ``checked`` says how
    this very process has checked it; what comes from elsewhere is still to be, and that the partitions make up the
    whole."""

    interpretations: Mapping[Partition | None, Interpretation]
    checked: str = ""


Found = Refuted | Invariants | GaveUp


@dataclass(frozen=True, slots=True)
class PdrSearch(OfTask[Task]):
    engine = ENGINE
    worker = "cleave.engines.pdr.worker:work"

    @classmethod
    def decode(cls, assignment: bytes) -> PdrSearch:
        return cls(messages.decode_task(assignment))

    @property
    def seconds_alone(self) -> float:
        """How long the first strategies are tried before anybody is hired."""
        return self.task.options.seconds_alone(virtual=self.task.virtual)

    @property
    def begins_alone(self) -> bool:
        return self.seconds_alone > 0

    def options(self) -> dict[str, Any]:
        search: dict[str, Any] = msgspec.to_builtins(self.task.options)
        task = self.task
        return {"entry": task.entry, "property": task.property, "integers": task.integers.value, "search": search}

    def coordinator(self) -> P3Coordinator:
        return P3Coordinator(self.task)

    def solved(self, outcome: bytes, counters: Mapping[str, int | float]) -> Found:
        match messages.decode_finding(outcome).answer:
            case messages.Violated(derivation=derivation):
                return Refuted(decode_derivation(derivation))
            case messages.Proofs(proofs=proofs):
                return Invariants({proof.partition: decode_interpretation(proof.interpretation) for proof in proofs})
            case messages.GivenUp(reason=reason, detail=detail):
                found = REASONS.get(reason, Reason.SOLVER)
                return GaveUp(found, detail or (reason if found is Reason.SOLVER else ""))

    def how_far(self, counters: Mapping[str, int | float]) -> str:
        parts = (
            f", {counters['closed']} of {counters['partitions']} partitions closed" if counters["partitions"] else ""
        )
        return f"no violation within {counters['level']} levels{parts}"
