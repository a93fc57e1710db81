"""Random programs with atomic blocks, locks, condition variables and barriers, against every interleaving of them.

    python -m bench schedules --programs 3000 --resume

For assertions, data races and deadlocks; see `schedules_run` for what is compared. A row, of ten programs, is in the
TSV file as soon as it is done; with --resume, rows that are there are not made again. The exit code is 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.campaign import Campaign, Runs, may_write, publish, version
from bench.markdown import table
from bench.rows import Store

_CHUNK = 10
_SECONDS = 1200.0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    first: int
    answer: str  # "done", or what went wrong
    programs: int = 0
    questions: int = 0
    tried: int = 0
    formulas: int = 0
    proofs: int = 0
    differ: str = ""  # each with the program's number
    processor_seconds: float = 0.0
    real_seconds: float = 0.0
    real_limit: float = _SECONDS
    virtual_seconds: float | None = None
    virtual_limit: float = 0.0
    version: str = ""
    note: str = ""

    @property
    def key(self) -> int:
        return self.first

    @property
    def solved(self) -> bool:
        return self.answer == "done"

    @property
    def wrong(self) -> bool:
        return bool(self.differ)

    def __str__(self) -> str:
        return f"programs from {self.first}: {self.questions} questions {self.differ or 'agree'} {self.note}".rstrip()


@dataclass(frozen=True)
class Planned:
    first: int

    @property
    def key(self) -> int:
        return self.first


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=3000, metavar="N", help="how many (3000)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first program's number (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="at a time")
    parser.add_argument("--out", type=Path, default=Path("build/schedules.tsv"), metavar="TSV")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume):
        return 1
    kept = Store(options.out, Row)
    measured = version()

    def run(planned: Planned, runs: Runs) -> Row:
        command = [sys.executable, "-m", "bench.schedules_run", str(planned.first), str(_CHUNK)]
        told = runs.reported(command, _SECONDS)
        return msgspec.convert(told | {"first": planned.first, "version": measured}, Row, strict=False)

    planned = [Planned(first) for first in range(options.first, options.first + options.programs, _CHUNK)]
    if not Campaign(kept, planned, jobs=options.jobs).carry_out(run, lambda row: row.solved):
        return 1
    rows = list(kept.latest().values())
    publish(tables(rows), options.out)
    return int(any(row.wrong or not row.solved for row in rows))


def tables(rows: Iterable[Row]) -> str:
    found = list(rows)
    names = ("programs", "questions", "tried", "formulas", "proofs")
    sums = [str(sum(getattr(row, name) for row in found)) for name in names]
    differing = [text for row in found for text in row.differ.split("; ") if text]
    seconds = f"{sum(row.processor_seconds for row in found):.0f}"
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
