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
from dataclasses import dataclass

import msgspec

from bench import campaign, rows
from bench.campaign import Campaign, Runs, may_write, publish
from bench.tasks import SHARED
from bench.threads_paper import PROGRAMS, TABLE, Experiment
from bench.threads_rows import CRYPTOMINISAT, Z3, Key, Row, store
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
    campaign.add_arguments(parser, out="docs/lab/threads.tsv", timelimit=600.0, virtual_limit=0.0)


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume or options.tables):
        return 1
    kept = store(options.out)
    if not options.tables and not _carry_out(options, kept):
        return 1
    found = list(kept.latest().values())
    publish(tables(found), options.out)
    return int(any(row.wrong for row in found) or is_slower(found))


def _carry_out(options: argparse.Namespace, kept: rows.Store[Row]) -> bool:
    version = campaign.version()

    def run(planned: Planned, under_way: Runs) -> Row:
        told = under_way.reported(_command(planned, options), 10 * options.timelimit)
        given = {"expected": planned.experiment.expected, "version": version, "real_limit": options.timelimit}
        return msgspec.convert(told | given | planned.key._asdict(), Row)

    planned = Campaign(kept, _wanted(options), jobs=1)
    return planned.carry_out(run, lambda row: rows.decides(row, 0.0, options.timelimit))


# --- what to run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    experiment: Experiment
    solver: str
    threads: int = 1
    partitions: int = 1
    part: int = 0

    @property
    def key(self) -> Key:
        of = self.experiment
        return Key(of.program, of.unwind, of.contexts, self.solver, self.threads, self.partitions, self.part)


def _wanted(options: argparse.Namespace) -> Iterator[Planned]:
    usual = (BITWUZLA, *NAMES) if options.against else (BITWUZLA, "minisat")
    solvers = options.solvers.split(",") if options.solvers else usual
    for experiment in _experiments(options):
        if options.against:
            yield from (Planned(experiment, solver) for solver in solvers)
            yield from (Planned(experiment, other, CORES) for other in (CRYPTOMINISAT, Z3))
            continue
        for solver in solvers:
            for count in PARTITIONS:
                yield from (Planned(experiment, solver, 1, count, part) for part in range(count))


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


def _command(planned: Planned, options: argparse.Namespace) -> list[str]:
    of = planned.experiment
    command = [sys.executable, "-m", "bench.threads_run", str(SHARED / PROGRAMS[of.program])]
    command += [f"--unwind={of.unwind}", f"--contexts={of.contexts}", f"--solver={planned.solver}"]
    command += [f"--threads={planned.threads}", f"--partitions={planned.partitions}", f"--part={planned.part}"]
    return [*command, f"--timelimit={options.timelimit}", f"--memory={options.memory}"]
