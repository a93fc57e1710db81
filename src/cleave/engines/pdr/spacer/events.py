"""The events of a run of SPACER: it pauses, it continues, or it has its answer."""

from __future__ import annotations

from typing import TypeAlias

from cleave.engines.pdr.spacer.lemmas import Lemma
from cleave.ir.horn import Derivation, Interpretation
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Paused:
    """SPACER stands still. ``lemmas`` are the ones that it learned since the last time, ``level`` the one it is at."""

    lemmas: tuple[Lemma, ...]
    level: int
    cost: int


@dataclass(frozen=True, slots=True)
class Busy:
    """The same, but SPACER is working."""

    lemmas: tuple[Lemma, ...]
    level: int
    cost: int


@dataclass(frozen=True, slots=True)
class SafeAnswer:
    """Every clause should hold under the interpretation: it is for others to check."""

    interpretation: Interpretation


@dataclass(frozen=True, slots=True)
class UnsafeAnswer:
    """Without a derivation if Z3 transformed the clauses, or if its proof can't be read."""

    derivation: Derivation | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    reason: str


Answered: TypeAlias = SafeAnswer | UnsafeAnswer | NoAnswer
Event: TypeAlias = Paused | Busy | Answered
