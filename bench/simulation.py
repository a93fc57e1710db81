"""A process for one simulated run: it ends at its limits with what is known by then, and prints one line of JSON.

An engine's own module (`bench.hydra_run`, `bench.pdr_run`, `bench.cegar_run`) says what is simulated and how an outcome
is judged; all else is here.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from time import monotonic, sleep
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import msgspec

from cleave.engines.coordination import Coordinator, Event
from cleave.runtime.drive import Ended, drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.smt.deep_thread import STACK_BYTES
from cleave.validate.confirmation import Confirmation
from cleave.watch import resident_bytes

CHECK_SECONDS = 120.0
"""For what is checked after a run, and not charged."""

_POLL_SECONDS = 0.25


class Judged(NamedTuple):
    """An answer, how it was checked or why there is none, and what else is to be told."""

    answer: str
    text: str
    more: Mapping[str, Any] = MappingProxyType({})


def judged(word: str, confirmation: Confirmation) -> Judged:
    """The claim of a run, if its evidence is confirmed."""
    if confirmation.holds:
        return Judged(word, str(confirmation))
    return Judged("given up", f"unconfirmed: {word}, it says: {confirmation.text}")


class Simulation(ABC):
    """A run and what is known of it; also while it goes on."""

    coordinator: Coordinator
    crew: SimulatedCrew
    workers: int
    counted: ClassVar[tuple[str, ...]]
    """Counters that are told."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.began = monotonic()
        self.events: list[Event] = []

    @abstractmethod
    def judge(self, outcome: bytes) -> Judged: ...

    def totals(self, virtual_seconds: float) -> dict[str, Any]:
        counters, statistics = self.coordinator.counters(), self.crew.statistics
        busy = sum(list(statistics.busy.values()))
        return {
            "cost": round(busy * COST_PER_SECOND),
            **{name: int(counters[name]) for name in self.counted},
            "messages": statistics.messages,
            "busy": round(busy / max(virtual_seconds * self.workers, 1e-6), 4),
        }

    def report(self) -> dict[str, Any]:
        """Runs it."""
        with self.crew:
            outcome = drive(self.coordinator, self.crew, self.events.extend, timelimit=self.options.virtual_limit)
            virtual_seconds = self.crew.now()
        answer, text, more = Judged("limit", "") if isinstance(outcome, Ended) else self.judge(outcome)
        is_claim = answer in ("safe", "unsafe")
        return self._described(answer, virtual_seconds) | {"evidence" if is_claim else "note": text, **more}

    def stopped(self, answer: str) -> dict[str, Any]:
        """What is known of it now; called from another thread."""
        return self._described(answer, self.crew.now())

    def _described(self, answer: str, virtual_seconds: float) -> dict[str, Any]:
        return {
            "answer": answer,
            "virtual_seconds": round(virtual_seconds, 4),
            "real_seconds": round(monotonic() - self.began, 2),
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            **self.totals(virtual_seconds),
        }


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--virtual-limit", type=float, default=0.0, metavar="SECONDS", help="0: none")
    parser.add_argument("--timelimit", type=float, default=0.0, metavar="SECONDS", help="real ones; 0: no limit")
    parser.add_argument("--memory", type=int, default=0, metavar="MB", help="0: no limit")


def limits(options: argparse.Namespace) -> list[str]:
    """Of a campaign, as options of a run."""
    return [f"--{name.replace('_', '-')}={getattr(options, name)}" for name in ("virtual_limit", "timelimit", "memory")]


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
        print_report(report)
    return int(not reports)


def _watch(run: Simulation) -> None:
    """Ends the process at its limits, with what is known by then, wherever the run is."""
    options = run.options
    while True:
        sleep(_POLL_SECONDS)
        if options.timelimit and monotonic() - run.began >= options.timelimit:
            print_report(run.stopped("real limit"))
            os._exit(0)
        if options.memory and resident_bytes() > options.memory * 1024 * 1024:
            print_report(run.stopped("memory"))
            os._exit(0)


def print_report(report: dict[str, Any]) -> None:
    print(msgspec.json.encode(report).decode(), flush=True)
