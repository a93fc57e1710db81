"""``cleave resume``: continues a run that was stopped for any reason."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from cleave.api import resume
from cleave.cli.arguments import add_limits, add_output
from cleave.cli.exit_codes import add_exit_code, exit_code, worst
from cleave.cli.printing import say
from cleave.cli.problem import add_journal, folder
from cleave.cli.results import print_error, print_found, print_result
from cleave.cli.supervise import Signals, end_processes, supervise
from cleave.errors import CleaveError, InputError, UsageError
from cleave.export.objects import is_conclusive
from cleave.journal.journal import Journal, RunInfo
from cleave.journal.lock import is_locked
from cleave.journal.places import find_run
from cleave.run.recorded import plan_of
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe

_WORDS = (Safe.word, BoundedSafe.word, Unsafe.word, Unknown.word)


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "resume",
        help="continue a run that was stopped",
        description="Continues a run that was interrupted, reached a limit, or crashed with its process or machine. Its"
        " options stay the same, and the files that were asked for are written. Finished stages and closed partitions"
        " are not done again. If stages used up their budgets, they get four times as much. If the run has a verdict,"
        " it is printed again. After bounded-safe, larger bounds are tried if --timelimit or --cputimelimit is given.",
    )
    parser.add_argument("name", metavar="RUN", help="the id of a run or its beginning, latest, or a journal's path")
    add_journal(parser, "where the journals are")
    add_limits(parser.add_argument_group("limits (default: as before)"))
    add_output(parser, "one JSON object")
    add_exit_code(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    path = find_run(folder(options), options.name)
    with Journal.open(path) as journal:
        info, result = journal.info, journal.result
    if result is not None and result.get("verdict") not in _WORDS:
        raise InputError("the journal is damaged: its result has no verdict", file=str(path))
    has_time = options.timelimit or options.cputimelimit
    may_improve = has_time and result is not None and result["verdict"] == BoundedSafe.word
    if result is not None and is_conclusive(result) and not may_improve and not is_locked(path):
        say(f"cleave: run {info.id} has finished already; this is its result", file=sys.stderr)
        print_found(result, as_json=options.json, trace=options.trace)
        return exit_code(result["verdict"], options)
    return _go_on(path, info, options)


def _go_on(path: Path, info: RunInfo, options: argparse.Namespace) -> int:
    file = info.files[0]
    limits = {
        "timelimit": options.timelimit,
        "cputimelimit": options.cputimelimit,
        "memlimit_mb": options.memlimit,
    }
    try:
        with Journal.open(path) as journal:
            plan, _, _ = plan_of(journal)
        with Signals() as signals:
            result, abandoned = supervise(
                lambda on_progress, stop: resume(path, **limits, on_progress=on_progress, stop=stop),
                file,
                signals=signals,
                timelimit=options.timelimit or plan.timelimit,
                cputimelimit=options.cputimelimit or plan.cputimelimit,
                memlimit_mb=options.memlimit or plan.memlimit_mb,
                workers=plan.workers,
                quiet=options.quiet,
            )
    except CleaveError as error:
        print_error(file, error, as_json=options.json)
        return error.exit_code
    print_result(
        file,
        result,
        as_json=options.json,
        trace=options.trace,
        journal=path.parent,
        deterministic=options.deterministic,
    )
    code = worst({exit_code(result.verdict.word, options), UsageError.exit_code if result.unwritten else 0})
    if abandoned:  # the thread goes with the process
        end_processes()
        sys.stdout.flush()
        os._exit(code)
    return code
