"""From a concrete run to the trace that a user reads.

call main()                         inc.bpl:3
  x := x + 1          x = 1         inc.bpl:4
  assert x < 1                      inc.bpl:5
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cleave.ir.program import Assert, Assign, Assume, Block, Call, Clause, Havoc, Program
from cleave.logic.terms import Term
from cleave.validate.events import Event, Run, Violated
from cleave.validate.infix import infix
from cleave.validate.slicing import relevant_steps
from cleave.validate.values import Value, show
from cleave.verdict import Trace, TraceStep


def trace_of(program: Program, run: Run, inputs: Iterable[tuple[Term, Value]]) -> Trace:
    """The trace of a run that ended in a violation; ``inputs`` are the values that the run started from.

    Only the inputs that the violation depends on are shown.
    """
    assert isinstance(run.outcome, Violated)
    marks, needed = relevant_steps(program, run.events)
    steps = [_step(event, mark, run.outcome) for event, mark in zip(run.events, marks, strict=True)]
    started = {variable.name: show(value, variable.sort) for variable, value in inputs if variable in needed}
    condition = run.outcome.condition
    violated = run.outcome.what if condition is None else f"{run.outcome.what}: {infix(condition)}"
    return Trace(tuple(steps), violated, run.outcome.location, started)


def compact(trace: Trace) -> Trace:
    """Only calls, returns that give values, steps that the violation depends on, and the violation."""
    return replace(trace, steps=tuple(step for step in trace.steps if step.relevant))


def _step(event: Event, relevant: bool, outcome: Violated) -> TraceStep:
    values = {variable.name: show(value, variable.sort) for variable, value in event.values}
    text = _text(event, outcome)
    return TraceStep(event.kind, event.procedure, event.depth, event.location, text, values, relevant)


def _text(event: Event, outcome: Violated) -> str:
    match event.subject:
        case Assume():
            return f"assume {infix(event.subject.condition)}"
        case Assert():
            return f"assert {infix(event.subject.condition)}"
        case Clause():
            return f"{outcome.what}: {infix(event.subject.condition)}"
        case Assign():
            return f"{_names(event.subject.targets)} := {', '.join(infix(value) for value in event.subject.values)}"
        case Havoc():
            return f"havoc {_names(event.subject.targets)}"
        case Block():
            return f"block {event.subject.label}"
        case Call() if event.kind == "call":
            results = f"{_names(event.subject.results)} := " if event.subject.results else ""
            arguments = ", ".join(infix(argument) for argument in event.subject.arguments)
            return f"call {results}{event.subject.procedure}({arguments})"
        case _:
            return {
                "call": f"call {event.procedure}({', '.join(variable.name for variable, _ in event.values)})",
                "return": f"return from {event.procedure}",
            }.get(event.kind, outcome.what)


def _names(variables: Iterable[Term]) -> str:
    return ", ".join(variable.name for variable in variables)
