"""Random programs with atomic blocks, locks, condition variables and barriers, against every interleaving of them.

    python -m bench schedules --programs 3000 --resume

For assertions, data races and deadlocks; see `schedules_run` for what is compared. A row, of ten programs, is in the
TSV file as soon as it is done; with --resume, rows that are there are not made again. The exit code is 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from bench.campaign import Planned, conduct, told_by
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import table
from bench.rows import Row

_CHUNK = 10
_SECONDS = 1200.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=3000, metavar="N", help="how many (3000)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first program's number (0)")
    add_arguments_of_campaign(parser, out="build/schedules.tsv", timelimit=_SECONDS)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), tables, is_bad=lambda rows: not all(row.solved for row in rows))


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    for first in range(options.first, options.first + options.programs, _CHUNK):
        command = [sys.executable, "-m", "bench.schedules_run", str(first), str(_CHUNK)]
        yield Planned(kind="random", task=str(first), run=told_by(command, options.timelimit))


def tables(rows: Iterable[Row]) -> str:
    found = list(rows)
    names = ("programs", "questions", "tried", "formulas", "proofs")
    sums = [f"{sum(row.number(name) for row in found):.0f}" for name in names]
    differing = [text for row in found for text in row.told.get("wrong", ())]
    seconds = f"{sum(row.cpu_seconds for row in found):.0f}"
    heading = (
        "programs",
        "questions",
        "all interleavings tried",
        "formulas",
        "proofs checked",
        "differ",
        "processor seconds",
    )
    return "\n".join([table(heading, [(*sums, str(len(differing)), seconds)]), "", *differing]) + "\n"
