"""One simulated run of the cegar engine, in a process of its own, as one line of JSON.

    python -m bench.cegar_run FILE --workers 40
    python -m bench.cegar_run FILE --workers 40 --naive --seed 3 --jitter 0.01

Messages take as long as in the paper's network. With --jitter, half of all frames are late by up to so many virtual
seconds, as the seed decides. The answer counts if its evidence is confirmed on the clauses that were given; that last
check is not charged, and neither is reading the file. ``digest`` is that of what the run concluded: predicates, tree or
path.
"""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from bench.cegar_phases import ALONE, ANALYSING, Phases
from bench.simulation import add_limits, described, prepare_interpreter, run_and_print
from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.search import CegarSearch, Steps, Tree, found
from cleave.engines.cegar.task import CegarProblem, read_problem
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.coordination import Clock, Event, Work
from cleave.engines.engine import Setting
from cleave.engines.findings import GaveUp, Proof, Violation
from cleave.errors import CleaveError
from cleave.frontends.input import Input
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import Ended, drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

PAPERS_LATENCY = 0.00007
"""Of a message, one way, in seconds: half of the round trip in the paper's network."""

_CHECK_SECONDS = 120.0
_USUAL = CegarOptions()
_LATE = 0.5  # of the frames
_TOLD = ("iterations", "predicates", "states", "posts", "queries", "refinement_cost")


def parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    found = argparse.ArgumentParser(prog="python -m bench.cegar_run", description=__doc__, formatter_class=formatter)
    found.add_argument("file")
    found.add_argument("--workers", type=int, default=40, metavar="N")
    found.add_argument("--naive", action="store_true", help="the first counterexample that any worker finds")
    found.add_argument("--latency", type=float, default=PAPERS_LATENCY, metavar="SECONDS", help="%(default)s")
    found.add_argument("--jitter", type=float, default=0.0, metavar="SECONDS", help="of frames; 0: all are on time")
    found.add_argument("--iterations", type=int, default=0, metavar="N", help="0: no limit")
    found.add_argument("--chunk", type=int, default=_USUAL.chunk, metavar="N", help="transitions that stay together")
    found.add_argument("--batch", type=int, default=_USUAL.batch, metavar="N", help="transitions of a message, at most")
    add_limits(found)
    return found


class SimulatedCegar:
    """A run and what is known of it; also while it goes on."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.began = monotonic()
        self.events: list[Event] = []
        search = CegarOptions(
            iterations=options.iterations,
            naive=options.naive,
            chunk=options.chunk,
            batch=options.batch,
        )
        source = Path(options.file).read_bytes()
        self.search = CegarSearch.make(Input.of(options.file, source), search, Setting(workers=options.workers))
        self.problem = read_problem(self.search.task)
        self.coordinator: CegarCoordinator = self.search.coordinator()
        faults = Faults(delay=_LATE, delay_seconds=options.jitter) if options.jitter else NO_FAULTS
        self.crew = SimulatedCrew(
            Assignment("", b""), worker=self._start, latency=options.latency, faults=faults, seed=options.seed
        )

        self.phases = Phases(self.coordinator, self.crew)

    def report(self) -> dict[str, Any]:
        with self.crew:
            outcome = drive(self.phases, self.crew, self.events.extend, timelimit=self.options.virtual_limit)
            virtual_seconds = self.crew.now()
        if isinstance(outcome, Ended):
            return described(self, "limit", virtual_seconds) | self._totals(virtual_seconds)
        answer, text = self._judged(outcome)
        note, evidence = ("", text) if answer != "given up" else (text, "")
        found = {"evidence": evidence, "digest": sha256(outcome).hexdigest()[:16]}
        return described(self, answer, virtual_seconds, note) | self._totals(virtual_seconds) | found

    def stopped(self, answer: str) -> dict[str, Any]:
        virtual_seconds = self.crew.now()
        return described(self, answer, virtual_seconds) | self._totals(virtual_seconds)

    def _start(self, _task: bytes, _number: int, _clock: Clock | None) -> Work:
        return CegarWorker(self.problem.system, self.search.task.options, is_alone=self.options.workers == 1).run()

    def _totals(self, virtual_seconds: float) -> dict[str, Any]:
        counters, statistics = self.coordinator.counters(), self.crew.statistics
        busy = sum(list(statistics.busy.values()))
        system = self.problem.system
        return {
            "workers": self.options.workers,
            "variables": max(len(location.variables) for location in system.locations),
            "transitions": len(system.transitions),
            "cost": round(busy * COST_PER_SECOND),
            **{name: int(counters[name]) for name in _TOLD},
            **{f"{name}_seconds": round(self.phases.seconds[name], 4) for name in (ALONE, ANALYSING)},
            "messages": statistics.messages,
            "bytes": statistics.bytes,
            "busy": round(busy / max(virtual_seconds * self.options.workers, 1e-6), 4),
        }

    def _judged(self, outcome: bytes) -> tuple[str, str]:
        """The answer in words, and how it was checked or why there is none."""
        match found(outcome, self.coordinator.counters()):
            case GaveUp(reason, detail):
                return "given up", f"{reason.value}: {detail}"
            case Proof(Tree() as tree):
                invariants = _invariants(self.problem, tree)
                unfold = self.problem.unfolded(invariants)
                judged = check_interpretation(self.problem.given, invariants, unfold=unfold, seconds=_CHECK_SECONDS)
                word = "safe"
            case Violation(Steps(path, states)):
                derivation = self.problem.derivation(path, states)
                judged = check_derivation(self.problem.given, derivation, seconds=_CHECK_SECONDS)
                word = "unsafe"
        if judged.holds:
            return word, str(judged)
        return "given up", f"unconfirmed: {word}, it says: {judged.text}"


def _invariants(problem: CegarProblem, tree: Tree) -> Any:
    return problem.interpretation([tree.invariant(number) for number in range(len(problem.system.locations))])


def main() -> int:
    prepare_interpreter()
    options = parser().parse_args()
    try:
        run = SimulatedCegar(options)
    except CleaveError as error:  # not linear, for instance
        print(msgspec.json.encode({"answer": "given up", "note": f"not read: {error}"[:200]}).decode())
        return 0
    return run_and_print(run)


if __name__ == "__main__":
    sys.exit(main())
