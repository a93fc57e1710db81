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
from cleave.review.run import run_state

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
            print(json.dumps(_object(one)))
    elif runs:
        say("\n".join(table([_COLUMNS, *(_row(one) for one in runs)], right=("workers", "seconds"))))
    else:
        say(f"no runs in {folder(options)}")
    return 0


def state(run: Run) -> str:
    """In a few words: its verdict, or why it has none."""
    if run.going_on:
        return "going on"
    if run.result is None:
        return "stopped"
    if "error" in run.result:
        return "error"
    verdict, reason = run.result["verdict"], run.result["reason"]
    return f"{verdict} ({reason.split(':')[0]})" if reason else verdict


def _row(run: Run) -> tuple[str, ...]:
    started = run.info.started.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    workers = f"{run.info.workers}" if run.info.runtime == "local" else f"{run.info.workers} {run.info.runtime}"
    return run.info.id, state(run), workers, f"{_seconds(run):.1f}", started, " ".join(run.info.files)


def _seconds(run: Run) -> float:
    """The result's are exact, but only those since the run was resumed."""
    return max(run.seconds, float((run.result or {}).get("seconds", 0)))


def _object(run: Run) -> dict[str, Any]:
    return {
        "run": run.info.id,
        "file": run.info.files[0],
        "state": run_state(run.result, going_on=run.going_on),
        "verdict": (run.result or {}).get("verdict"),
        "reason": (run.result or {}).get("reason"),
        "error": (run.result or {}).get("error"),
        "workers": run.info.workers,
        "runtime": run.info.runtime,
        "seconds": round(_seconds(run), 3),
        "started": run.info.started.isoformat(),
        "journal": str(run.path),
    }
