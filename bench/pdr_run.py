"""One simulated run of the pdr engine, in a process of its own, as one line of JSON.

    python -m bench.pdr_run FILE --how partitioning+k --workers 60 --virtual-limit 20
    python -m bench.pdr_run FILE --how "strategy def"
    python -m bench.pdr_run FILE --how adaptive --workers 60

A technique is one of the paper's Table I (`engines.pdr.options.technique`), a strategy SPACER with it on one worker
that shares nothing. The answer counts if its evidence is confirmed on the clauses that were given; that last check is
not charged, and neither is reading the file. Workers' own checks are.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from bench.pdr_rows import ADAPTIVE
from bench.simulation import add_limits, described, prepare_interpreter, run_and_print
from cleave.engines.coordination import Event
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.evidence import decode_derivation
from cleave.engines.pdr.messages import Proofs, Task, decode_finding, encode
from cleave.engines.pdr.options import PdrOptions, Share, technique
from cleave.engines.pdr.record import combined
from cleave.engines.pdr.task import read_problem
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import Ended, drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

WORKER = "cleave.engines.pdr.worker:work"
STRATEGY = "strategy "
_CHECK_SECONDS = 120.0
_TOLD = ("sharing_cost", "validation_cost", "lemmas_pushed", "lemmas_pulled", "partitions", "closed", "level")


def parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    found = argparse.ArgumentParser(prog="python -m bench.pdr_run", description=__doc__, formatter_class=formatter)
    found.add_argument("file")
    found.add_argument("--how", default=ADAPTIVE, help="a technique, 'strategy NAME' or adaptive (default)")
    found.add_argument("--workers", type=int, default=60, metavar="N")
    add_limits(found)
    return found


def options_for(how: str, workers: int, seed: int) -> tuple[int, PdrOptions]:
    """And how many workers there are."""
    if how == ADAPTIVE:
        return workers, PdrOptions(seed=seed)
    if how.startswith(STRATEGY):
        alone = (how.removeprefix(STRATEGY),)
        return 1, PdrOptions(share=Share.NONE, partitions=0, strategies=alone, seed=seed, patience=0.0)
    return workers, technique(how, workers=workers, seed=seed)


class SimulatedPdr:
    """A run and what is known of it; also while it goes on."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.began = monotonic()
        self.events: list[Event] = []
        workers, search = options_for(options.how, options.workers, options.seed)
        source = Path(options.file).read_bytes()
        self.task = Task(options.file, source, None, None, search, workers, virtual=True)
        self.coordinator = P3Coordinator(self.task)
        self.crew = SimulatedCrew(Assignment(WORKER, encode(self.task)), seed=options.seed)

    def report(self) -> dict[str, Any]:
        with self.crew:
            outcome = drive(self.coordinator, self.crew, self.events.extend, timelimit=self.options.virtual_limit)
            virtual_seconds = self.crew.now()
        if isinstance(outcome, Ended):
            return described(self, "limit", virtual_seconds) | self._totals(virtual_seconds)
        answer, text = self._judged(decode_finding(outcome).answer)
        note, evidence = ("", text) if answer != "given up" else (text, "")
        return described(self, answer, virtual_seconds, note) | self._totals(virtual_seconds) | {"evidence": evidence}

    def stopped(self, answer: str) -> dict[str, Any]:
        virtual_seconds = self.crew.now()
        return described(self, answer, virtual_seconds) | self._totals(virtual_seconds)

    def _totals(self, virtual_seconds: float) -> dict[str, Any]:
        counters, statistics = self.coordinator.counters(), self.crew.statistics
        busy = sum(list(statistics.busy.values()))
        workers = self.task.workers
        return {
            "workers": workers,
            "cost": round(busy * COST_PER_SECOND),
            **{name: int(counters[name]) for name in _TOLD},
            "messages": statistics.messages,
            "busy": round(busy / max(virtual_seconds * workers, 1e-6), 4),
        }

    def _judged(self, answer: Proofs | Violation[bytes] | GivenUp) -> tuple[str, str]:
        """The answer in words, and how it was checked or why there is none."""
        problem = read_problem(self.task)
        match answer:
            case GivenUp(reason=reason, detail=detail):
                return "given up", f"{reason}: {detail}"
            case Proofs():
                found = combined(problem, answer)
                judged = check_interpretation(problem.given, found, unfold=problem.inlined, seconds=_CHECK_SECONDS)
                word = "safe"
            case Violation(derivation):
                judged = check_derivation(problem.given, decode_derivation(derivation), seconds=_CHECK_SECONDS)
                word = "unsafe"
        if judged.holds:
            return word, str(judged)
        return "given up", f"unconfirmed: {word}, it says: {judged.text}"


def main() -> int:
    prepare_interpreter()
    return run_and_print(SimulatedPdr(parser().parse_args()))


if __name__ == "__main__":
    sys.exit(main())
