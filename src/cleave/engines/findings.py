"""What a search finds: one vocabulary for all engines.

    Violation(path)                     an execution, a derivation or a schedule, still to be confirmed
    Proof(evidence, {"recursion": 3})   no violation within the bounds; without any if there are none
    GaveUp(Reason.SOLVER, "why")        no answer

A finding is a claim. `validate` checks its evidence, and only then it becomes a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from cleave.verdict import Reason

Evidence = TypeVar("Evidence", covariant=True)


@dataclass(frozen=True, slots=True)
class Violation(Generic[Evidence]):
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Proof(Generic[Evidence]):
    """``bounds`` is empty iff no bound took part. ``within`` is a smaller claim, for the bounds that were asked for,
    where the search went beyond them."""

    evidence: Evidence
    bounds: Mapping[str, int] = field(default_factory=dict)
    within: Proof[Evidence] | None = None


@dataclass(frozen=True, slots=True)
class GaveUp:
    """``detail`` says how far the search got."""

    reason: Reason
    detail: str = ""


Finding: TypeAlias = Violation[Evidence] | Proof[Evidence] | GaveUp
