"""The executions engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.engine import Engine
from cleave.engines.executions.counters import ExecutionsCounters
from cleave.engines.executions.options import ExecutionsOptions
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="executions",
    purpose="run the program with inputs and schedules chosen at random, to find a violation",
    kinds=frozenset({Kind.PROGRAM, Kind.THREADS}),
    options=ExecutionsOptions,
    counters=ExecutionsCounters,
    search="cleave.engines.executions.search:ExecutionsSearch",
    deepen="cleave.engines.executions.search:more",
    distributes=False,
)
