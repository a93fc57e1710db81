"""Random problems for every front end, engine, number of workers and runtime, against what is true of them.

    python -m bench soundness --problems 1700 --resume       # about 5,000 runs

`soundness_run` says which problems there are and how the truth about them is known. A row, of ten problems with three
runs each, is in the TSV file as soon as it is done; with --resume, rows that are there are not made again, so the
campaign goes on to any number. With --seconds it stops after that time. The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import msgspec

from bench.campaign import Campaign, Runs, may_write, publish, version
from bench.markdown import table
from bench.rows import Store
from bench.soundness_run import Ran

_CHUNK = 10
_SECONDS = 600.0
_VERDICTS = ("safe", "bounded-safe", "unsafe", "unknown")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    first: int
    answer: str  # "done", or what went wrong
    runs: str = "[]"  # of `Ran`, as JSON
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
    def found(self) -> list[Ran]:
        return msgspec.json.decode(self.runs, type=list[Ran])

    @property
    def wrong(self) -> bool:
        return "WRONG" in self.runs

    def __str__(self) -> str:
        wrong = [one for one in self.found if one.says.startswith("WRONG")]
        return f"problems from {self.first}: {len(self.found)} runs, wrong: {wrong or 0} {self.note}".rstrip()


@dataclass(frozen=True)
class Planned:
    first: int

    @property
    def key(self) -> int:
        return self.first


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--problems", type=int, default=1700, metavar="N", help="how many (1700)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first problem's number (0)")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="S", help="begin no more rows after that time")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="at a time")
    parser.add_argument("--out", type=Path, default=Path("build/soundness.tsv"), metavar="TSV")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume):
        return 1
    kept, measured, began = Store(options.out, Row), version(), monotonic()

    def run(planned: Planned, runs: Runs) -> Row:
        if options.seconds and monotonic() - began > options.seconds:
            return Row(first=planned.first, answer="not begun")
        command = [sys.executable, "-m", "bench.soundness_run", str(planned.first), str(_CHUNK)]
        told = runs.reported(command, _SECONDS)
        return msgspec.convert(told | {"first": planned.first, "version": measured}, Row, strict=False)

    planned = [Planned(first) for first in range(options.first, options.first + options.problems, _CHUNK)]
    if not Campaign(kept, planned, jobs=options.jobs).carry_out(run, lambda row: row.solved):
        return 1
    rows = [row for row in kept.latest().values() if row.answer != "not begun"]
    publish(tables(rows), options.out)
    return int(any(row.wrong or not row.solved for row in rows))


def tables(rows: Iterable[Row]) -> str:
    done = [row for row in rows if row.solved]
    found = [one for row in done for one in row.found if one.says != "refused"]
    parts = [_table("front end and engine", found, lambda one: f"{one.frontend}: {one.engine}")]
    parts.append(_table("workers", found, lambda one: one.way))
    wrong = [f"- problem {one.seed}, {one.engine}, {one.way}: {one.says}" for one in found if _is_wrong(one)]
    problems, seconds = len({one.seed for one in found}), sum(row.processor_seconds for row in done)
    versions = ", ".join(sorted({row.version for row in done}))
    summary = f"{len(found)} runs of {problems} problems, {len(wrong)} wrong; {seconds:.0f} s of processor time;"
    return "\n\n".join([*parts, f"{summary} version {versions}", "\n".join(wrong)]).rstrip() + "\n"


def _is_wrong(one: Ran) -> bool:
    return one.says.startswith("WRONG")


def _table(name: str, found: Iterable[Ran], key: Callable[[Ran], str]) -> str:
    counted: Counter[tuple[str, str]] = Counter()
    for one in found:
        counted[key(one), "WRONG" if _is_wrong(one) else one.says] += 1
    names = sorted({row for row, _ in counted})
    rows = [(row, [counted[row, word] for word in (*_VERDICTS, "WRONG")]) for row in names]
    return table((name, "runs", *_VERDICTS, "wrong"), [(row, *map(str, (sum(own), *own))) for row, own in rows])
