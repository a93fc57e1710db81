"""From a task to the unfolded program, the same wherever it is done: here, in a worker, after a crash."""

from __future__ import annotations

from collections.abc import Callable

from cleave.engines.threads.messages import Task
from cleave.engines.threads.options import DEFAULT_UNWIND, ThreadsOptions
from cleave.engines.unfolding.instances import Unfolded, unfold
from cleave.engines.unfolding.options import loop_bounds
from cleave.errors import UsageError
from cleave.frontends.input import Input
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program
from cleave.passes.entries import choose_entries


def read_task(task: Task) -> tuple[Program, str]:
    """The program, and the procedure that its first thread runs."""
    return program_of(Input.of(task.file, task.source, task.entry))


def program_of(input: Input) -> tuple[Program, str]:
    program = input.program
    entries = choose_entries(program, input.entry)
    if len(entries) != 1:
        raise UsageError(f"with several threads there is one entry, not {', '.join(entries)}: choose with --entry")
    return program, entries[0]


def bounds_of(options: ThreadsOptions, program: Program) -> LoopBounds:
    return loop_bounds(options.unwind, DEFAULT_UNWIND, program)


def unfold_task(task: Task, program: Program, entry: str, check: Callable[[], None] = lambda: None) -> Unfolded:
    """``check`` is called often and may raise to end it."""
    return unfold(program, entry, bounds_of(task.options, program), check, task.options.extent)
