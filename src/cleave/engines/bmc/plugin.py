"""The engine bmc, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.bmc.counters import BmcCounters
from cleave.engines.bmc.options import VERSION, BmcOptions
from cleave.engines.engine import Engine
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="bmc",
    purpose="search all executions within bounds on loops, bit by bit",
    kinds=frozenset({Kind.PROGRAM}),
    options=BmcOptions,
    counters=BmcCounters,
    search="cleave.engines.bmc.search:BmcSearch",
    review="cleave.engines.bmc.review:review",
    version=VERSION,
)
