"""What an engine is to the rest of Cleave.

An engine gets a prepared program, options and a solver, and runs as a generator: it yields its counters after each step
and at the end returns a finding, with the evidence that `validate` judges. It does not print, does not read clocks to
decide anything, and does not know who drives it: `verify` does, today in one thread.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # not needed by every engine, and large
    from cleave.ir.path import Path
    from cleave.ir.unfolded import UnfoldedProof
    from cleave.verdict import Reason


@dataclass(frozen=True, slots=True)
class Violated:
    """A control path of the prepared program that violates the property, still to be lifted and replayed."""

    path: Path


@dataclass(frozen=True, slots=True)
class Proved:
    """No violation; ``bounds`` is empty iff no bound took part in the proof. ``within`` is a smaller claim, for the
    bounds that were asked for, where the search went beyond them."""

    bounds: Mapping[str, int]
    proof: UnfoldedProof
    within: Proved | None = None


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No answer; ``detail`` says how far the engine got."""

    reason: Reason
    detail: str = ""


Finding: TypeAlias = Violated | Proved | GaveUp
Counters: TypeAlias = Mapping[str, Any]
Run: TypeAlias = Generator[Counters, None, Finding]
