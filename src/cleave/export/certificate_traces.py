"""The schedule of a trace, with the exact number of steps that each context takes, counted by the checker's machine."""

from __future__ import annotations

from typing import Any

from cleave_check.machine import Blocked, Finished, Machine, Violated
from cleave_check.program import Program
from cleave_check.replay import MOST_STEPS, Script


def exact_trace(program: Program, evidence: dict[str, Any]) -> dict[str, Any]:
    """Where an engine's schedule lets a thread run until it is blocked, or ends, the steps that it takes are counted.
    What does not lead to a violation is left for the checker to refuse."""
    script = Script(program, evidence)
    schedule: list[list[int]] = []
    try:
        machine = Machine(program, evidence["entry"], script)
        for thread, most in evidence["schedule"]:
            schedule.append([thread, 0])
            _context(machine, schedule[-1], most)
    except (Violated, Finished, Blocked):
        pass
    kept = [context for context in schedule if context[1]]
    return {**evidence, "schedule": kept}


def _context(machine: Machine, context: list[int], most: int) -> None:
    thread = context[0]
    for _ in range(min(most, MOST_STEPS)):
        context[1] += 1
        try:
            machine.step(thread)
        except Blocked:
            context[1] -= 1
            return
        if machine.threads[thread].has_ended:
            return
