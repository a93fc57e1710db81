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
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench import campaign, rows
from bench.campaign import Campaign, Runs, may_write, publish
from bench.inlining import sample
from bench.pdr_real import run_cleave, run_stock
from bench.pdr_rows import ADAPTIVE, STOCK, Key, Row, store
from bench.pdr_run import STRATEGY
from bench.pdr_tables import tables
from bench.tasks import Task, tasks
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
    campaign.add_arguments(parser, out="docs/lab/pdr.tsv", timelimit=0.0, virtual_limit=20.0, usual=usual)


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume or options.tables):
        return 1
    kept = store(options.out)
    if not options.tables and not _carry_out(options, kept):
        return 1
    publish(tables(kept.latest().values(), options.virtual_limit), options.out)
    return int(any(row.wrong for row in kept.latest().values()))


def _carry_out(options: argparse.Namespace, kept: rows.Store[Row]) -> bool:
    options.timelimit = options.timelimit or (_REAL_SECONDS if options.real else _SIMULATED_SECONDS)
    virtual_limit = 0.0 if options.real else options.virtual_limit
    version = campaign.version()

    def run(planned: Planned, under_way: Runs) -> Row:
        told = _real(planned, options) if options.real else _simulated(planned, options, under_way)
        given = {"expected": planned.task.expected, "version": version, "virtual_limit": virtual_limit}
        given |= {"real_limit": options.timelimit, **planned.key._asdict()}
        return msgspec.convert(told | given, Row)  # which ignores what it has no field for

    planned = Campaign(kept, _wanted(_chosen(options), options), jobs=1 if options.real else options.jobs)
    return planned.carry_out(run, lambda row: rows.decides(row, virtual_limit, options.timelimit))


# --- what to run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    task: Task
    kind: str
    how: str
    workers: int

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task.path, self.how, self.workers)


def _wanted(chosen: Iterable[Task], options: argparse.Namespace) -> Iterator[Planned]:
    only = options.only.split(",") if options.only else None
    for task in chosen:
        for planned in _real_runs(task) if options.real else _simulated_runs(task, options.virtual_workers):
            if only is None or planned.how in only:
                yield planned


def _real_runs(task: Task) -> Iterator[Planned]:
    yield Planned(task, "real", ADAPTIVE, 2)
    yield Planned(task, "real", ADAPTIVE, 1)
    yield Planned(task, "real", STOCK, 1)
    for strategy in NAMES:
        yield Planned(task, "real", f"{STRATEGY}{strategy}", 1)


def _simulated_runs(task: Task, workers: int) -> Iterator[Planned]:
    for strategy in PAPER:
        yield Planned(task, "simulated", f"{STRATEGY}{strategy}", 1)
    for technique in (*TECHNIQUES, ADAPTIVE):
        yield Planned(task, "simulated", technique, workers)


def _chosen(options: argparse.Namespace) -> list[Task]:
    index = list(tasks("chc"))
    if options.files:
        return [_named(index, name) for name in options.files.split(",")]
    if options.simulated:
        hard = hard_tasks(_known(options), options.hard_after, solvable=options.solvable)
        index = [task for task in index if task.path in hard]
    return sample(index[:: options.every], options.limit)


def _known(options: argparse.Namespace) -> Iterable[Row]:
    path = options.hard_from or options.out
    if not path.exists():
        raise SystemExit(f"{path} does not exist: make --real runs first, or choose tasks by --files")
    return store(path).latest().values()


def hard_tasks(known: Iterable[Row], seconds: float, *, solvable: bool) -> set[str]:
    """What stock SPACER did not solve within so many seconds."""
    real = [row for row in known if row.kind == "real"]
    hard = {row.task for row in real if row.how == STOCK and not (row.solved and row.real_seconds <= seconds)}
    return hard & {row.task for row in real if row.solved} if solvable else hard


def _named(index: Iterable[Task], name: str) -> Task:
    """A task of the index, or a file that is in no index: nothing is expected of that."""
    found = [task for task in index if task.path.endswith(name)]
    if len(found) == 1:
        return found[0]
    if found or not Path(name).is_file():
        raise SystemExit(f"{name} is {'not one task' if found else 'neither a task of the index nor a file'}")
    return Task("", str(Path(name).resolve()), "unknown", "", "")


# --- runs -----------------------------------------------------------------------------------------------------------


def _real(planned: Planned, options: argparse.Namespace) -> dict[str, object]:
    if planned.how == STOCK:
        return run_stock(planned.task, options.timelimit)
    return run_cleave(planned.task, planned.how, planned.workers, options.timelimit)


def _simulated(planned: Planned, options: argparse.Namespace, under_way: Runs) -> dict[str, object]:
    command = [sys.executable, "-m", "bench.pdr_run", str(planned.task.file), f"--how={planned.how}"]
    command += [f"--workers={planned.workers}", f"--virtual-limit={options.virtual_limit}"]
    command += [f"--timelimit={options.timelimit}", f"--memory={options.memory}"]
    return under_way.reported(command, options.timelimit)
