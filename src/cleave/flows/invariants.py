"""``--invariants-from pdr``: invariants that SPACER finds are handed to the inline engine, as in the DAG paper's +Inv.

They are proved, not assumed: before the task is made, each was checked by solvers that did not find it. From then on
they belong to the task, so that all workers, and all checks of proofs, have the same program.
"""

from __future__ import annotations

import threading

import msgspec

from cleave.engines.inline.known import encode_known
from cleave.engines.inline.messages import KnownFacts, Task
from cleave.engines.inline.task import read_task
from cleave.engines.pdr.invariants import Invariants, find_invariants
from cleave.flows.run import Run
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import ask
from cleave.passes.to_integers import to_integers
from cleave.watch import Watch

_SHARE_OF_TIME = 0.4
"""Of what is left until the time limit: without invariants there is at least a search."""


def with_invariants(task: Task, run: Run) -> Task:
    """The task, with what pdr finds out about its program. What stops the run stops this, too; the rest of the flow
    then says so."""
    started = run.watch.seconds()
    found = _found(task, run.watch)
    seconds = round(run.watch.seconds() - started, 3)
    procedures = len({fact.procedure for fact in found.facts})
    run.note({"invariants": len(found.facts), "invariants_of": procedures, "invariants_seconds": seconds})
    if not found.facts:
        return task
    return msgspec.structs.replace(task, known=KnownFacts(encode_known(found.facts), found.text))


def _found(task: Task, watch: Watch) -> Invariants:
    program = to_integers(read_task(task), task.integers)
    asked = ask(program, choose_entries(program, task.entry))
    left, stop = watch.remaining(), threading.Event()
    watch.guard(stop.set)
    try:
        with Watch(timelimit=0.0 if left is None else max(_SHARE_OF_TIME * left, 0.01), stop=stop) as own:
            return find_invariants(asked.program, asked.entry, watch=own)
    finally:
        watch.unguard(stop.set)
