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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.campaign import Planned, conduct
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.inlining import sample
from bench.pdr_real import STOCK, real, run_clauses
from bench.pdr_run import ADAPTIVE
from bench.pdr_tables import tables
from bench.rows import Row
from bench.runs import Runs
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
    add_arguments_of_campaign(parser, out="build/programs.tsv", timelimit=_SECONDS)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), _tables, is_bad=_proves_less)


def _tables(found: list[Row]) -> str:
    return tables([row for row in found if row.answer not in ("error", "refused")], 0.0)


def _proves_less(found: list[Row]) -> bool:
    proved = {how: sum(row.solved for row in found if row.how == how) for how in (ADAPTIVE, STOCK)}
    return proved[ADAPTIVE] < proved[STOCK]


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    for task in _chosen(options):
        yield real(task, ADAPTIVE, 1, options.timelimit)
        yield stock_on_clauses(task, options.timelimit)


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


def stock_on_clauses(task: Task, timelimit: float) -> Planned:
    def run(_: Runs) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            clauses = Path(folder) / "clauses.smt2"
            problem = _print_clauses(task, clauses)
            return run_clauses(clauses, timelimit) if not problem else {"answer": "error", "note": problem}

    return Planned(task=task.path, how=STOCK, expected=task.expected, run=run)


def _print_clauses(task: Task, to: Path) -> str:
    """Why there are none; nothing if there are."""
    command = [sys.executable, "-m", "cleave.cli.main", "horn", str(task.file), "-o", str(to), *task.arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PRINTING_SECONDS)
    except subprocess.TimeoutExpired:
        return "no clauses in time"
    return "" if done.returncode == 0 else (done.stderr.splitlines() or ["no clauses"])[0][:200]
