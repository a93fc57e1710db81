"""A violation that is found by running the program: with inputs chosen at random, and a schedule where it has threads.

probed(run, program, "main")        # Unsafe, or None, which says nothing
"""

from __future__ import annotations

from cleave.flows.run import Run
from cleave.ir.program import Program, first_thread_statement
from cleave.ir.schedule import Schedule
from cleave.validate.violations.concurrent import replay
from cleave.validate.violations.confirm import Confirmed
from cleave.verdict import Reason, Unknown, Unsafe

BRIEF = 30_000  # steps: a tenth of a second or two


def probed(run: Run, program: Program, entry: str, *, steps: int = BRIEF, seed: int = 0) -> Unsafe | None:
    from cleave.engines.executions.search import probe

    found, taken = probe(program, entry, seed=seed, steps=steps, check=run.watch.check)
    run.note({"probe_steps": run.counters.get("probe_steps", 0) + taken})
    if found is None:
        return None
    verdict = confirm_schedule(program, entry, found)
    if not isinstance(verdict, Unsafe):
        return None
    if first_thread_statement(program) is not None:
        run.note({"contexts": len(found.contexts)})
    return verdict


def confirm_schedule(program: Program, entry: str, schedule: Schedule) -> Unsafe | Unknown:
    judged = replay(program, entry, schedule)
    if isinstance(judged, Confirmed):
        has_threads = first_thread_statement(program) is not None
        return Unsafe(judged.trace, "replayed under its schedule" if has_threads else "replayed")
    return Unknown(Reason.UNCONFIRMED, f"the violation that was found does not replay: {judged.reason}")
