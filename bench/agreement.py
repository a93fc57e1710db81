"""One verdict for all ways to run: the tasks of a folder with several numbers of workers, here, on Ray and simulated.

    python -m bench agreement --folder boogie --resume
    python -m bench agreement --folder sdv --every 8 --timelimit 30 --ways local-1,local-2,ray-2
    python -m bench agreement --folder sdv --every 8 --ways local-1,local-2-killed,local-2-resumed,ray-2-resumed

A way is a runtime, a number of workers, and what happens meanwhile: with *killed*, workers are ended by SIGKILL at
random moments; with *resumed* the run itself is, and `cleave resume` goes on with it. Verdicts of ways that finish
have to be equal, and not against the index. With --address, the runs on Ray use that cluster instead of starting one
each; with --finished, the first way says which tasks the others are for: those that it has a verdict for.

A row is in the TSV file as soon as its run ends. With --resume, what is there is not run again. The exit code is 1 if
two verdicts differ, one is wrong, or a process was left behind.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.agreement_run import Way, run_way
from bench.campaign import Campaign, Runs, may_write, publish, version
from bench.markdown import table
from bench.rows import Store
from bench.tasks import Task, tasks

_WAYS = "local-1,local-2,local-4,local-16,simulated-2,simulated-4,simulated-16"
_CLAIMS = {"safe": "safe", "bounded-safe": "safe", "unsafe": "unsafe"}


class Key(NamedTuple):
    task: str
    way: str
    arguments: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    task: str
    way: str
    arguments: str = ""
    expected: str
    answer: str  # a verdict, or "error"
    faults: int = 0  # processes that were killed
    left_behind: int = 0  # processes that were still there long after the run had ended
    real_seconds: float = 0.0
    real_limit: float = 0.0
    version: str = ""
    note: str = ""
    virtual_seconds: float | None = None
    virtual_limit: float = 0.0

    @property
    def key(self) -> Key:
        return Key(self.task, self.way, self.arguments)

    @property
    def solved(self) -> bool:
        return self.answer in _CLAIMS

    @property
    def wrong(self) -> bool:
        return self.solved and self.expected in _CLAIMS and _CLAIMS[self.answer] != self.expected

    def __str__(self) -> str:
        wrong = " WRONG" if self.wrong else ""
        return f"{self.task}, {self.way}: {self.answer}{wrong}, {self.real_seconds:.1f} s {self.note}".rstrip()


@dataclass(frozen=True)
class Planned:
    task: Task
    way: Way
    arguments: tuple[str, ...]

    @property
    def key(self) -> Key:
        return Key(self.task.path, str(self.way), " ".join(self.arguments))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", default="boogie", help="of the benchmarks (boogie)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of its index")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N of it")
    parser.add_argument(
        "--only", default="", metavar="LIST", help="tasks whose path has one of these in it, with commas"
    )
    parser.add_argument("--ways", default=_WAYS, metavar="LIST", help=f"with commas ({_WAYS})")
    parser.add_argument("--address", default="", metavar="ADDR", help="of the Ray cluster to use")
    parser.add_argument(
        "--finished", action="store_true", help="the other ways only for tasks that the first way has a verdict for"
    )
    parser.add_argument("--timelimit", type=float, default=20.0, metavar="S", help="for a run (20)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for the moments of the kills")
    parser.add_argument("--out", type=Path, default=Path("build/agreement.tsv"), metavar="TSV")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")
    parser.add_argument("arguments", nargs="*", help="passed on to cleave verify, after --")


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume):
        return 1
    kept = Store(options.out, Row)
    measured = version()

    def run(planned: Planned, _: Runs) -> Row:
        told = run_way(planned.task, planned.way, planned.arguments, timelimit=options.timelimit, seed=options.seed)
        given = {"expected": planned.task.expected, "version": measured, "real_limit": options.timelimit}
        return msgspec.convert(told | given | planned.key._asdict(), Row)

    def is_done(row: Row) -> bool:
        return row.solved or row.real_limit >= options.timelimit

    def carry_out(planned: Iterable[Planned]) -> bool:
        return Campaign(kept, planned, jobs=1).carry_out(run, is_done)

    arguments = tuple(options.arguments)
    chosen = _chosen(options)
    ways = [Way.named(name, options.address) for name in options.ways.split(",")]
    if options.finished:
        first = [Planned(task, ways[0], arguments) for task in chosen]
        if not carry_out(first):
            return 1
        found = kept.latest()
        chosen = [planned.task for planned in first if found[planned.key].solved]
    if not carry_out(Planned(task, way, arguments) for task, way in product(chosen, ways)):
        return 1
    rows = list(kept.latest().values())
    publish(tables(rows), options.out)
    return int(any(row.wrong or row.left_behind for row in rows) or any(disagreements(rows)))


def _chosen(options: argparse.Namespace) -> list[Task]:
    named = [task for task in tasks(options.folder) if any(part in task.path for part in options.only.split(","))]
    return named[options.skip :: options.every]


def disagreements(found: Iterable[Row]) -> Iterator[list[Row]]:
    """The runs of each task of which two finished with different verdicts."""
    finished: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found:
        if row.solved:
            finished[row.task, row.arguments].append(row)
    return (rows for rows in finished.values() if len({row.answer for row in rows}) > 1)


def tables(found: list[Row]) -> str:
    by_way: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found:
        by_way[row.way, row.arguments].append(row)
    heading = ("way", "tasks", "safe", "bounded-safe", "unsafe", "unknown", "refused", "wrong", "killed", "left behind")
    lines = [
        (
            f"{way} {arguments}".strip(),
            str(len(rows)),
            *(str(sum(row.answer == word for row in rows)) for word in (*_CLAIMS, "unknown", "error")),
            str(sum(row.wrong for row in rows)),
            f"{sum(row.faults for row in rows)} in {sum(row.faults > 0 for row in rows)} runs",
            str(sum(row.left_behind for row in rows)),
        )
        for (way, arguments), rows in by_way.items()
    ]
    differing = [
        f"- {rows[0].task}: " + ", ".join(f"{r.way} {r.answer}" for r in rows) for rows in disagreements(found)
    ]
    summary = f"Tasks whose verdicts differ: {len(differing)}"
    return "\n".join([table(heading, lines), "", summary, *differing]) + "\n"
