"""The cegar engine's side of `bench.faults`: small transition systems on 1, 2, 5 and 40 virtual workers.

A seed chooses the system, the number of workers and what goes wrong; 80 seeds from a multiple of 80 on are one system
on each number of workers with 20 kinds of bad luck. A run is wrong if it does not conclude, byte for byte, what one
worker does to whom nothing happens (the predicates in their order, the tree or the path with its values, the number of
iterations; for one in 20 runs also what is printed), or if that is not true: of systems with few enough states all
are computed one by one, and the evidence is checked. It may give up if a piece of work took
sixteen workers with it, or 128 where others are lost as often.
"""

from __future__ import annotations

from collections import Counter

from support.cegar_cases import CegarCase, disagreement, expected, numbered_case
from support.cegar_runs import CegarRun


class CegarFaults:
    option = " --engine cegar"

    def case(self, seed: int) -> CegarCase:
        return numbered_case(seed)

    def mistake(self, case: CegarCase, run: CegarRun) -> str | None:
        return disagreement(case, run)

    def count(self, totals: Counter[str], case: CegarCase, run: CegarRun) -> None:
        totals.update({run.word: 1, f"on {case.workers}": 1, f"system {case.system}": 1})
        totals["lossy"] += run.crashes > 0
        totals["lost workers"] += run.crashes
        totals["gave up"] += run.was_lost
        totals["iterations"] += int(run.counters["iterations"])
        totals["checked by states"] += expected(case.system) is not None
        totals["most workers"] = max(totals["most workers"], int(run.counters["workers"]))

    def report(self, totals: Counter[str]) -> list[str]:
        systems = sum(name.startswith("system ") for name in totals)
        workers = ", ".join(f"{totals[name]} {name}" for name in sorted(totals) if name.startswith("on "))
        return [
            f"systems: {systems}, runs by workers: {workers} (at most {totals['most workers']} at the end)",
            f"lost workers: {totals['lost workers']} in {totals['lossy']} runs; gave up for it: {totals['gave up']}",
            f"iterations: {totals['iterations']}, checked state by state: {totals['checked by states']} runs",
            f"verdicts: {totals['safe']} safe, {totals['unsafe']} unsafe, {totals['unknown']} unknown",
        ]

    def about(self, case: CegarCase) -> list[object]:
        return [f"expected: {expected(case.system)}", case.system.text(), case.options, case.faults]

    def ended(self, run: CegarRun) -> str:
        return f"{run.word} after {run.seconds:.3f} virtual seconds, {run.events} events"
