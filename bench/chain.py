"""The chain program of the DAG paper's Figure 2: linear with DAG inlining, exponential with tree inlining (Figure 3).

    python -m bench chain

    main:  g := 0; call P0                        each Pi calls Li or Ri, in branches that exclude each other
    Pi:    if (*) { call Li } else { call Ri }    both add 1 to g and call P(i+1), so g == i at the start of Pi
    PN:    assert g == N

The engine runs in this process, without the validation that `cleave verify` adds. ``cost`` is the solver's own count of
its work, the same in every run. Growth is the exponent k of cost ~ N^k between a row and the one before (1 is linear,
2 quadratic) for a DAG, and the factor for each further link for a tree. A table ends at the
first N that takes too long.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import log
from threading import Timer
from time import perf_counter
from typing import Any

from cleave.engines.findings import GaveUp, Proof
from cleave.engines.inline.alone import InlineEngine
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import DEFAULT_BOUND, InlineOptions
from cleave.engines.options import deepening
from cleave.frontends.boogie import read_boogie
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import prepare
from cleave.smt.z3.solver import Z3Solver

DAG_LENGTHS = (10, 25, 50, 100, 200)
TREE_LENGTHS = tuple(range(2, 11))
LINEAR = 2.0
"""Cost per link may differ by this factor between the shortest and the longest chain and still count as linear."""


@dataclass(frozen=True, slots=True)
class Point:
    length: int
    instances: int
    checks: int
    cost: int
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dag", type=int, nargs="*", default=DAG_LENGTHS, metavar="N")
    parser.add_argument("--tree", type=int, nargs="*", default=TREE_LENGTHS, metavar="N")
    parser.add_argument("--timelimit", type=float, default=60.0, help="seconds for each N (default 60)")


def main(options: argparse.Namespace) -> int:
    dag = _table("dag", Merging.FIRST, options.dag, options.timelimit, _exponent)
    _table("tree", Merging.TREE, options.tree, options.timelimit, _factor_per_link)
    if len(dag) < len(options.dag):
        print(f"dag: NOT linear: N = {options.dag[len(dag)]} takes more than {options.timelimit:g} s")
        return 1
    if len(dag) < 2:
        return 0
    reached = _linear_instances(dag) & _linear_cost(dag)
    return int(not reached)


def chain(length: int) -> str:
    """The program for N = ``length``."""
    text = ["var g: int;", "procedure {:entrypoint} main() modifies g; { g := 0; call P0(); }"]
    for i in range(length):
        text.append(f"procedure P{i}() modifies g; {{ if (*) {{ call L{i}(); }} else {{ call R{i}(); }} }}")
        text.extend(f"procedure {side}{i}() modifies g; {{ g := g + 1; call P{i + 1}(); }}" for side in "LR")
    text.append(f"procedure P{length}() {{ assert g == {length}; }}")
    return "\n".join(text)


def run(length: int, merging: Merging, timelimit: float) -> Point | None:
    """None if it takes too long."""
    program = read_boogie(chain(length), f"chain-{length}.bpl")
    prepared = prepare(program, choose_entries(program, None))
    solver = Z3Solver()
    steps = InlineEngine(prepared, InlineOptions(merging=merging, bounds=deepening(DEFAULT_BOUND)), solver).run()
    counters: dict[str, Any] = {}
    alarm = Timer(timelimit, solver.interrupt)
    alarm.start()
    started = perf_counter()
    while True:
        try:
            counters.update(next(steps))
        except StopIteration as stop:
            finding = stop.value
            break
    seconds = perf_counter() - started
    alarm.cancel()
    solver.close()
    if isinstance(finding, GaveUp):
        return None
    assert isinstance(finding, Proof), f"the chain is safe, not {finding}"
    return Point(length, counters["instances"], counters["checks"], counters["cost"], seconds)


def _table(
    title: str,
    merging: Merging,
    lengths: Iterable[int],
    timelimit: float,
    growth: Callable[[Point, Point, str], float],
) -> list[Point]:
    print(f"{title}\n{'N':>6}{'instances':>11}{'checks':>8}{'cost':>12}{'cost/N':>10}{'seconds':>9}  growth of")
    print(f"{'':56}  instances  cost")
    points: list[Point] = []
    for length in lengths:
        now = run(length, merging, timelimit)
        if now is None:
            print(f"{length:>6}        T/O")
            break
        row = (
            f"{length:>6}{now.instances:>11}{now.checks:>8}{now.cost:>12}{now.cost / length:>10.0f}{now.seconds:>9.1f}"
        )
        if points:
            row += f"  {growth(points[-1], now, 'instances'):>9.2f}{growth(points[-1], now, 'cost'):>6.2f}"
        print(row, flush=True)
        points.append(now)
    return points


def _exponent(before: Point, now: Point, what: str) -> float:
    return log(getattr(now, what) / getattr(before, what)) / log(now.length / before.length)


def _factor_per_link(before: Point, now: Point, what: str) -> float:
    ratio: float = getattr(now, what) / getattr(before, what)
    return float(ratio ** (1 / (now.length - before.length)))


def _linear_instances(points: list[Point]) -> bool:
    """Whether each link of the chain adds the same number of instances."""
    first, *others = points
    slopes = {(now.instances - first.instances) / (now.length - first.length) for now in others}
    print(f"dag: instances per link {', '.join(f'{slope:g}' for slope in sorted(slopes))}", end="")
    print(" (linear)" if len(slopes) == 1 else " (NOT linear)")
    return len(slopes) == 1


def _linear_cost(points: list[Point]) -> bool:
    first, last = points[0], points[-1]
    factor = last.cost / last.length / (first.cost / first.length)
    linear = factor <= LINEAR
    print(f"dag: cost per link grows {factor:.2f}-fold from N = {first.length} to {last.length}", end="")
    print(" (linear)" if linear else f" (goal of at most {LINEAR:g}-fold NOT reached)")
    return linear
