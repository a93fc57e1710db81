"""Many executions, until one violates the property or a number of steps is spent."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from cleave.engines.executions.code import Compiler
from cleave.engines.executions.execution import AssertionFailed, Execution, Moved, Over
from cleave.engines.executions.options import USUAL, ExecutionsOptions
from cleave.engines.executions.schedulers import Scheduler, scheduler
from cleave.engines.executions.shorten import shortened
from cleave.engines.executions.state import MAIN
from cleave.engines.executions.values import Values, pinned
from cleave.errors import UnsupportedError
from cleave.ir.program import Program, Property
from cleave.ir.schedule import Schedule


class Tried(NamedTuple):
    """What was found, the steps that were taken, whether an execution was cut off because it took too many, and whether
    the first one ended without a choice of inputs, blocks or threads: no others were tried then."""

    schedule: Schedule | None
    steps: int
    is_long: bool
    has_no_inputs: bool = False


_START = 20  # steps that it takes to start an execution, about
_JUMPS_OF_A_STEP = 10  # that are for nothing; more are counted, as a loop without statements takes no steps at all


def probe(
    program: Program,
    entry: str,
    *,
    seed: int,
    steps: int,
    check: Callable[[], None] = lambda: None,
    options: ExecutionsOptions = USUAL,
    without_inputs: bool = True,
) -> Tried:
    """``check`` is called often and may raise to end it. ``without_inputs`` says to try others, too, where there are no
    inputs: what is not initialised may make a difference."""
    is_other = program.property is not Property.ASSERTIONS or program.store_buffers is not None
    if is_other or program.axioms or _has_contracts(program):
        return Tried(None, 0, False)
    random = Random(seed)
    compiler, given = Compiler(program), pinned(program, entry)
    longest, number, threads, taken, is_long = float(options.longest), 0, 1, 0, False
    try:
        while taken < steps:
            check()
            execution = Execution(compiler, entry, Values(compiler, given, random), int(longest))
            violated = _run(execution, scheduler(random, number, execution.threads, threads))
            taken += execution.steps + execution.undone + len(execution.turns) + _START
            taken += max(0, execution.jumps - _JUMPS_OF_A_STEP * execution.steps)
            if violated:
                return Tried(shortened(compiler, entry, execution), taken, is_long)
            is_long |= execution.is_too_long
            if number == 0 and not (without_inputs or is_long or execution.has_choices):
                return Tried(None, taken, is_long, True)
            number, threads = number + 1, max(threads, len(execution.threads))
            longest = min(longest * options.growth, options.longest_of_all)
    except UnsupportedError:
        pass  # what can't be executed is left to the formula
    return Tried(None, taken, is_long)


def _has_contracts(program: Program) -> bool:
    return any(procedure.requires or procedure.ensures for procedure in program.procedures.values())


def _run(execution: Execution, choose: Scheduler) -> bool:
    """Whether the execution violates the property."""
    able, last = [MAIN], MAIN
    try:
        while able:
            last = choose(able, last)
            if execution.advance(last) is Moved.BLOCKED:  # until another one has done something
                able = [number for number in able if number != last and number < len(execution.threads)]
            else:
                able = [number for number, thread in enumerate(execution.threads) if not thread.has_ended]
    except AssertionFailed:
        return True
    except Over:
        pass
    return False
