"""A process for one simulated run: it ends at its limits with what is known by then, and prints one line of JSON."""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import threading
from time import monotonic, sleep
from typing import Any, Protocol

import msgspec

from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.smt.deep_thread import STACK_BYTES
from cleave.watch import resident_bytes

_POLL_SECONDS = 0.25


class Simulation(Protocol):
    """A run and what is known of it; also while it goes on."""

    options: argparse.Namespace
    began: float
    crew: SimulatedCrew

    def report(self) -> dict[str, Any]:
        """Runs it."""

    def stopped(self, answer: str) -> dict[str, Any]:
        """What is known of it now; called from another thread."""


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--virtual-limit", type=float, default=0.0, metavar="SECONDS", help="0: none")
    parser.add_argument("--timelimit", type=float, default=0.0, metavar="SECONDS", help="real ones; 0: no limit")
    parser.add_argument("--memory", type=int, default=0, metavar="MB", help="0: no limit")


def described(run: Simulation, answer: str, virtual_seconds: float, note: str = "") -> dict[str, Any]:
    return {
        "file": run.options.file,
        "answer": answer,
        "note": note,
        "virtual_seconds": round(virtual_seconds, 4),
        "real_seconds": round(monotonic() - run.began, 2),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def prepare_interpreter() -> None:
    """As the command line does."""
    gc.set_threshold(200_000, 50, 50)
    sys.set_int_max_str_digits(0)


def run_and_print(run: Simulation) -> int:
    """An exit code: 1 if the run did not come to an end."""
    threading.Thread(target=_watch, args=(run,), daemon=True).start()
    reports: list[dict[str, Any]] = []
    threading.stack_size(STACK_BYTES)  # programs may be nested deeply
    thread = threading.Thread(target=lambda: reports.append(run.report()))
    thread.start()
    thread.join()
    for report in reports:
        _print(report)
    return int(not reports)


def _watch(run: Simulation) -> None:
    """Ends the process at its limits, with what is known by then, wherever the run is."""
    options = run.options
    while True:
        sleep(_POLL_SECONDS)
        if options.timelimit and monotonic() - run.began >= options.timelimit:
            _print(run.stopped("real limit"))
            os._exit(0)
        if options.memory and resident_bytes() > options.memory * 1024 * 1024:
            _print(run.stopped("memory"))
            os._exit(0)


def _print(report: dict[str, Any]) -> None:
    print(msgspec.json.encode(report).decode(), flush=True)
