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
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bench.campaign import Planned, conduct, told_by
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import table, versions
from bench.rows import Row
from bench.soundness_run import Ran

_CHUNK = 10
_SECONDS = 600.0
_VERDICTS = ("safe", "bounded-safe", "unsafe", "unknown")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--problems", type=int, default=1700, metavar="N", help="how many (1700)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first problem's number (0)")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="S", help="begin no more rows after that time")
    add_arguments_of_campaign(parser, out="build/soundness.tsv", timelimit=_SECONDS)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), tables, is_bad=lambda rows: not all(row.solved for row in rows))


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    for first in range(options.first, options.first + options.problems, _CHUNK):
        command = [sys.executable, "-m", "bench.soundness_run", str(first), str(_CHUNK)]
        yield Planned(kind="random", task=str(first), run=told_by(command, options.timelimit))


def tables(rows: Iterable[Row]) -> str:
    done = [row for row in rows if row.solved]
    found = [one for row in done for one in msgspec.convert(row.told["runs"], list[Ran]) if one.says != "refused"]
    parts = [_table("front end and engine", found, lambda one: f"{one.frontend}: {one.engine}")]
    parts.append(_table("workers", found, lambda one: one.way))
    wrong = [f"- {text}" for row in done for text in row.told.get("wrong", ())]
    problems, seconds = len({one.seed for one in found}), sum(row.cpu_seconds for row in done)
    summary = f"{len(found)} runs of {problems} problems, {len(wrong)} wrong; {seconds:.0f} s of processor time."
    return "\n\n".join([*parts, summary, versions(done), "\n".join(wrong)]).rstrip() + "\n"


def _table(name: str, found: Iterable[Ran], key: Callable[[Ran], str]) -> str:
    counted: Counter[tuple[str, str]] = Counter()
    for one in found:
        counted[key(one), "WRONG" if one.is_wrong else one.says] += 1
    names = sorted({row for row, _ in counted})
    rows = [(row, [counted[row, word] for word in (*_VERDICTS, "WRONG")]) for row in names]
    return table((name, "runs", *_VERDICTS, "wrong"), [(row, *map(str, (sum(own), *own))) for row, own in rows])
