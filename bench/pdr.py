"""P3's evaluation in small: what is solved in real time, and the paper's tables in virtual time.

    python -m bench pdr --real --every 10 --resume             # cleave, stock SPACER, and each strategy: wall time
    python -m bench pdr --simulated --resume                   # Tables I to III, on what is hard for stock SPACER
    python -m bench pdr --simulated --files a.smt2,b.smt2 --virtual-workers 12 --out /tmp/my.tsv
    python -m bench pdr --tables                               # the tables of the rows that are there

Real runs are made one at a time, and count if they end within the limit. Simulated runs are processes of their own
(`bench.pdr_run`) with a limit of virtual and one of real time and memory. A row is in the TSV file as soon as its run
ends. With --resume, what is there is not run again, unless it hit limits that are lower than today's. The tables of
all that is there are printed in the end, and written beside the file.

The hard subset of --simulated are the tasks that stock SPACER did not solve within --hard-after seconds, according to
the real runs in --hard-from; with --solvable, of them only those that any run there solved.

The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from bench.campaign import Planned, add_simulated_arguments, conduct, told_by
from bench.inlining import sample
from bench.pdr_real import STOCK, real, stock
from bench.pdr_run import ADAPTIVE, STRATEGY
from bench.pdr_tables import tables
from bench.rows import Row, Store
from bench.simulation import limits
from bench.tasks import Task, named, tasks
from cleave.engines.pdr.options import NAMES, PAPER, TECHNIQUES

_REAL_SECONDS = 60.0
_SIMULATED_SECONDS = 600.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--real", action="store_true", help="wall time of cleave verify, stock SPACER, each strategy")
    what.add_argument("--simulated", action="store_true", help="the paper's techniques on virtual workers")
    what.add_argument("--tables", action="store_true", help="run nothing")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks: ends of their paths, or files; with commas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of the index")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only N tasks, at even distances")
    parser.add_argument(
        "--only", default="", metavar="LIST", help="ways to solve: z3, adaptive, 'strategy NAME', techniques"
    )
    parser.add_argument("--virtual-workers", type=int, default=60, metavar="N", help="of a technique (the paper's 60)")
    parser.add_argument("--hard-from", type=Path, default=None, metavar="TSV", help="rows of --real (default: --out)")
    parser.add_argument("--hard-after", type=float, default=10.0, metavar="S", help="seconds of stock SPACER (10)")
    parser.add_argument("--solvable", action="store_true", help="of the hard ones, those that someone solved")
    usual = f"{_REAL_SECONDS:g}; --simulated: {_SIMULATED_SECONDS:g}"
    add_simulated_arguments(parser, out="docs/lab/pdr.tsv", timelimit=0.0, virtual_limit=20.0, usual=usual)


def main(options: argparse.Namespace) -> int:
    options.timelimit = options.timelimit or (_REAL_SECONDS if options.real else _SIMULATED_SECONDS)
    return conduct(options, _planned(options), partial(tables, virtual_limit=options.virtual_limit))


# --- what to run ----------------------------------------------------------------------------------------------------


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    only = options.only.split(",") if options.only else None
    for task in _chosen(options):
        for planned in _real_runs(task, options) if options.real else _simulated_runs(task, options):
            if only is None or planned.how in only:
                yield planned


def _real_runs(task: Task, options: argparse.Namespace) -> Iterator[Planned]:
    yield real(task, ADAPTIVE, 2, options.timelimit)
    yield real(task, ADAPTIVE, 1, options.timelimit)
    yield stock(task, options.timelimit)
    for strategy in NAMES:
        yield real(task, f"{STRATEGY}{strategy}", 1, options.timelimit)


def _simulated_runs(task: Task, options: argparse.Namespace) -> Iterator[Planned]:
    for strategy in PAPER:
        yield _simulated(task, f"{STRATEGY}{strategy}", 1, options)
    for technique in (*TECHNIQUES, ADAPTIVE):
        yield _simulated(task, technique, options.virtual_workers, options)


def _simulated(task: Task, how: str, workers: int, options: argparse.Namespace) -> Planned:
    command = [sys.executable, "-m", "bench.pdr_run", str(task.file), f"--how={how}", f"--workers={workers}"]
    command += limits(options)
    return Planned(
        kind="simulated",
        task=task.path,
        how=how,
        workers=workers,
        expected=task.expected,
        run=told_by(command, options.timelimit),
    )


def _chosen(options: argparse.Namespace) -> list[Task]:
    index = list(tasks("chc"))
    if options.files:
        return [named(index, name) for name in options.files.split(",")]
    if options.simulated:
        hard = hard_tasks(_known(options), options.hard_after, solvable=options.solvable)
        index = [task for task in index if task.path in hard]
    return sample(index[:: options.every], options.limit)


def _known(options: argparse.Namespace) -> Iterable[Row]:
    path = options.hard_from or options.out
    if not path.exists():
        raise SystemExit(f"{path} does not exist: make --real runs first, or choose tasks by --files")
    return Store(path).latest().values()


def hard_tasks(known: Iterable[Row], seconds: float, *, solvable: bool) -> set[str]:
    """What stock SPACER did not solve within so many seconds."""
    real = [row for row in known if row.kind == "real"]
    hard = {row.task for row in real if row.how == STOCK and not (row.solved and row.real_seconds <= seconds)}
    return hard & {row.task for row in real if row.solved} if solvable else hard
