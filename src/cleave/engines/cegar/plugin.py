"""The cegar engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.cegar.counters import CegarCounters
from cleave.engines.cegar.options import VERSION, CegarOptions
from cleave.engines.engine import Engine
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="cegar",
    purpose="prove or refute without bounds, by predicate abstraction, the same way each time",
    kinds=frozenset({Kind.PROGRAM, Kind.CLAUSES, Kind.TRANSITIONS}),
    options=CegarOptions,
    counters=CegarCounters,
    integers=True,
    search="cleave.engines.cegar.search:CegarSearch",
    review="cleave.engines.cegar.review:review",
    tells=frozenset({"invariants"}),
    version=VERSION,
)
