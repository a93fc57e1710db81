"""The evaluation of predictable distributed predicate abstraction, in small, mostly in virtual time.

    python -m bench cegar --sequential --resume                # every candidate with one worker
    python -m bench cegar --simulated --resume                 # ... and on 10, 20 and 40, if that took long enough
    python -m bench cegar --delayed --resume                   # late messages by seeds, predictable against naive
    python -m bench cegar --real --resume                      # wall time: two local workers against one
    python -m bench cegar --simulated --files a.smt2,b.pl --out /tmp/my.tsv
    python -m bench cegar --tables                             # the tables of the rows that are there

Candidates are the families of `bench.cegar_families`, which are written to --made, and every N-th of the tasks of
--folders that are read as linear clauses. Measured on many workers are those that one worker solves in at least --least
virtual seconds: what is over sooner needs no others. Nothing else decides what is measured.

Simulated runs are processes of their own (`bench.cegar_run`) with limits of virtual and of real time and of memory. A
row is in the TSV file as soon as its run ends. With --resume, what is there is not run again, unless it hit limits that
are lower than today's. The tables of all that is there are printed in the end, and written beside the file.

The exit code is 1 if a verdict is wrong, or if predictable runs of a task concluded different things.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

from bench.campaign import Planned, add_simulated_arguments, conduct, told_by
from bench.cegar_families import FAMILIES, UNSAFE
from bench.cegar_run import NAIVE, PAPERS_LATENCY, PREDICTABLE
from bench.cegar_tables import is_promise_broken, tables
from bench.rows import Row, Store
from bench.simulation import limits
from bench.tasks import Task, name_of, named, tasks
from cleave.frontends.clauses import holds_clauses

SEQUENTIAL = 1
_JITTER = 0.001  # virtual seconds by which messages are late, at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sequential", action="store_true", help="all candidates with one virtual worker")
    what.add_argument("--simulated", action="store_true", help="on --virtual-workers, if one needs long enough")
    what.add_argument("--delayed", action="store_true", help="with late messages, predictable against naive")
    what.add_argument("--real", action="store_true", help="wall time of cleave verify, one local worker and two")
    what.add_argument("--tables", action="store_true", help="run nothing")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks: ends of their paths, or files; with commas")
    parser.add_argument(
        "--families",
        default="gasburner3,crossing3,lategate3,fischer4",
        metavar="LIST",
        help="with their sizes (%(default)s)",
    )
    parser.add_argument("--made", type=Path, default=Path("build/cegar"), metavar="FOLDER", help="for families")
    parser.add_argument("--folders", default="ts,chc", metavar="LIST", help="of shared tasks (%(default)s)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of each folder")
    parser.add_argument("--least", type=float, default=10.0, metavar="S", help="virtual seconds of one worker (10)")
    parser.add_argument("--virtual-workers", default="10,20,40", metavar="LIST", help="(%(default)s, as in the paper)")
    parser.add_argument(
        "--latency", type=float, default=PAPERS_LATENCY, metavar="S", help="of a message (%(default)s, as in the paper)"
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="of --delayed (5; the paper has 3 runs)")
    usual = "600; --real: 300"
    add_simulated_arguments(parser, out="docs/lab/cegar.tsv", timelimit=0.0, virtual_limit=0.0, usual=usual)


def main(options: argparse.Namespace) -> int:
    options.timelimit = options.timelimit or (300.0 if options.real else 600.0)
    return conduct(options, _planned(options), partial(tables, least=options.least), is_bad=is_promise_broken)


# --- what to run ----------------------------------------------------------------------------------------------------


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    chosen = list(_candidates(options))
    if not options.sequential and not options.files:
        chosen = long_enough(chosen, Store(options.out).latest().values(), options.least)
    counts = [int(one) for one in options.virtual_workers.split(",")]
    for task in chosen:
        if options.real:
            yield from (_real(task, workers, options) for workers in (SEQUENTIAL, 2))
        elif options.delayed:
            for how, seed in product((PREDICTABLE, NAIVE), range(options.seeds)):
                yield _simulated(task, max(counts), options, how=how, seed=seed, kind="delayed")
        else:
            for workers in (SEQUENTIAL, *(() if options.sequential else counts)):
                yield _simulated(task, workers, options)


def _simulated(
    task: Task,
    workers: int,
    options: argparse.Namespace,
    *,
    how: str = PREDICTABLE,
    seed: int = 0,
    kind: str = "simulated",
) -> Planned:
    command = [sys.executable, "-m", "bench.cegar_run", str(task.file), f"--workers={workers}", f"--seed={seed}"]
    command += [f"--latency={options.latency}", *limits(options)]
    command += [f"--jitter={_JITTER}"] if kind == "delayed" else []
    command += ["--naive"] if how == NAIVE else []
    return Planned(
        kind=kind,
        task=name_of(task),
        how=how,
        workers=workers,
        seed=seed,
        expected=task.expected,
        run=told_by(command, options.timelimit),
    )


def _real(task: Task, workers: int, options: argparse.Namespace) -> Planned:
    arguments = [f"--workers={workers}", "--engine=cegar"]
    return Planned(
        task=name_of(task),
        how=PREDICTABLE,
        workers=workers,
        expected=task.expected,
        run=lambda runs: runs.verified(task, arguments, options.timelimit).told(),
    )


def long_enough(candidates: Iterable[Task], known: Iterable[Row], least: float) -> list[Task]:
    """Those that one virtual worker solves, but not at once."""
    alone = {row.task: row for row in known if row.kind == "simulated" and row.workers == SEQUENTIAL}
    long = {name for name, row in alone.items() if row.solved and row.seconds >= least}
    return [task for task in candidates if name_of(task) in long]


def _candidates(options: argparse.Namespace) -> Iterator[Task]:
    shared = [task for folder in filter(None, options.folders.split(",")) for task in tasks(folder)]
    if options.files:
        yield from (named(shared, name) for name in options.files.split(","))
        return
    yield from (_made(name, options.made) for name in filter(None, options.families.split(",")))
    for folder in filter(None, options.folders.split(",")):
        readable = [task for task in shared if task.folder == folder and holds_clauses(task.path)]
        yield from readable[:: options.every]


def _made(name: str, folder: Path) -> Task:
    """Writes a system of a family, ``gasburner3`` for instance, whose verdict is known by its construction."""
    family = name.rstrip("0123456789")
    if family not in FAMILIES or family == name:
        raise SystemExit(f"{name} is no family with its size; families: {', '.join(FAMILIES)}")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.smt2"
    file.write_text(FAMILIES[family](int(name.removeprefix(family))).text())
    return Task("", str(file.resolve()), "unsafe" if family in UNSAFE else "safe", "", "")
