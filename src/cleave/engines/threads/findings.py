"""What a search of schedules concludes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cleave.ir.schedule import Schedule
from cleave.verdict import Reason


@dataclass(frozen=True, slots=True)
class Violation:
    """Still to be replayed."""

    schedule: Schedule


@dataclass(frozen=True, slots=True)
class NoViolation:
    """``bounds`` are those that took part: none, if every execution of the program lies within them."""

    bounds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: Reason
    detail: str = ""
