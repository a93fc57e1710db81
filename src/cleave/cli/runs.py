"""``cleave runs``: the runs that have a journal, newest first."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from cleave.cli.printing import say
from cleave.cli.problem import add_journal, folder
from cleave.engines.text import table
from cleave.journal.places import Run, list_runs
from cleave.review.listed import in_a_word, run_object, seconds_of

_COLUMNS = ("run", "verdict", "workers", "seconds", "started", "file")


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "runs",
        help="list the runs that have a journal",
        description="Lists the runs that have a journal, newest first. A run that was stopped, or has the verdict"
        " unknown, can be resumed.",
    )
    add_journal(parser, "where the journals are")
    parser.add_argument("--json", action="store_true", help="print one JSON object per run, each on a line")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    runs, notes = list_runs(folder(options))
    for note in notes:
        say(f"cleave: {note}", file=sys.stderr)
    if options.json:
        for one in runs:
            print(json.dumps(run_object(one)))
    elif runs:
        say("\n".join(table([_COLUMNS, *(_row(one) for one in runs)], right=("workers", "seconds"))))
    else:
        say(f"no runs in {folder(options)}")
    return 0


def _row(run: Run) -> tuple[str, ...]:
    started = run.info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    workers = f"{run.info.workers}" if run.info.runtime == "local" else f"{run.info.workers} {run.info.runtime}"
    return run.info.id, in_a_word(run), workers, f"{seconds_of(run):.1f}", started, " ".join(run.info.files)
