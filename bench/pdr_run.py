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

from bench.simulation import (
    CHECK_SECONDS,
    Judged,
    Simulation,
    add_limits,
    judged,
    prepare_interpreter,
    run_and_print,
)
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.evidence import decode_derivation, decode_interpretation
from cleave.engines.pdr.messages import Proofs, Task, decode_finding, encode
from cleave.engines.pdr.options import PdrOptions, Share, technique
from cleave.engines.pdr.task import HornProblem, read_problem
from cleave.ir.horn import Interpretation
from cleave.runtime.crew import Assignment
from cleave.runtime.simulation.crew import SimulatedCrew
from cleave.validate.clauses.combine import combine
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

WORKER = "cleave.engines.pdr.worker:work"
STRATEGY = "strategy "
ADAPTIVE = "adaptive"
"""What ``cleave verify`` does."""


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


class SimulatedPdr(Simulation):
    counted = ("sharing_cost", "validation_cost", "lemmas_pushed", "lemmas_pulled", "partitions", "closed", "level")

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.workers, search = options_for(options.how, options.workers, options.seed)
        source = Path(options.file).read_bytes()
        self.task = Task(options.file, source, None, None, search, self.workers, virtual=True)
        self.coordinator = P3Coordinator(self.task)
        self.crew = SimulatedCrew(Assignment(WORKER, encode(self.task)), seed=options.seed)

    def judge(self, outcome: bytes) -> Judged:
        problem = read_problem(self.task)
        match decode_finding(outcome).answer:
            case GivenUp(reason=reason, detail=detail):
                return Judged("given up", f"{reason}: {detail}")
            case Proofs() as proofs:
                found, unfold = combined(problem, proofs), problem.inlined
                return judged("safe", check_interpretation(problem.given, found, unfold=unfold, seconds=CHECK_SECONDS))
            case Violation(derivation):
                steps = decode_derivation(derivation)
                return judged("unsafe", check_derivation(problem.given, steps, seconds=CHECK_SECONDS))


def main() -> int:
    prepare_interpreter()
    return run_and_print(SimulatedPdr(parser().parse_args()))


def combined(problem: HornProblem, found: Proofs) -> Interpretation:
    """The interpretation of the given clauses that the proofs of the parts make up, still to be checked."""
    parts = {proof.partition: decode_interpretation(proof.interpretation) for proof in found.proofs}
    if None in parts:
        return problem.interpretation(parts[None])
    return problem.interpretation(
        combine(problem.prepared, {one: each for one, each in parts.items() if one is not None})
    )


if __name__ == "__main__":
    sys.exit(main())
