"""Runs the inline engine on a prepared program, as `verify` does, without limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cleave.engines.findings import Finding
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import InlineOptions
from cleave.passes.prepare import Prepared
from cleave.smt.z3.solver import Z3Solver


def solve(
    prepared: Prepared,
    merging: Merging = Merging.FIRST,
    bounds: tuple[int, ...] = (3,),
    seed: int = 0,
    beyond_cost: int = 0,
    *,
    under_always: bool = False,
) -> Finding[Any]:
    return solve_and_count(prepared, merging, bounds, seed, beyond_cost, under_always=under_always)[0]


def solve_and_count(
    prepared: Prepared,
    merging: Merging = Merging.FIRST,
    bounds: tuple[int, ...] = (3,),
    seed: int = 0,
    beyond_cost: int = 0,
    *,
    under_always: bool = False,
) -> tuple[Finding[Any], Mapping[str, Any]]:
    """The finding and the last counters."""
    options = InlineOptions(
        merging=merging, bounds=bounds, seed=seed, beyond_cost=beyond_cost, under_always=under_always
    )
    run = InlineEngine(prepared, options, Z3Solver(seed=seed)).run()
    counters: Mapping[str, Any] = {}
    while True:
        try:
            counters = next(run)
        except StopIteration as end:
            finding: Finding[Any] = end.value
            return finding, counters
