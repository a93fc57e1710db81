"""Engines side by side: what each of them says about the same tasks, with one worker.

    python -m bench engines --engines cegar,pdr --folders ts,chc,c --every 3 --timelimit 10 --resume

Tasks are those with a known verdict; of programs, those of one file whose question is whether assertions can fail,
without bounds. A row is in the TSV file as soon as its run ends. The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.campaign import Campaign, Runs, may_write, publish, version
from bench.markdown import table
from bench.programs import is_whole
from bench.rows import Store
from bench.tasks import Task, tasks

_PROGRAMS = ("c", "boogie")
_CLAIMS = ("safe", "unsafe")


class Key(NamedTuple):
    folder: str
    task: str
    engine: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    folder: str
    task: str
    engine: str
    expected: str
    answer: str  # a verdict; "error" if the engine refuses the task
    real_seconds: float = 0.0
    real_limit: float = 0.0
    version: str = ""
    note: str = ""
    virtual_seconds: float | None = None
    virtual_limit: float = 0.0

    @property
    def key(self) -> Key:
        return Key(self.folder, self.task, self.engine)

    @property
    def solved(self) -> bool:
        return self.answer in _CLAIMS

    @property
    def wrong(self) -> bool:
        return self.solved and self.answer != self.expected

    def __str__(self) -> str:
        wrong = " WRONG" if self.wrong else ""
        return f"{self.task}, {self.engine}: {self.answer}{wrong}, {self.real_seconds:.1f} s {self.note}".rstrip()


@dataclass(frozen=True)
class Planned:
    task: Task
    engine: str

    @property
    def key(self) -> Key:
        return Key(self.task.folder, self.task.path, self.engine)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engines", default="cegar,pdr", metavar="LIST", help="with commas (cegar,pdr)")
    parser.add_argument("--folders", default="ts,chc,c", metavar="LIST", help="of tasks, with commas (ts,chc,c)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th task of each folder")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N of it")
    parser.add_argument("--timelimit", type=float, default=10.0, metavar="S", help="for a run (10)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="runs at a time (1)")
    parser.add_argument("--out", type=Path, default=Path("build/engines.tsv"), metavar="TSV")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume):
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    kept = Store(options.out, Row)
    measured = version()

    def run(planned: Planned, runs: Runs) -> Row:
        told = run_planned(planned, runs, options.timelimit)
        given = {"expected": planned.task.expected, "version": measured, "real_limit": options.timelimit}
        return msgspec.convert(told | given | planned.key._asdict(), Row)

    def is_done(row: Row) -> bool:
        return row.solved or row.real_limit >= options.timelimit

    engines = options.engines.split(",")
    chosen = [task for folder in options.folders.split(",") for task in known(folder)[options.skip :: options.every]]
    planned = [Planned(task, engine) for task, engine in product(chosen, engines)]
    if not Campaign(kept, planned, jobs=options.jobs).carry_out(run, is_done):
        return 1
    rows = list(kept.latest().values())
    publish(tables(rows), options.out)
    return int(any(row.wrong for row in rows))


def known(folder: str) -> list[Task]:
    return [task for task in tasks(folder) if task.expected in _CLAIMS and (folder not in _PROGRAMS or is_whole(task))]


def run_planned(planned: Planned, runs: Runs, timelimit: float) -> dict[str, Any]:
    task = planned.task
    chosen = task.arguments_with(["--workers=1", f"--engine={planned.engine}", f"--timelimit={timelimit}"])
    usual = ["--json", "--quiet", "--trace=none", "--journal=none"]
    told = runs.reported(
        [sys.executable, "-m", "cleave.cli.main", "verify", str(task.file), *usual, *chosen], timelimit
    )
    if "answer" in told:  # it said nothing
        return told
    note = told.get("error") or told.get("reason") or ""
    return {"answer": told.get("verdict", "error"), "note": note[:200], "real_seconds": told.get("seconds", 0.0)}


def tables(found: list[Row]) -> str:
    engines = list(dict.fromkeys(row.engine for row in found))
    lines: list[tuple[str, ...]] = []
    for folder in dict.fromkeys(row.folder for row in found):
        line = [folder, str(len({row.task for row in found if row.folder == folder}))]
        for engine in engines:
            answers = [row.answer for row in found if row.folder == folder and row.engine == engine]
            numbers = [answers.count(word) for word in (*_CLAIMS, "error")]
            line += [*map(str, numbers), str(len(answers) - sum(numbers))]
        lines.append(tuple(line))
    heading = ["tasks", "number"]
    for engine in engines:
        heading += [f"{engine}: safe", "unsafe", "refused", "no verdict"]
    wrong = [f"- wrong: {row}" for row in found if row.wrong]
    return "\n".join([table(tuple(heading), lines), "", *wrong, f"Wrong verdicts: {len(wrong)}"]) + "\n"
