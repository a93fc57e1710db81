"""The steps of a run that its violation depends on: a backward walk over the events.

    x := 1        y := 2        z := x        assert z < 1         depends on:  x := 1, z := x

A variable is needed when the violated condition reads it, or a needed variable was computed from it, or an assume that
reads a needed variable reads it, too (assumes are the program's branches). While nothing is needed, as before
``assert false``, the nearest assume is taken for the reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.ir.program import Assert, Assign, Assume, Call, Clause, Procedure, Program, is_old
from cleave.logic.terms import Term, var
from cleave.logic.walk import free_variables
from cleave.validate.events import Event

_SHARED = -1


def relevant_steps(program: Program, events: Sequence[Event]) -> tuple[list[bool], set[Term]]:
    """For each event whether the violation depends on it; and the inputs (globals, constants, parameters) it needs."""
    slicer = _Slicer(program)
    marks = [slicer.visit(event) for event in reversed(events)]
    return marks[::-1], {variable for _, variable in slicer.needed}


class _Slicer:
    def __init__(self, program: Program) -> None:
        self.procedures = program.procedures
        self.shared = {*program.globals, *program.constants}
        self.needed: set[tuple[int, Term]] = set()

    def visit(self, event: Event) -> bool:
        """Goes back over one event; whether it matters to what comes after it."""
        match event.kind, event.subject:
            case "violation", Assert() | Clause() as failed:
                frame = event.frame if event.other_frame < 0 else event.other_frame
                self._need(frame, failed.condition)
                return True
            case "assume", Assume(condition=condition):
                return self._assume(event, condition)
            case "assign", Assign() as assign:
                pairs = list(zip(assign.targets, assign.values, strict=True))
                return self._set(event.frame, event.frame, pairs)
            case "call", Call() as call:
                self._call(event, self.procedures[call.procedure], call.arguments)
            case "call", _:
                self._call(event, self.procedures[event.procedure], ())
            case "return", Call() as call:
                returns = self.procedures[call.procedure].returns
                self._set(event.other_frame, event.frame, list(zip(call.results, returns, strict=True)))
                for variable, _ in event.values:
                    self.needed.discard(self._key(event.other_frame, variable))
                return bool(event.values)
            case "return", _:
                return bool(event.values)
            case "havoc", _:
                keys = {self._key(event.frame, variable) for variable, _ in event.values}
                matters = bool(keys & self.needed)
                self.needed -= keys
                return matters
        return event.kind != "block"

    def _assume(self, event: Event, condition: Term) -> bool:
        reads = {self._key(event.frame, variable) for variable in free_variables(condition)}
        matters = bool(reads) and (not self.needed or bool(reads & self.needed))
        if matters:
            self.needed |= reads
        return matters

    def _set(self, writer: int, reader: int, pairs: Sequence[tuple[Term, Term]]) -> bool:
        """Targets of frame ``writer`` get values that frame ``reader`` computes."""
        hit = [(self._key(writer, target), value) for target, value in pairs]
        hit = [(key, value) for key, value in hit if key in self.needed]
        self.needed.difference_update(key for key, _ in hit)
        for _, value in hit:
            self._need(reader, value)
        return bool(hit)

    def _call(self, event: Event, callee: Procedure, arguments: Sequence[Term]) -> None:
        inner = event.frame if event.subject is None else event.other_frame
        if event.subject is not None:
            self._set(inner, event.frame, list(zip(callee.parameters, arguments, strict=True)))
        for key in [key for key in self.needed if key[0] == inner and is_old(key[1])]:
            self.needed.remove(key)
            self.needed.add((_SHARED, var(key[1].name[len("old(") : -1], key[1].sort)))

    def _need(self, frame: int, term: Term) -> None:
        self.needed |= {self._key(frame, variable) for variable in free_variables(term)}

    def _key(self, frame: int, variable: Term) -> tuple[int, Term]:
        return (_SHARED if variable in self.shared else frame), variable
