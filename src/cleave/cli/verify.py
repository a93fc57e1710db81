"""``cleave verify``: a verdict for each input file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cleave.cli.arguments import add_inlining, add_output, megabytes, merging, seconds
from cleave.cli.c_arguments import INTEGERS, add_c, add_threads, c_options, threads_options
from cleave.cli.cegar_arguments import add_cegar, cegar_options
from cleave.cli.distribution import add_comparison, add_workers, folder_to_write, inline_options, number_of_workers
from cleave.cli.evidence import add_evidence, planned, refuse_several
from cleave.cli.horn_arguments import add_pdr, pdr_options
from cleave.cli.report import print_error, print_result
from cleave.cli.supervise import Signals, supervise
from cleave.errors import CleaveError
from cleave.flows.choose import AUTO, ENGINES, PDR, engine_by_name
from cleave.frontends.read import is_c
from cleave.ir.program import Property
from cleave.verdict import Reason, Result, Unknown
from cleave.verify import Options, verify

_EXIT_PRECEDENCE = (6, 2, 1, 10, 5, 0)  # of several files' exit codes, the first of these is the command's


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "verify",
        help="verify programs",
        description="Verifies that no execution of a program violates its assertions, or that Horn clauses have a"
        " solution, and prints the verdict first. A verdict is printed only after independent code has confirmed it.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a program in Boogie (.bpl) or C (.c, .i), Horn clauses (.smt2), a transition system (.vmt, .btor2, .mcmt,"
        " .aag, ARMC's .pl), or a task definition that names one (.yml); all C files together are one program",
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="inline: search all executions within a bound on recursion and loops; pdr: prove or refute without bounds,"
        " by Horn clauses; cegar: likewise, by predicate abstraction, the same way each time; threads: search all"
        " schedules within a number of contexts; auto: inline and pdr side by side, each with half of the workers,"
        " until one has settled it (default: what fits the file: inline for sequential programs, threads for those"
        " with threads, pdr for Horn clauses)",
    )
    add_inlining(parser)
    parser.add_argument(
        "--invariants-from",
        choices=(PDR,),
        help="for inline: invariants of procedures and loops that pdr finds in a little time are checked and then used"
        " in the search",
    )
    parser.add_argument(
        "--property",
        choices=[p.value for p in Property],
        help="what a violation is: a failing assertion, or that the entry procedure can return (default: what the"
        " program asks; see docs/boogie.md)",
    )
    add_c(parser)
    add_workers(parser)
    limits = parser.add_argument_group("limits, for each file")
    limits.add_argument("--timelimit", type=seconds, default=0.0, metavar="T", help="wall time: 60, 90s, 5m, 1h")
    limits.add_argument("--memlimit", type=megabytes, default=0, metavar="M", help="memory: 4000 (MB), 4GB")
    add_output(parser, "one JSON object per file, each on a line")
    add_evidence(parser)
    add_pdr(parser)
    add_cegar(parser)
    add_threads(parser)
    add_comparison(parser)
    parser.add_argument("--after", type=int, default=0, help=argparse.SUPPRESS)  # see _leave_behind
    parser.add_argument("--code", type=int, action="append", default=[], dest="codes", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    chosen = _options(options)
    options.files, others = _programs(options.files)
    refuse_several(options)
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
        return _not_started(file, options), False
    try:
        evidence = planned(file, chosen, options)
        result, abandoned = supervise(
            lambda on_progress, stop: verify(file, chosen, on_progress=on_progress, stop=stop),
            file,
            signals=signals,
            timelimit=options.timelimit,
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
    code = result.verdict.exit_code
    return _worst({code, evidence.write(result)}) if evidence is not None else code, abandoned


def _not_started(file: str, options: argparse.Namespace) -> int:
    """Every file gets a verdict, also those that nobody looked at."""
    verdict = Unknown(Reason.INTERRUPTED, "not started")
    engine = options.engine if options.engine not in (None, AUTO) else engine_by_name(file)
    result = Result(verdict, engine, {}, 0.0, number_of_workers(options), {})
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
    codes.update(_not_started(file, options) for file in options.files[number:])
    sys.stdout.flush()
    os._exit(_worst(codes))


def _options(options: argparse.Namespace) -> Options:
    workers = number_of_workers(options)
    alone = workers == 1 and options.on == "local"
    return Options(
        engine=options.engine,
        entry=options.entry,
        property=Property(options.property) if options.property else None,
        recursion_bounds=options.recursion_bound,
        merging=merging(options),
        under_always=options.under_always,
        seed=options.seed,
        timelimit=options.timelimit,
        memlimit_mb=options.memlimit,
        workers=workers,
        inline=inline_options(options),
        pdr=pdr_options(options),
        cegar=cegar_options(options),
        c=c_options(options),
        integers=INTEGERS[options.integers],
        threads=threads_options(options),
        invariant=options.invariant,
        loop_invariants=options.witness is not None,
        invariants_from=options.invariants_from,
        runtime=options.on,
        address=options.address,
        journal=None if alone else folder_to_write(options),
    )
