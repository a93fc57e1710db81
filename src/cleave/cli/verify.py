"""``cleave verify``: a verdict for each input file."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from time import monotonic
from typing import Any

from cleave.api import verify
from cleave.cli.arguments import Extent, add_output, run_id
from cleave.cli.brief import add_help
from cleave.cli.exit_codes import add_exit_code, exit_code, worst
from cleave.cli.printing import say
from cleave.cli.problem import add_problem, chosen_options
from cleave.cli.results import print_error, print_result
from cleave.cli.smtlib import print_smtlib
from cleave.cli.supervise import Signals, end_processes, supervise
from cleave.errors import CleaveError, UsageError
from cleave.frontends.read import is_c
from cleave.run.request import Options
from cleave.usage import cpu_seconds, process_age
from cleave.verdict import Reason, Result, Unknown, Verdict


def add_to(commands: Any, extent: Extent = Extent.ALL) -> None:
    parser = commands.add_parser(
        "verify",
        add_help=False,
        help="verify programs",
        description="Verifies that no execution of a program violates its assertions, or that Horn clauses have a"
        " solution, and prints the verdict first. A verdict is printed only after independent code has confirmed it.",
    )
    add_help(parser)
    add_problem(parser, extent)
    add_output(parser, "one JSON object per file, each on a line")
    _add_smtlib(parser)
    add_exit_code(parser)
    parser.add_argument("--run-id", metavar="ID", type=run_id, help=argparse.SUPPRESS)  # whoever waits for its journal
    parser.add_argument("--after", type=int, default=0, help=argparse.SUPPRESS)  # see _leave_behind
    parser.add_argument("--code", type=int, action="append", default=[], dest="codes", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def _add_smtlib(parser: argparse.ArgumentParser) -> None:
    words = parser.add_argument_group("as CHC-COMP reads it")
    words.add_argument("--smtlib", action="store_true", help="print sat (safe), unsat (unsafe) or unknown, and no more")
    words.add_argument(
        "--model",
        action="store_true",
        help="with --smtlib: print the model, with a definition of each predicate, or the derivation of false",
    )


def run(options: argparse.Namespace) -> int:
    if (options.smtlib and options.json) or (options.model and not options.smtlib):
        raise UsageError("--model needs --smtlib, and --smtlib excludes --json")
    chosen = replace(chosen_options(options), run=options.run_id, model=options.model)
    if options.is_process and not options.after:  # else somebody, or another file, had time of this process before
        chosen = replace(chosen, since=monotonic() - process_age(), before=0.0)
    if options.run_id is not None:  # a server's job: where the server keeps what is nobody else's business
        chosen = replace(chosen, command=_without_places(options.arguments))
    options.files, others = _programs(options.files)
    if len(options.files) > 1 and chosen.outputs:
        raise UsageError(f"--{next(iter(chosen.outputs))} is for one program at a time")
    if len(options.files) > 1 and chosen.run is not None:
        raise UsageError("--run-id is for one program at a time")
    linked = replace(chosen, c=replace(chosen.c, others=others))
    codes = set(options.codes)
    with Signals() as signals:
        for number in range(options.after, len(options.files)):
            file = options.files[number]
            code, abandoned = _one(file, linked if is_c(file) else chosen, options, signals)
            codes.add(code)
            now, used = monotonic(), cpu_seconds()
            linked, chosen = replace(linked, since=now, before=used), replace(chosen, since=now, before=used)
            if abandoned:
                _leave_behind(options, signals, number + 1, codes)
    return worst(codes)


def _without_places(arguments: Iterable[str]) -> str:
    """The command line, as somebody would have typed it."""
    places = ("--json", "--quiet", "--journal=", "--run-id=", "--invariant=")
    return shlex.join(["cleave", *(word for word in arguments if not word.startswith(places))])


def _programs(files: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The files that verdicts are for, one for each program, and the further files of the program in C."""
    first = next(filter(is_c, files), None)
    others = tuple(filter(is_c, files))[1:]
    return [first, *(file for file in files if not is_c(file))] if first is not None else files, others


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
            cputimelimit=chosen.cputimelimit,
            since=chosen.since,
            before=chosen.before or 0.0,
            memlimit_mb=chosen.memlimit_mb,
            workers=chosen.workers,
            quiet=options.quiet,
        )
    except CleaveError as error:
        if options.smtlib:
            say(Unknown.word)
        print_error(file, error, as_json=options.json)
        return error.exit_code, False
    if abandoned and chosen.outputs:
        said = f"not all of {', '.join(chosen.outputs.values())} is written: a limit was hit first"
        result = replace(result, unwritten=(said,))
    _print(file, result, chosen, options)
    code = exit_code(result.verdict.word, options)
    return worst({code, UsageError.exit_code if result.unwritten else 0}), abandoned


def _print(file: str, result: Result, chosen: Options, options: argparse.Namespace) -> None:
    if options.smtlib:
        print_smtlib(file, result, model=options.model)
        return
    print_result(
        file,
        result,
        as_json=options.json,
        trace=options.trace,
        journal=chosen.journal,
        deterministic=options.deterministic,
    )


def _not_started(file: str, options: argparse.Namespace, chosen: Options) -> int:
    """Every file gets a verdict, also those that nobody looked at."""
    verdict: Verdict = Unknown(Reason.INTERRUPTED, "not started")
    result = Result(verdict, chosen.engine or "", {}, 0.0, chosen.workers, {})
    _print(file, result, replace(chosen, journal=None), options)
    return exit_code(verdict.word, options)


def _leave_behind(options: argparse.Namespace, signals: Signals, number: int, codes: set[int]) -> None:
    """Ends a thread that can't be stopped, with this process. The files from ``number`` on are verified by the process
    that takes its place, which is told the exit codes so far."""
    end_processes()
    sys.stderr.flush()
    if not signals.stop.is_set() and number < len(options.files):
        so_far = [f"--after={number}", *(f"--code={code}" for code in sorted(codes))]
        command, *arguments = options.arguments
        python = [sys.executable, "-P", "-m", "cleave.cli.main"]
        os.execv(sys.executable, [*python, command, *so_far, *arguments])
    chosen = chosen_options(options)
    codes.update(_not_started(file, options, chosen) for file in options.files[number:])
    sys.stdout.flush()
    os._exit(worst(codes))
