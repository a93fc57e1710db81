"""The findings of a search: one vocabulary for all engines.

    Violation(path)                     an execution, a derivation or a schedule, still to be confirmed
    Proof(evidence, {"recursion": 3})   no violation within the bounds; without any if there are none
    GaveUp(Reason.SOLVER, "why")        no answer
    Empty({"contexts"})                 a part of a search has no violation; which bounds took part
    GivenUp("timeout")                  a part of a search or a worker has no answer, in the solver's own word

A finding is a claim. `validate` checks its evidence, and only then it becomes a verdict. In messages violations are the
same class, with their evidence in a form that can be sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Generic, TypeAlias, TypeVar

import msgspec

from cleave.records import dataclass
from cleave.verdict import Reason

Evidence = TypeVar("Evidence", covariant=True)


class Violation(msgspec.Struct, Generic[Evidence], frozen=True, array_like=True, tag=2):
    """The only class for what breaks a property, from a solver's model to the verdict."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Empty:
    """Of a part of a search: there is no violation, and an execution may go beyond the bounds of these names."""

    bounds: frozenset[str]


class GivenUp(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Of a part of a search: `GaveUp` is what comes of it. ``reason`` is what the solver says."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Proof(Generic[Evidence]):
    """``bounds`` is empty iff no bound took part. ``within`` is a smaller claim, for the bounds that were asked for,
    where the search went beyond them. ``part`` is less evidence for the same claim, as far as the engine can tell."""

    evidence: Evidence
    bounds: Mapping[str, int] = field(default_factory=dict)
    within: Proof[Evidence] | None = None
    part: Evidence | None = None


@dataclass(frozen=True, slots=True)
class GaveUp:
    """``detail`` says how far the search got."""

    reason: Reason
    detail: str = ""


Finding: TypeAlias = Violation[Evidence] | Proof[Evidence] | GaveUp
