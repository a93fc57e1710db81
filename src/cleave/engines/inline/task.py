"""From a task to the prepared program, the same wherever it is done: here, in a worker, after a crash."""

from __future__ import annotations

from dataclasses import replace

from cleave.engines.inline.known import decode_known
from cleave.engines.inline.messages import Task
from cleave.frontends.read import read_program
from cleave.ir.program import Program, Property
from cleave.passes.entries import choose_entries
from cleave.passes.prepare import Prepared, prepare
from cleave.passes.to_integers import to_integers


def read_task(task: Task) -> Program:
    program = read_program(task.file, task.source)
    return replace(program, property=Property(task.property)) if task.property else program


def prepare_task(task: Task, program: Program) -> Prepared:
    known = decode_known(task.known.facts) if task.known is not None else ()
    return prepare(to_integers(program, task.integers), choose_entries(program, task.entry), known)
