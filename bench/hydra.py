"""HYDRA's evaluation in small: speed-up over the sequential search in virtual time, and its ideas against simpler ones.

    python -m bench hydra --resume                             # 1 to 32 workers against the sequential search
    python -m bench hydra --resume --compare                   # at 16 workers: splits, queues, rate, decisions, tree
    python -m bench hydra --resume --real                      # wall time of cleave verify, two workers against one
    python -m bench hydra --files mouser_removelockforward2_1,my.bpl --workers 4,16 --out /tmp/my.tsv

Each run is a process of its own (`bench.hydra_run`) with a limit of virtual and one of real time, and its row is in the
TSV file as soon as it ends. With --resume, what is there is not run again, unless it hit limits that are lower than
today's. The tables of all that is there are printed in the end, and written beside the file. Without --files, the tasks
are the SDV drivers that took the authors of the paper long (--least) with a single client and that they solved at all.

The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path

from bench.campaign import Planned, add_simulated_arguments, conduct, told_by
from bench.hydra_run import SEQUENTIAL
from bench.hydra_tables import tables
from bench.inlining import sample
from bench.simulation import limits
from bench.tasks import SHARED, Task, tasks

WORKERS = "1,2,4,8,16,32"
VARIANTS = ("splits=paper", "splits=random", "queues=shared", "rate=fixed", "decisions=pushed", "merge=tree")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--compare", action="store_true", help="the comparison of algorithms instead of worker counts")
    parser.add_argument("--real", action="store_true", help="wall times of cleave verify instead, one run at a time")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks of the index by name, or paths; with commas")
    parser.add_argument("--least", type=float, default=200.0, metavar="S", help="authors' seconds (default 200)")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only N tasks, at even distances")
    parser.add_argument(
        "--workers", default=WORKERS, metavar="LIST", help=f"default {WORKERS}; --compare: 16; --real: 2"
    )
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds of random splits (the paper: 5)")
    add_simulated_arguments(parser, out="docs/lab/hydra.tsv", timelimit=1800.0, virtual_limit=600.0)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), partial(tables, virtual_limit=options.virtual_limit))


# --- what to run ----------------------------------------------------------------------------------------------------


def short_name(task: Task) -> str:
    return task.name.rpartition("/")[2]


def author_times() -> dict[str, tuple[float, float]]:
    """For each SDV task the seconds of the fastest run with a single client, and of the fastest of all."""
    found: dict[str, tuple[float, float]] = {}
    for line in (SHARED / "sdv" / "author_times.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, single, fastest = line.split("\t")
            found[name] = (_seconds(single), _seconds(fastest))
    return found


def _seconds(cell: str) -> float:
    return inf if cell == "-" else float(cell)


def _chosen(options: argparse.Namespace) -> list[Task]:
    """Those that took the authors least come first."""
    index = {short_name(task): task for task in tasks("sdv")}
    if options.files:
        return [index.get(name) or _own_task(name) for name in options.files.split(",")]
    times = sorted((single, fastest, name) for name, (single, fastest) in author_times().items())
    hard = [index[name] for single, fastest, name in times if single >= options.least and fastest < inf]
    return sample(hard, options.limit)


def _own_task(file: str) -> Task:
    """A file that is in no index: nothing is expected of it. A path that is absolute replaces the index's folder."""
    if not Path(file).is_file():
        raise SystemExit(f"{file} is neither a task of the SDV index nor a file")
    return Task("", str(Path(file).resolve()), "unknown", "", "")


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    """``how`` are options of `bench.hydra_run` that are not the defaults."""
    given = [int(n) for n in options.workers.split(",")] if options.workers != WORKERS else None
    for task in _chosen(options):
        if options.real:
            for workers in (1, *(given or [2])):
                yield _real(task, workers, options)
        elif options.compare:
            for workers in given or [16]:
                for variant in ("", *VARIANTS):
                    for seed in range(options.seeds if variant == "splits=random" else 1):
                        yield _simulated(task, workers, options, variant, seed)
        else:
            for workers in (SEQUENTIAL, *(given or map(int, WORKERS.split(",")))):
                yield _simulated(task, workers, options)


def _simulated(task: Task, workers: int, options: argparse.Namespace, how: str = "", seed: int = 0) -> Planned:
    bound = [one.replace("recursion-", "") for one in task.arguments if one.startswith("--recursion-bound=")]
    command = [sys.executable, "-m", "bench.hydra_run", str(task.file), *bound, f"--seed={seed}"]
    command += [f"--{option}" for option in how.split()]
    command += ["--sequential"] if workers == SEQUENTIAL else [f"--workers={workers}"]
    command += [one for one in task.arguments if one.startswith("--entry=")]
    command += limits(options)
    return Planned(
        kind="simulated",
        task=short_name(task),
        how=how,
        workers=workers,
        seed=seed,
        expected=task.expected,
        run=told_by(command, options.timelimit),
    )


def _real(task: Task, workers: int, options: argparse.Namespace) -> Planned:
    arguments = ["--engine=inline", f"--workers={workers}"]
    return Planned(
        task=short_name(task),
        workers=workers,
        expected=task.expected,
        run=lambda runs: runs.verified(task, arguments, options.timelimit).told(),
    )
