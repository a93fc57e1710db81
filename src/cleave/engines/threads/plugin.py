"""The threads engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.engine import Engine
from cleave.engines.threads.counters import ThreadsCounters
from cleave.engines.threads.options import VERSION, ThreadsOptions
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="threads",
    purpose="search all schedules within a number of contexts",
    kinds=frozenset({Kind.PROGRAM, Kind.THREADS}),
    options=ThreadsOptions,
    counters=ThreadsCounters,
    search="cleave.engines.threads.search:ThreadsSearch",
    review="cleave.engines.threads.review:review",
    deepen="cleave.engines.threads.deepen:larger",
    version=VERSION,
)
