"""Distributed runs under faults: a thousand simulated ones, each compared with the truth.

    python -m bench faults --runs 1000
    python -m bench faults --runs 1000 --engine pdr
    python -m bench faults --runs 8000 --engine cegar          # 100 systems, 4 numbers of workers, 20 kinds of bad luck
    python -m bench faults --only 4711          # exactly the run of that seed again, and all about it

A seed chooses a small problem, how it is searched, how the search is distributed, and what goes wrong: messages that
are lost, repeated or late, workers that crash, that are taken for lost but go on, that join late.

inline: programs on 1 to 16 workers. A run is wrong if its verdict is not the one that the engine finds without
distribution, if a violation does not replay, if the closed partitions do not cover the search, or if its events do not
rebuild its coordinator. It may give up: a partition that has taken eight workers with it is not tried again.
pdr: see `bench.faults_pdr`. cegar: see `bench.faults_cegar`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # random problems are the tests'

from bench.faults_cegar import CegarFaults
from bench.faults_inline import InlineFaults
from bench.faults_pdr import PdrFaults


class EngineFaults(Protocol):
    """What is particular about an engine. A case has a method ``run``."""

    option: str  # of the command that makes a run again

    def case(self, seed: int) -> Any: ...

    def mistake(self, case: Any, run: Any) -> str | None: ...

    def count(self, totals: Counter[str], case: Any, run: Any) -> None: ...

    def report(self, totals: Counter[str]) -> list[str]: ...

    def about(self, case: Any) -> list[object]: ...

    def ended(self, run: Any) -> str: ...


ENGINES: dict[str, type[EngineFaults]] = {"inline": InlineFaults, "pdr": PdrFaults, "cegar": CegarFaults}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=tuple(ENGINES), default="inline")
    parser.add_argument("--runs", type=int, default=1000, metavar="N")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of the first run; the next one has S + 1, ..."
    )
    parser.add_argument("--only", type=int, metavar="S", help="just the run with this seed")


def main(options: argparse.Namespace) -> int:
    engine = ENGINES[options.engine]()
    if options.only is not None:
        return int(_show(engine, options.only))
    totals: Counter[str] = Counter()
    wrong = 0
    began = perf_counter()
    for done, seed in enumerate(range(options.seed, options.seed + options.runs), start=1):
        case = engine.case(seed)
        run, mistake = _judged(engine, case)
        if mistake is not None:
            wrong += 1
            print(f"wrong: {mistake}\n  again with: python -m bench faults{engine.option} --only {seed}", flush=True)
        if run is not None:
            engine.count(totals, case, run)
        if not done % 100:
            print(f"{done} runs, {perf_counter() - began:.0f} s", flush=True)
    print(f"runs: {options.runs}, {perf_counter() - began:.0f} s", *engine.report(totals), f"wrong: {wrong}", sep="\n")
    return int(bool(wrong))


def _judged(engine: EngineFaults, case: Any) -> tuple[Any, str | None]:
    """The run, if it came to an end, and what is wrong with it."""
    try:
        run = case.run()
        return run, engine.mistake(case, run)
    except Exception as error:  # any error is a finding, and the other runs are to be made, too
        return None, f"{type(error).__name__}: {error}"


def _show(engine: EngineFaults, seed: int) -> bool:
    """Prints everything about one run; whether it is wrong."""
    case = engine.case(seed)
    print(*engine.about(case), sep="\n")
    run, mistake = _judged(engine, case)
    if run is not None:
        print(engine.ended(run), run.counters, sep="\n")
    print(f"wrong: {mistake}" if mistake is not None else "as it should be")
    return mistake is not None
