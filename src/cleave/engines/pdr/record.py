"""The partitions of a run, from its events, read without the coordinator; and one proof from those of all
parts.

combined(problem, proofs)        # an interpretation of the given clauses, for `validate` to check
history(events)                  # who solved what, to show
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.coordination import Event, valid_messages
from cleave.engines.pdr.evidence import decode_interpretation
from cleave.engines.pdr.messages import Divided, Outcome, Proofs, from_worker
from cleave.engines.pdr.task import HornProblem
from cleave.ir.horn import Interpretation
from cleave.ir.horn_partition import Partition
from cleave.records import dataclass
from cleave.validate.clauses.combine import combine


@dataclass(frozen=True, slots=True)
class Solved:
    """A job that ended with an answer. ``partition`` None is the whole problem."""

    worker: int
    partition: Partition | None
    outcome: Outcome


def history(events: Iterable[Event]) -> list[Divided | Solved]:
    """The divisions and the answers, in order."""
    found: list[Divided | Solved] = []
    for worker, message in valid_messages(events, from_worker):
        if isinstance(message, Divided):
            found.append(message)
        elif isinstance(message, Outcome):
            found.append(Solved(worker, message.partition, message))
    return found


def combined(problem: HornProblem, found: Proofs) -> Interpretation:
    """The interpretation of the given clauses that the proofs of the parts make up. It proves itself: if it holds, it
    does not matter how it was found."""
    parts = [(proof.partition, decode_interpretation(proof.interpretation)) for proof in found.proofs]
    whole: Interpretation | None = next((found for partition, found in parts if partition is None), None)
    if whole is None:
        whole = combine(problem.prepared, {one: each for one, each in parts if one is not None})
    return problem.interpretation(whole)
