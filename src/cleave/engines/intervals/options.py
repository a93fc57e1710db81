"""Options of intervals."""

from __future__ import annotations

from cleave.engines.options import option
from cleave.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalsOptions:
    """What the analysis of intervals may cost."""

    check_seconds: float = option(
        20.0,
        help="time limit for checking what the intervals prove",
        unit="seconds",
        low=0,
        reason="most programs need less than a second; what is not checked by then is not used",
    )
    most_facts: int = option(
        20,
        help="number of facts about one loop that other engines get",
        unit="invariants",
        low=0,
        reason="each fact makes their formulas larger",
    )


USUAL = IntervalsOptions()
