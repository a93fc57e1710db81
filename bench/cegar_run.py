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
from typing import Any

from bench.cegar_phases import ALONE, ANALYSING, Phases
from bench.simulation import (
    CHECK_SECONDS,
    Judged,
    Simulation,
    add_limits,
    judged,
    prepare_interpreter,
    print_report,
    run_and_print,
)
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.search import CegarSearch, Steps, Tree, found
from cleave.engines.cegar.task import CegarProblem, read_problem
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.coordination import Clock, Work
from cleave.engines.engine import Setting
from cleave.engines.findings import GaveUp, Proof, Violation
from cleave.errors import CleaveError
from cleave.frontends.input import Input
from cleave.runtime.crew import Assignment
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

PREDICTABLE, NAIVE = "predictable", "naive"
PAPERS_LATENCY = 0.00007
"""Of a message, one way, in seconds: half of the round trip in the paper's network."""

_USUAL = CegarOptions()
_LATE = 0.5  # of the frames


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


class SimulatedCegar(Simulation):
    counted = ("iterations", "predicates", "states", "posts", "queries", "refinement_cost")
    coordinator: Phases

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        search = CegarOptions(
            iterations=options.iterations,
            naive=options.naive,
            chunk=options.chunk,
            batch=options.batch,
        )
        self.workers = options.workers
        source = Path(options.file).read_bytes()
        self.search = CegarSearch.make(Input.of(options.file, source), search, Setting(workers=options.workers))
        self.problem = read_problem(self.search.task)
        faults = Faults(delay=_LATE, delay_seconds=options.jitter) if options.jitter else NO_FAULTS
        self.crew = SimulatedCrew(
            Assignment("", b""), worker=self._start, latency=options.latency, faults=faults, seed=options.seed
        )
        self.coordinator = Phases(self.search.coordinator(), self.crew)

    def _start(self, _task: bytes, _number: int, _clock: Clock | None) -> Work:
        return CegarWorker(self.problem.system, self.search.task.options, is_alone=self.options.workers == 1).run()

    def totals(self, virtual_seconds: float) -> dict[str, Any]:
        system = self.problem.system
        return {
            **super().totals(virtual_seconds),
            "variables": max(len(location.variables) for location in system.locations),
            "transitions": len(system.transitions),
            **{f"{name}_seconds": round(self.coordinator.seconds[name], 4) for name in (ALONE, ANALYSING)},
            "bytes": self.crew.statistics.bytes,
        }

    def judge(self, outcome: bytes) -> Judged:
        answer, text, _ = self._judged(outcome)
        return Judged(answer, text, {"digest": sha256(outcome).hexdigest()[:16]})

    def _judged(self, outcome: bytes) -> Judged:
        given = self.problem.given
        match found(outcome, self.coordinator.counters()):
            case GaveUp(reason, detail):
                return Judged("given up", f"{reason.value}: {detail}")
            case Proof(Tree() as tree):
                invariants = _invariants(self.problem, tree)
                unfold = self.problem.unfolded(invariants)
                word, confirmed = "safe", check_interpretation(given, invariants, unfold=unfold, seconds=CHECK_SECONDS)
            case Violation(Steps(path, states)):
                derivation = self.problem.derivation(path, states)
                word, confirmed = "unsafe", check_derivation(given, derivation, seconds=CHECK_SECONDS)
        return judged(word, confirmed)


def _invariants(problem: CegarProblem, tree: Tree) -> Any:
    return problem.interpretation([tree.invariant(number) for number in range(len(problem.system.locations))])


def main() -> int:
    prepare_interpreter()
    options = parser().parse_args()
    try:
        run = SimulatedCegar(options)
    except CleaveError as error:  # not linear, for instance
        print_report({"answer": "given up", "note": f"not read: {error}"[:200]})
        return 0
    return run_and_print(run)


if __name__ == "__main__":
    sys.exit(main())
