"""Options of intervals."""

from __future__ import annotations

from cleave.engines.options import option
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalsOptions:
    check_seconds: float = option(
        20.0,
        help="for the check of what intervals prove",
        unit="seconds",
        low=0,
        reason="most programs need less than one; what is not checked by then is not used",
    )
    most_facts: int = option(
        20,
        help="about one loop are told to other engines",
        unit="invariants",
        low=0,
        reason="formulas of searches grow with them",
    )


USUAL = IntervalsOptions()
