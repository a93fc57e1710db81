"""The inline engine's side of `bench.faults`: small programs, searched by HYDRA on virtual workers."""

from __future__ import annotations

from collections import Counter

from cleave.engines.findings import GivenUp
from support.hydra_runs import Case, HydraRun, disagreement, not_rebuilt, random_case

COUNTED = ("splits", "closed", "went_back", "set_up", "lost_workers")


class InlineFaults:
    option = ""

    def case(self, seed: int) -> Case:
        return random_case(seed)

    def mistake(self, case: Case, run: HydraRun) -> str | None:
        return disagreement(case, run) or not_rebuilt(run)

    def count(self, totals: Counter[str], case: Case, run: HydraRun) -> None:
        totals.update({name: int(run.counters[name]) for name in COUNTED})
        totals.update({"messages": run.messages, "split": run.counters["splits"] > 0, type(run.answer).__name__: 1})
        totals["lossy"] += run.counters["lost_workers"] > 0

    def report(self, totals: Counter[str]) -> list[str]:
        return [
            f"split: {totals['split']}, lost workers: {totals['lossy']}",
            f"splits: {totals['splits']}, partitions closed: {totals['closed']}, gone back to: {totals['went_back']}",
            f"workers lost: {totals['lost_workers']}, messages: {totals['messages']}",
            f"verdicts: {totals['Closed']} no violation, {totals['Violation']} violated, {totals['GivenUp']} gave up",
        ]

    def about(self, case: Case) -> list[object]:
        return [case.options, case.workers, case.faults]

    def ended(self, run: HydraRun) -> str:
        answer = run.answer if isinstance(run.answer, GivenUp) else type(run.answer).__name__
        return f"{answer} after {run.seconds:.3f} virtual seconds, {run.messages} messages, {len(run.events)} events"
