"""The intervals engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.engine import Engine
from cleave.engines.intervals.counters import IntervalsCounters
from cleave.engines.intervals.options import IntervalsOptions
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="intervals",
    purpose="prove checks by the intervals and congruences of variables, and find invariants",
    kinds=frozenset({Kind.PROGRAM}),
    options=IntervalsOptions,
    counters=IntervalsCounters,
    integers=True,
    search="cleave.engines.intervals.search:IntervalsSearch",
    distributes=False,
)
