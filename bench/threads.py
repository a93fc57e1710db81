"""The evaluation of parallel context-bounded analysis: the paper's Table 2, and its section 4.2 on the same formulas.

    python -m bench threads --parts --resume         # 1, 2, 4 and 8 parts of each program, each part by itself
    python -m bench threads --against --resume       # the whole formula: parallel solvers, and all of Cleave's own
    python -m bench threads --against --programs bounded_buffer:2:5 --solvers minisat --out /tmp/my.tsv
    python -m bench threads --tables                 # the tables of the rows that are there

Programs are those of the paper, at the least of its bounds that has a verdict of each kind, or with --all at all of its
bounds. Where the paper unwinds loops that constants decide, Cleave unfolds them completely (docs/design/threads.md).

Each run is a process of its own (`bench.threads_run`) with limits of processor time and memory, one at a time. A row is
in the TSV file as soon as its run ends; with --resume, what is there is not run again, unless it hit limits that are
lower than today's. The tables of all that is there are printed in the end, and written beside the file.

The exit code is 1 if an answer is not the paper's, or if another solver was faster than Cleave.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product

from bench.campaign import Planned, conduct, told_by
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.tasks import SHARED
from bench.threads_paper import PROGRAMS, TABLE, Experiment
from bench.threads_run import CRYPTOMINISAT, Z3
from bench.threads_tables import is_slower, tables
from cleave.engines.unfolding.options import BITWUZLA
from cleave.smt.sat.solver import NAMES

PARTITIONS = (1, 2, 4, 8)
CORES = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--parts", action="store_true", help="parts of the schedules, by each of --solvers")
    what.add_argument("--against", action="store_true", help="all schedules at once, by each of --solvers and others")
    what.add_argument("--tables", action="store_true", help="run nothing")
    parser.add_argument("--programs", default="", metavar="LIST", help="as PROGRAM:UNWIND:CONTEXTS, with commas")
    parser.add_argument("--all", action="store_true", help="all bounds of the paper's Table 2")
    parser.add_argument("--solvers", default="", metavar="LIST", help=f"Cleave's ({BITWUZLA},minisat; --against: all)")
    parser.add_argument("--memory", type=int, default=8000, metavar="MB", help="for a run (8000); 0: no limit")
    add_arguments_of_campaign(parser, out="docs/lab/threads.tsv", timelimit=600.0)


def main(options: argparse.Namespace) -> int:
    return conduct(options, planned(options), tables, is_bad=is_slower)


# --- what to run ----------------------------------------------------------------------------------------------------


def planned(options: argparse.Namespace) -> Iterator[Planned]:
    usual = (BITWUZLA, *NAMES) if options.against else (BITWUZLA, "minisat")
    solvers = options.solvers.split(",") if options.solvers else usual
    for experiment in _experiments(options):
        if options.against:
            yield from (_whole(experiment, solver, 1, options) for solver in solvers)
            yield from (_whole(experiment, other, CORES, options) for other in (CRYPTOMINISAT, Z3))
            continue
        for solver, count in product(solvers, PARTITIONS):
            yield from (_part(experiment, solver, count, part, options) for part in range(count))


def _whole(of: Experiment, solver: str, threads: int, options: argparse.Namespace) -> Planned:
    how = f"unwind={of.unwind} contexts={of.contexts} solver={solver}"
    return _run(of, how, threads, of.expected, options)


def _part(of: Experiment, solver: str, count: int, part: int, options: argparse.Namespace) -> Planned:
    """A part may well be without a violation; no part has one where there is none."""
    if count == 1:
        return _whole(of, solver, 1, options)
    how = f"unwind={of.unwind} contexts={of.contexts} solver={solver} partitions={count} part={part}"
    return _run(of, how, 1, of.expected if of.expected == "safe" else "unknown", options)


def _run(of: Experiment, how: str, threads: int, expected: str, options: argparse.Namespace) -> Planned:
    command = [sys.executable, "-m", "bench.threads_run", str(SHARED / PROGRAMS[of.program]), f"--threads={threads}"]
    command += [f"--{option}" for option in how.split()]
    command += [f"--timelimit={options.timelimit}", f"--memory={options.memory}"]
    return Planned(
        kind="processor",
        task=of.program,
        how=how,
        workers=threads,
        expected=expected,
        run=told_by(command, 10 * options.timelimit),
    )


def _experiments(options: argparse.Namespace) -> list[Experiment]:
    if not options.programs:
        return [one for one in TABLE if options.all or one.is_usual]
    found = []
    for text in options.programs.split(","):
        program, unwind, contexts = text.split(":")
        known = {(one.program, one.unwind, one.contexts): one for one in TABLE}
        key = (program, int(unwind), int(contexts))
        if program not in PROGRAMS:
            raise SystemExit(f"{program} is none of {', '.join(PROGRAMS)}")
        found.append(known.get(key) or Experiment(*key))
    return found
