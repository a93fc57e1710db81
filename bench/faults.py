"""Distributed runs under faults: a thousand simulated ones, each compared with the engine on its own.

    python -m bench faults --runs 1000
    python -m bench faults --only 4711          # exactly the run of that seed again, and all about it

A seed chooses a small program, how it is searched, how the search is distributed (1 to 16 workers), and what goes
wrong: messages that are lost, repeated or late, workers that crash, that are taken for lost but go on, that join late.
A run is wrong if its verdict is not the one that the engine finds without distribution, if a violation does not replay,
if the closed partitions do not cover the search, or if its events do not rebuild its coordinator. It may give up: a
partition that has taken eight workers with it is not tried again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from cleave.engines.inline.messages import GivenUp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # random programs are the tests'

from hydra_runs import Case, HydraRun, disagreement, not_rebuilt, random_case

COUNTED = ("splits", "closed", "went_back", "set_up", "lost_workers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=1000, metavar="N")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the first run; the next one has S + 1, ..."
    )
    parser.add_argument("--only", type=int, metavar="S", help="just the run with this seed")


def main(options: argparse.Namespace) -> int:
    if options.only is not None:
        return int(_show(options.only))
    totals: Counter[str] = Counter()
    wrong: list[int] = []
    began = perf_counter()
    for seed in range(options.seed, options.seed + options.runs):
        case = random_case(seed)
        run, mistake = _judged(case)
        if mistake is not None:
            wrong.append(seed)
            print(f"wrong: {mistake}\n  again with: python -m bench faults --only {seed}", flush=True)
        if run is not None:
            _count(totals, run)
        if not (seed + 1 - options.seed) % 100:
            print(f"{seed + 1 - options.seed} runs, {perf_counter() - began:.0f} s", flush=True)
    _report(totals, options.runs, len(wrong), perf_counter() - began)
    return int(bool(wrong))


def _judged(case: Case) -> tuple[HydraRun | None, str | None]:
    """The run, if it came to an end, and what is wrong with it."""
    try:
        run = case.run()
        return run, disagreement(case, run) or not_rebuilt(run)
    except Exception as error:  # any error is a finding, and the other runs are to be made, too
        return None, f"{type(error).__name__}: {error}"


def _count(totals: Counter[str], run: HydraRun) -> None:
    totals.update({name: int(run.counters[name]) for name in COUNTED})
    totals.update({"messages": run.messages, "split": run.counters["splits"] > 0, type(run.answer).__name__: 1})
    totals["lossy"] += run.counters["lost_workers"] > 0


def _report(totals: Counter[str], runs: int, wrong: int, seconds: float) -> None:
    print(f"runs: {runs}, {totals['split']} of them split, {totals['lossy']} lost workers; {seconds:.0f} s")
    print(f"splits: {totals['splits']}, partitions closed: {totals['closed']}, gone back to: {totals['went_back']}")
    print(f"lost workers: {totals['lost_workers']}, messages: {totals['messages']}")
    print(f"verdicts: {totals['Closed']} no violation, {totals['Violated']} violated, {totals['GivenUp']} gave up")
    print(f"wrong: {wrong}")


def _show(seed: int) -> bool:
    """Prints everything about one run; whether it is wrong."""
    case = random_case(seed)
    print(case.options, case.how, case.faults, sep="\n")
    run, mistake = _judged(case)
    if run is not None:
        answer = run.answer if isinstance(run.answer, GivenUp) else type(run.answer).__name__
        print(f"{answer} after {run.seconds:.3f} virtual seconds, {run.messages} messages, {len(run.events)} events")
        print(run.counters)
    print(f"wrong: {mistake}" if mistake is not None else "as it should be")
    return mistake is not None
