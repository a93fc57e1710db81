"""``cleave verify``: a verdict for each input file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cleave.api import verify
from cleave.cli.arguments import Extent, add_output
from cleave.cli.problem import add_problem, chosen_options
from cleave.cli.report import print_error, print_result
from cleave.cli.supervise import Signals, supervise
from cleave.errors import CleaveError, UsageError
from cleave.frontends.read import is_c
from cleave.run.request import Options
from cleave.verdict import Reason, Result, Unknown

_EXIT_PRECEDENCE = (6, 2, 1, 10, 5, 0)  # of several files' exit codes, the first of these is the command's


def add_to(commands: Any, extent: Extent = Extent.ALL) -> None:
    parser = commands.add_parser(
        "verify",
        help="verify programs",
        description="Verifies that no execution of a program violates its assertions, or that Horn clauses have a"
        " solution, and prints the verdict first. A verdict is printed only after independent code has confirmed it.",
    )
    add_problem(parser, extent)
    add_output(parser, "one JSON object per file, each on a line")
    parser.add_argument("--after", type=int, default=0, help=argparse.SUPPRESS)  # see _leave_behind
    parser.add_argument("--code", type=int, action="append", default=[], dest="codes", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    chosen = chosen_options(options)
    options.files, others = _programs(options.files)
    if len(options.files) > 1 and chosen.outputs:
        raise UsageError(f"--{next(iter(chosen.outputs))} is for one program at a time")
    linked = replace(chosen, c=replace(chosen.c, others=others))
    codes = set(options.codes)
    with Signals() as signals:
        for number in range(options.after, len(options.files)):
            file = options.files[number]
            code, abandoned = _one(file, linked if is_c(file) else chosen, options, signals)
            codes.add(code)
            if abandoned:
                _leave_behind(options, signals, number + 1, codes)
    return _worst(codes)


def _programs(files: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The files that verdicts are for, one for each program, and the further files of the program in C."""
    first = next(filter(is_c, files), None)
    others = tuple(filter(is_c, files))[1:]
    return [first, *(file for file in files if not is_c(file))] if first is not None else files, others


def _worst(codes: Iterable[int]) -> int:
    return next(code for code in _EXIT_PRECEDENCE if code in codes)


def _one(file: str, chosen: Options, options: argparse.Namespace, signals: Signals) -> tuple[int, bool]:
    """Verifies a file and prints its result. The exit code, and whether a thread is still busy with it."""
    if signals.stop.is_set():
        return _not_started(file, options, chosen), False
    try:
        result, abandoned = supervise(
            lambda on_progress, stop: verify(file, chosen, on_progress=on_progress, stop=stop),
            file,
            signals=signals,
            timelimit=chosen.timelimit,
            workers=chosen.workers,
            quiet=options.quiet,
        )
    except CleaveError as error:
        print_error(file, error, as_json=options.json)
        return error.exit_code, False
    print_result(
        file,
        result,
        as_json=options.json,
        trace=options.trace,
        journal=chosen.journal,
        deterministic=options.deterministic,
    )
    return _worst({result.verdict.exit_code, UsageError.exit_code if result.unwritten else 0}), abandoned


def _not_started(file: str, options: argparse.Namespace, chosen: Options) -> int:
    """Every file gets a verdict, also those that nobody looked at."""
    verdict = Unknown(Reason.INTERRUPTED, "not started")
    result = Result(verdict, chosen.engine or "", {}, 0.0, chosen.workers, {})
    print_result(file, result, as_json=options.json, trace=options.trace, deterministic=options.deterministic)
    return verdict.exit_code


def _leave_behind(options: argparse.Namespace, signals: Signals, number: int, codes: set[int]) -> None:
    """Ends a thread that can't be stopped, with this process. The files from ``number`` on are verified by the process
    that takes its place, which is told the exit codes so far."""
    sys.stderr.flush()
    if not signals.stop.is_set() and number < len(options.files):
        so_far = [f"--after={number}", *(f"--code={code}" for code in sorted(codes))]
        command, *arguments = options.arguments
        python = [sys.executable, "-P", "-m", "cleave.cli.main"]
        os.execv(sys.executable, [*python, command, *so_far, *arguments])
    chosen = chosen_options(options)
    codes.update(_not_started(file, options, chosen) for file in options.files[number:])
    sys.stdout.flush()
    os._exit(_worst(codes))
