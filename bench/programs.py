"""Programs for the pdr engine: what it proves, against plain SPACER on the same clauses.

    python -m bench programs --every 6 --timelimit 15 --resume
    python -m bench programs --folders boogie --files loops.bpl --out /tmp/my.tsv

Of each program of one file that is safe without bounds, as far as assertions go, ``cleave verify --engine pdr`` is run
with one worker, and Z3's own command on what ``cleave horn`` prints. The time for printing is not counted, and what Z3
says is not checked. Runs are made one at a time, and count if they end within the limit. Programs that have no clauses,
such as those with threads, are left out.

The exit code is 1 if a verdict is wrong, or plain SPACER proves more.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench import campaign, rows
from bench.campaign import Campaign, Runs, may_write, publish
from bench.inlining import sample
from bench.pdr_real import run_clauses, run_cleave
from bench.pdr_rows import ADAPTIVE, STOCK, Key, Row, store
from bench.pdr_tables import tables
from bench.tasks import Task, tasks

_SECONDS = 60.0
_RESTRICTED = r"[\w/]+\.c\b|un(wind|roll)|loop-limit|Bound|/k:|big-endian"  # other files, bounds, another machine
_PRINTING_SECONDS = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folders", default="c,boogie", metavar="LIST", help="folders of tasks (c,boogie)")
    parser.add_argument("--files", default="", metavar="LIST", help="tasks: ends of their paths; with commas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th safe task of an index")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only N tasks, at even distances")
    parser.add_argument("--tables", action="store_true", help="run nothing")
    campaign.add_arguments(parser, out="build/programs.tsv", timelimit=_SECONDS, virtual_limit=0.0)


def main(options: argparse.Namespace) -> int:
    if not may_write(options.out, options.resume or options.tables):
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    kept = store(options.out)
    if not options.tables and not _carry_out(options, kept):
        return 1
    found = kept.latest().values()
    publish(tables([row for row in found if row.answer != "error"], 0.0), options.out)
    proved = {how: sum(row.solved for row in found if row.how == how) for how in (ADAPTIVE, STOCK)}
    return int(any(row.wrong for row in found) or proved[ADAPTIVE] < proved[STOCK])


@dataclass(frozen=True)
class Planned:
    task: Task
    how: str

    @property
    def key(self) -> Key:
        return Key("real", self.task.path, self.how, 1)


def _carry_out(options: argparse.Namespace, kept: rows.Store[Row]) -> bool:
    version = campaign.version()

    def run(planned: Planned, _: Runs) -> Row:
        told = run_planned(planned, options.timelimit)
        given = {"expected": planned.task.expected, "version": version, "real_limit": options.timelimit}
        return msgspec.convert(told | given | planned.key._asdict(), Row)

    planned = [Planned(task, how) for task in _chosen(options) for how in (ADAPTIVE, STOCK)]
    return Campaign(kept, planned, jobs=1).carry_out(run, lambda row: rows.decides(row, 0.0, options.timelimit))


def _chosen(options: argparse.Namespace) -> list[Task]:
    chosen = [task for folder in options.folders.split(",") for task in _safe(folder, options.every)]
    if options.files:
        ends = tuple(options.files.split(","))
        return [task for task in chosen if task.path.endswith(ends)]
    return sample(chosen, options.limit)


def _safe(folder: str, every: int) -> list[Task]:
    return [task for task in tasks(folder) if task.expected == "safe" and is_whole(task)][::every]


def is_whole(task: Task) -> bool:
    """Whether the task is one file, and asks whether assertions can fail, without bounds."""
    asked = f"{task.question} {task.bounds}"
    return re.match(r"unreach|assert", asked) is not None and re.search(_RESTRICTED, asked) is None


def run_planned(planned: Planned, timelimit: float) -> dict[str, Any]:
    if planned.how == ADAPTIVE:
        return run_cleave(planned.task, ADAPTIVE, 1, timelimit)
    with tempfile.TemporaryDirectory() as folder:
        clauses = Path(folder) / "clauses.smt2"
        problem = _print_clauses(planned.task, clauses)
        return run_clauses(clauses, timelimit) if not problem else {"answer": "error", "note": problem}


def _print_clauses(task: Task, to: Path) -> str:
    """Why there are none; nothing if there are."""
    command = [sys.executable, "-m", "cleave.cli.main", "horn", str(task.file), "-o", str(to), *task.arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PRINTING_SECONDS)
    except subprocess.TimeoutExpired:
        return "no clauses in time"
    return "" if done.returncode == 0 else (done.stderr.splitlines() or ["no clauses"])[0][:200]
