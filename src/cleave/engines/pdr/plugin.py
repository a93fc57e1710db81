"""The pdr engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.engine import Engine
from cleave.engines.pdr.counters import PdrCounters
from cleave.engines.pdr.options import VERSION, PdrOptions
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="pdr",
    purpose="prove or refute without bounds, by Horn clauses",
    kinds=frozenset({Kind.PROGRAM, Kind.CLAUSES, Kind.TRANSITIONS}),
    options=PdrOptions,
    counters=PdrCounters,
    integers=True,
    search="cleave.engines.pdr.search:PdrSearch",
    review="cleave.engines.pdr.review:review",
    tells=frozenset({"invariants"}),
    version=VERSION,
)
