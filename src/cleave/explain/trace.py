"""From a concrete run to the trace that a user reads.

call main()                         inc.bpl:3
  x := x + 1          x = 1         inc.bpl:4
  assert x < 1                      inc.bpl:5
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from cleave.explain.doubt import doubts
from cleave.explain.folding import compact
from cleave.explain.history import History, Place
from cleave.explain.infix import infix
from cleave.explain.message import said
from cleave.explain.selection import selected
from cleave.explain.slicing import dependence_slice
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Check,
    Clause,
    Havoc,
    Join,
    Location,
    Program,
    Self,
    Spawn,
)
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value, show
from cleave.validate.semantics.events import Event, Run, Violated
from cleave.verdict import Trace, TraceStep

__all__ = ["compact", "trace_of"]

_log = logging.getLogger(__name__)
_OWN = "__cleave_"  # functions of a library that programs do not call by their names
_INSIDE = re.compile(r", in \w+$")  # of a library's function, behind what is violated


def trace_of(
    program: Program,
    run: Run,
    inputs: Iterable[tuple[Term, Value]],
    threads: Sequence[int] = (),
    views: Sequence[Mapping[Term, Value]] = (),
) -> Trace:
    """The trace of a run that ended in a violation; ``inputs`` are the values that the run started from, ``threads``
    say whose each event is, if there are several, and ``views`` what they see, if that differs.

    Only the inputs that the violation depends on are shown, the nearest first; all, where it depends on very much.
    """
    assert isinstance(run.outcome, Violated)
    started = dict(inputs)
    history = History(program, run.events, started.items(), views)
    found = dependence_slice(program, history)
    shown = selected(run.events, found.distances, history.calls)
    steps = []
    for position, event in enumerate(run.events):
        values = _values(event, position, history, found.needed.get(position, ()))
        steps.append(_step(event, values, position in shown, run.outcome))
    needed = dict.fromkeys(found.inputs if found.complete else (*found.inputs, *started))
    initial = {one.name: show(started[one], one.sort) for one in needed if one in started}
    violated, check = _violated(run, run.outcome, history)
    location, inside = _blamed(run.events, run.outcome.location)
    trace = Trace(tuple(steps), violated + inside, location, initial, doubts(program, history), check)
    return _in_source(trace, program, history, found.distances, threads)


def _in_source(
    trace: Trace, program: Program, history: History, distances: Mapping[int, int], threads: Sequence[int]
) -> Trace:
    """With the lines of the source. That these can't be told changes no verdict."""
    if program.source is None:
        return trace
    try:
        from cleave.explain.c.lines import explained  # large, and of no use for other languages

        told = explained(program, history, distances, threads, trace.violated, trace.check)
    except Exception:
        _log.info("the trace can't be told in lines of the source", exc_info=True)
        return trace
    if told is None:
        return trace
    inside = "".join(_INSIDE.findall(trace.violated)[-1:])
    return replace(
        trace,
        violated=trace.violated if told.violated is None else told.violated + inside,
        reasons=told.reasons,
        lines=told.lines,
        brief=told.brief,
        threads=told.threads or {},
    )


def _blamed(events: Sequence[Event], location: Location | None) -> tuple[Location | None, str]:
    """Where the program goes wrong: what happens inside of a library is due to the call of it.

    A library is a file whose name begins with ``<``, which no file of a user does."""
    if not events or not _is_library(location):
        return location, ""
    callers = {event.other_frame: event for event in events if event.kind == "call"}
    frame = events[-1].frame
    while (call := callers.get(frame)) is not None and _is_library(call.location):
        frame = call.frame
    if call is None or call.location is None or not isinstance(call.subject, Call):
        return location, ""
    name = call.subject.procedure.split(".")[0]  # there may be copies of it
    return call.location, "" if name.startswith(_OWN) else f", in {name}"


def _is_library(location: Location | None) -> bool:
    return location is not None and location.file.startswith("<")


def _violated(run: Run, outcome: Violated, history: History) -> tuple[str, Check | None]:
    """What failed, and which check that is. A check that has a name says in its message what there is to say."""
    last = run.events[-1] if run.events else None
    subject = last.subject if last is not None and last.kind == "violation" else None
    if last is None or not isinstance(subject, Assert) or subject.check is None:
        return outcome.what if outcome.condition is None else f"{outcome.what}: {infix(outcome.condition)}", None
    return said(subject, lambda term: history.evaluate(term, last.frame, len(run.events) - 1)), subject.check


def _step(event: Event, values: dict[str, str], relevant: bool, outcome: Violated) -> TraceStep:
    text = _text(event, outcome)
    kind = "start" if event.kind == "call" and isinstance(event.subject, Spawn) else event.kind
    return TraceStep(kind, event.procedure, event.depth, event.location, text, values, relevant)


def _values(event: Event, position: int, history: History, needed: Collection[Term]) -> dict[str, str]:
    """The values that an event set, those first that are needed later; at a violation, those that the condition read.

    Of a map in which it set one element, that element.
    """
    if event.kind == "violation":
        return _values_read(event, position, history)
    computed: dict[Term, Term] = {}
    if isinstance(event.subject, Assign):
        computed.update(zip(event.subject.targets, event.subject.values, strict=True))
    found: dict[str, str] = {}
    for variable, value in sorted(event.values, key=lambda one: one[0] not in needed):
        index = None
        if variable in computed and _sets_element(variable, computed[variable]):
            index = history.evaluate(computed[variable].args[1], event.frame, position)
        name, text = _shown(history.place(event.frame, variable, () if index is None else (index,)), value)
        found[name] = text
    return found


def _values_read(event: Event, position: int, history: History) -> dict[str, str]:
    if not isinstance(event.subject, Assert | Clause):
        return {}
    frame = event.frame if event.other_frame < 0 else event.other_frame
    reads = history.reads(event.subject.condition, frame, position)
    known = ((place, history.value(place.whole, position)) for place in reads)
    return dict(_shown(place, value) for place, value in known if value is not None)


def _shown(place: Place, value: Value) -> tuple[str, str]:
    """The name and the value of a place, given the variable's value."""
    sort = place.variable.sort
    if not place.element or not isinstance(value, MapValue):
        return place.variable.name, show(value, sort)
    index = place.element[0]
    return f"{place.variable.name}[{show(index, sort.index)}]", show(value[index], sort.element)


def _sets_element(target: Term, value: Term) -> bool:
    return value.op is Op.STORE and value.args[0] is target


def _text(event: Event, outcome: Violated) -> str:
    match event.subject:
        case Assume():
            return f"assume {infix(event.subject.condition)}"
        case Assert():
            return f"assert {infix(event.subject.condition)}"
        case Clause():
            return f"{outcome.what}: {infix(event.subject.condition)}"
        case Assign():
            return _assign_text(event.subject)
        case Havoc():
            return f"havoc {_names(event.subject.targets)}"
        case Block():
            return f"block {event.subject.label}"
        case Call() if event.kind == "call":
            results = f"{_names(event.subject.results)} := " if event.subject.results else ""
            arguments = ", ".join(infix(argument) for argument in event.subject.arguments)
            return f"call {results}{event.subject.procedure}({arguments})"
        case Spawn() if event.kind == "call":
            arguments = ", ".join(infix(argument) for argument in event.subject.arguments)
            return f"start thread {event.subject.procedure}({arguments})"
        case Spawn(result=target) | Self(target=target) if target is not None:
            return f"{target.name} := number of {'this' if isinstance(event.subject, Self) else 'the new'} thread"
        case Join():
            return f"join thread {infix(event.subject.thread)}"
        case _:
            return {
                "call": f"call {event.procedure}({', '.join(variable.name for variable, _ in event.values)})",
                "return": f"return from {event.procedure}",
            }.get(event.kind, outcome.what)


def _assign_text(assign: Assign) -> str:
    """As in the source: ``m[i] := x`` for ``m := m[i := x]``."""
    left, right = [], []
    for target, value in zip(assign.targets, assign.values, strict=True):
        element = _sets_element(target, value)
        left.append(f"{target.name}[{infix(value.args[1])}]" if element else target.name)
        right.append(infix(value.args[2] if element else value))
    return f"{', '.join(left)} := {', '.join(right)}"


def _names(variables: Iterable[Term]) -> str:
    return ", ".join(variable.name for variable in variables)
