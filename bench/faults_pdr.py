"""The pdr engine's side of `bench.faults`: small Horn systems of known truth, solved by P3 on virtual workers.

A seed chooses the system, how it is solved (1 to 6 workers, what is shared, how it is partitioned) and what goes wrong;
in every third run or so all workers also tell lies: lemmas that are not true, of other levels, of unknown predicates or
no lemmas at all, messages of other problems and jobs, and old ones again. A run is wrong if its verdict is not the true
one, or if its evidence does not hold for the given clauses. It may give up if workers were lost or told lies.
"""

from __future__ import annotations

from collections import Counter

from support.pdr_cases import PdrCase, disagreement, random_case
from support.pdr_runs import PdrRun

COUNTED = ("partitions", "closed", "lemmas_pushed", "lemmas_pulled", "lemmas_refused", "ignored", "lost_workers")


class PdrFaults:
    option = " --engine pdr"

    def case(self, seed: int) -> PdrCase:
        return random_case(seed)

    def mistake(self, case: PdrCase, run: PdrRun) -> str | None:
        return disagreement(case, run)

    def count(self, totals: Counter[str], case: PdrCase, run: PdrRun) -> None:
        totals.update({name: int(run.counters[name]) for name in COUNTED})
        totals.update({run.word: 1, "partitioned": run.counters["partitions"] > 0, "with lies": case.lies})
        totals["lossy"] += run.counters["lost_workers"] > 0

    def report(self, totals: Counter[str]) -> list[str]:
        partitions = f"partitions: {totals['partitions']}, {totals['closed']} closed"
        lemmas = f"told {totals['lemmas_pushed']}, given to others {totals['lemmas_pulled']}"
        return [
            f"partitioned: {totals['partitioned']}, lost workers: {totals['lossy']}, with lies: {totals['with lies']}",
            f"{partitions}; lemmas: {lemmas}, refused {totals['lemmas_refused']}",
            f"messages ignored: {totals['ignored']}, workers lost: {totals['lost_workers']}",
            f"verdicts: {totals['safe']} safe, {totals['unsafe']} unsafe, {totals['unknown']} gave up",
        ]

    def about(self, case: PdrCase) -> list[object]:
        return [f"expected: {case.expected}, lies: {case.lies}", case.given, case.options, case.faults]

    def ended(self, run: PdrRun) -> str:
        return f"{run.word} after {run.seconds:.3f} virtual seconds, {len(run.events)} events"
