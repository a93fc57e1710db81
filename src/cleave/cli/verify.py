"""``cleave verify``: a verdict for each input file.

Verification runs in a thread of its own; the main thread shows progress and listens to signals, which Python delivers
nowhere else. A run that does not stop when told to (a solver deep in one step) is abandoned after a grace period, with
its partial result printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from time import monotonic
from types import FrameType
from typing import Any

from cleave.cli.arguments import add_inlining, megabytes, merging, seconds
from cleave.cli.progress import ProgressLine
from cleave.cli.report import print_error, print_result
from cleave.engines.inline.engine import InlineEngine
from cleave.errors import CleaveError
from cleave.ir.program import Property
from cleave.verdict import Reason, Result, Unknown
from cleave.verify import Options, verify

_GRACE_SECONDS = 5.0
_STACK_BYTES = 512 * 1024 * 1024  # solvers recurse on deep terms
_EXIT_PRECEDENCE = (6, 2, 1, 10, 5, 0)  # of several files' exit codes, the first of these is the command's


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "verify",
        help="verify programs",
        description="Verifies that no execution of a program violates its assertions, within a bound on recursion and"
        " loops, and prints the verdict first. A verdict is printed only after independent code has confirmed it.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a Boogie program (.bpl)")
    add_inlining(parser)
    parser.add_argument(
        "--property",
        choices=[p.value for p in Property],
        help="what a violation is: a failing assertion, or that the entry procedure can return (default: what the"
        " program asks; see docs/boogie.md)",
    )
    limits = parser.add_argument_group("limits, for each file")
    limits.add_argument("--timelimit", type=seconds, default=0.0, metavar="T", help="wall time: 60, 90s, 5m, 1h")
    limits.add_argument("--memlimit", type=megabytes, default=0, metavar="M", help="memory: 4000 (MB), 4GB")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object per file, each on a line")
    output.add_argument(
        "--trace",
        choices=("compact", "full", "none"),
        default="compact",
        help="how much of a violating execution to print: what led to the violation, everything, or nothing"
        " (default compact)",
    )
    output.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    codes = set()
    with _Signals() as signals:
        for file in options.files:
            codes.add(_verify_one(file, options, signals.stop))
            if signals.stop.is_set():
                break
    return next(code for code in _EXIT_PRECEDENCE if code in codes)


class _Signals:
    """Ctrl-C and SIGTERM set ``stop`` while this is active."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stop.set()


class _Run(threading.Thread):
    """One verification; afterwards ``result`` or ``error`` is set."""

    def __init__(self, file: str, options: Options, stop: threading.Event) -> None:
        super().__init__(name="cleave-verify", daemon=True)
        self.file, self.options, self.stop = file, options, stop
        self.started = monotonic()
        self.counters: dict[str, Any] = {}
        self.result: Result | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = verify(self.file, self.options, on_progress=self.counters.update, stop=self.stop)
        except BaseException as error:  # carried over to the main thread
            self.error = error


def _verify_one(file: str, options: argparse.Namespace, stop: threading.Event) -> int:
    chosen = Options(
        entry=options.entry,
        property=Property(options.property) if options.property else None,
        recursion_bounds=options.recursion_bound,
        merging=merging(options),
        seed=options.seed,
        timelimit=options.timelimit,
        memlimit_mb=options.memlimit,
    )
    threading.stack_size(_STACK_BYTES)
    verification = _Run(file, chosen, stop)
    verification.start()
    finished = _wait(verification, options)
    if isinstance(verification.error, CleaveError):
        print_error(file, verification.error, as_json=options.json)
        return verification.error.exit_code
    if verification.error is not None:
        raise verification.error
    result = verification.result if finished else _abandoned(verification)
    assert result is not None
    print_result(file, result, as_json=options.json, trace=options.trace)
    if not finished:
        # A thread inside a solver can't be stopped; what it holds goes with the process.
        sys.stdout.flush()
        os._exit(result.verdict.exit_code)
    return result.verdict.exit_code


def _wait(verification: _Run, options: argparse.Namespace) -> bool:
    """Shows progress until the run is over; False if it had to be given up."""
    deadline: float | None = None
    if options.timelimit:
        deadline = monotonic() + options.timelimit + _GRACE_SECONDS
    with ProgressLine(verification.file, quiet=options.quiet) as line:
        while verification.is_alive():
            verification.join(0.1)
            line.update(verification.counters)
            if verification.stop.is_set() and (deadline is None or deadline > monotonic() + _GRACE_SECONDS):
                deadline = monotonic() + _GRACE_SECONDS
            if deadline is not None and monotonic() > deadline:
                return not verification.is_alive()
    return True


def _abandoned(verification: _Run) -> Result:
    reason = Reason.INTERRUPTED if verification.stop.is_set() else Reason.TIMEOUT
    counters = dict(verification.counters)
    bounds = {"recursion": counters["bound"]} if "bound" in counters else {}
    return Result(Unknown(reason), InlineEngine.name, bounds, monotonic() - verification.started, 1, counters)
