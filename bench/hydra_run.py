"""One simulated run of the distributed inline engine, in a process of its own, as one line of JSON.

    python -m bench.hydra_run FILE --workers 16
    python -m bench.hydra_run FILE --sequential

The sequential search is one worker that never splits and whose checks are not cut into slices; its proof is checked,
too, and its time is counted in the same way. A violation is replayed and the coverage of the closed partitions is
checked after the run: neither is charged, and neither is reading the program.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.simulation import Judged, Simulation, add_limits, judged, prepare_interpreter, run_and_print
from cleave.engines.coordination import valid_messages
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.dissimilarity import dissimilarity
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.messages import (
    Answer,
    Closed,
    Outcome,
    SendPartition,
    Task,
    decode_finding,
    decode_path,
    encode,
    from_worker,
)
from cleave.engines.inline.options import Decisions, InlineOptions, Queues, Rate, Splits
from cleave.engines.inline.record import split_tree
from cleave.engines.inline.task import prepare_task, read_task
from cleave.engines.options import deepening
from cleave.ir.path import Enter
from cleave.runtime.crew import Assignment
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.validate.proofs.coverage import covered
from cleave.validate.violations.confirm import validate_trace

WORKER = "cleave.engines.inline.worker:work"
SEQUENTIAL = 0
"""The number of workers of a search that is never split."""

_NEVER = 10**15  # more cost than any run has
_REPLAY_SECONDS = 60.0


def parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    found = argparse.ArgumentParser(prog="python -m bench.hydra_run", description=__doc__, formatter_class=formatter)
    found.add_argument("file")
    found.add_argument("--workers", type=int, default=1, metavar="N")
    found.add_argument("--sequential", action="store_true", help="one worker that never splits")
    found.add_argument("--splits", default="proof", choices=[s.value for s in Splits])
    found.add_argument("--queues", default="deques", choices=[q.value for q in Queues])
    found.add_argument("--rate", default="adaptive", choices=[r.value for r in Rate])
    found.add_argument("--decisions", default="assumed", choices=[d.value for d in Decisions])
    found.add_argument("--merge", default="first", choices=[m.value for m in Merging])
    found.add_argument("--unsplit", action=argparse.BooleanOptionalAction, help="one of the workers searches the whole")
    found.add_argument("--bound", type=int, default=3, metavar="R", help="recursion bound (default 3)")
    found.add_argument("--entry", default=None, metavar="NAME")
    add_limits(found)
    return found


class HydraRun(Simulation):
    counted = ("setup_cost", "validation_cost", "splits", "closed", "went_back", "set_up")

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.task = _task(options)
        self.workers = self.task.workers
        self.coordinator = HydraCoordinator(self.task)
        self.crew = SimulatedCrew(Assignment(WORKER, encode(self.task)), seed=options.seed)

    def judge(self, outcome: bytes) -> Judged:
        answer, text = self._judged(decode_finding(outcome).answer)
        more: dict[str, Any] = {"dissimilarity": self._dissimilarity()}
        if answer == "safe":
            cover = covered(split_tree(self.events))
            more |= {} if cover.holds else {"wrong": f"the search is not covered: {cover.text}"}
        return Judged(answer, text, more)

    def _dissimilarity(self) -> float | None:
        """As far as workers told: what one has inlined since its last split, it tells when its partition is done."""
        inlined: defaultdict[int, set[int]] = defaultdict(set)
        for worker, message in valid_messages(self.events, from_worker):
            if isinstance(message, SendPartition | Outcome):
                inlined[worker].update(message.inlined)
        found = dissimilarity(inlined)
        return None if found is None else found.mean

    def _judged(self, answer: Answer) -> tuple[str, str]:
        """A violation counts if it replays."""
        match answer:
            case Closed():
                return "safe", "the closed partitions cover the search"
            case GivenUp(reason=reason, detail=detail):
                return "given up", f"{reason}: {detail}"
            case Violation(steps):
                program = read_task(self.task)
                path = prepare_task(self.task, program).lift(decode_path(steps))
                first = path[0]
                assert isinstance(first, Enter)
                replayed = validate_trace(program, first.procedure, path, seconds=_REPLAY_SECONDS)
                return judged("unsafe", replayed)[:2]


def _task(options: argparse.Namespace) -> Task:
    search = InlineOptions(
        merging=Merging(options.merge),
        bounds=deepening(options.bound),
        seed=options.seed,
        splits=Splits(options.splits),
        queues=Queues(options.queues),
        rate=Rate(options.rate),
        decisions=Decisions(options.decisions),
        unsplit=options.unsplit,
    )
    if options.sequential:
        # Nothing is split before this cost, and no check is cut off before it; the limit is hit at the latest then.
        most = int(options.virtual_limit * COST_PER_SECOND) or _NEVER
        search = replace(search, split_after=most, slice_cost=most)
    workers = 1 if options.sequential else options.workers
    return Task(options.file, Path(options.file).read_bytes(), options.entry, None, search, workers)


def main() -> int:
    prepare_interpreter()
    return run_and_print(HydraRun(parser().parse_args()))


if __name__ == "__main__":
    sys.exit(main())
