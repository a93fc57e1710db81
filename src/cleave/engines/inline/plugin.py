"""The inline engine, as the rest of Cleave sees it."""

from __future__ import annotations

from cleave.engines.engine import Engine
from cleave.engines.inline.counters import InlineCounters
from cleave.engines.inline.options import VERSION, InlineOptions
from cleave.frontends.input import Kind

ENGINE = Engine(
    name="inline",
    purpose="search all executions within a bound on recursion and loops",
    kinds=frozenset({Kind.PROGRAM}),
    options=InlineOptions,
    counters=InlineCounters,
    integers=True,
    search="cleave.engines.inline.search:InlineSearch",
    review="cleave.engines.inline.review:review",
    deepen="cleave.engines.inline.deepen:larger",
    version=VERSION,
)
