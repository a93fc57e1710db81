"""From a task to the prepared program, the same wherever it is done: here, in a worker, after a crash."""

from __future__ import annotations

from cleave.engines.inline.messages import Task
from cleave.engines.known import decode_known
from cleave.frontends.input import Input
from cleave.ir.program import Program
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import Prepared, prepare
from cleave.passes.to_integers import to_integers


def read_task(task: Task) -> Program:
    return Input.of(task.file, task.source, task.entry, task.property).program


def prepare_task(task: Task, program: Program) -> Prepared:
    known = decode_known(task.known.facts) if task.known is not None else ()
    return prepare(to_integers(program, task.integers), choose_entries(program, task.entry), known)
