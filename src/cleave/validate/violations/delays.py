"""What a reader of a trace has to know about store buffers: which stores others saw late, or not at all.

line 5: data = 1 of thread 1 reaches memory after line 11 of thread 2
line 4: x = 1 of thread 1 has not reached memory
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cleave.ir.program import Location
from cleave.logic.sorts import Sort
from cleave.logic.values import Value, show
from cleave.validate.semantics.buffers import Store
from cleave.validate.semantics.events import Event
from cleave.validate.semantics.machine import Machine
from cleave.verdict import TraceStep

Happened = Sequence[tuple[int, Event]]
_MOST = 8  # that are told
_STATEMENTS = ("assign", "havoc", "assume")


class Delays:
    """``told``: by context, the commits with which it begins and that others could notice."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], tuple[Location | None, int]] = {}  # by thread and step: where, after how much
        self.told: list[list[TraceStep]] = []

    def begin_context(self) -> None:
        self.told.append([])

    def note(self, number: int, machine: Machine, before: int) -> None:
        """A thread has taken a step; ``before``: how much had happened."""
        thread = machine.threads[number]
        if thread.waiting and thread.waiting[-1].step == thread.steps:
            place = machine.events[before][1].location if before < len(machine.events) else None
            self._made[number, thread.steps] = (place, len(machine.events))

    def commit(self, number: int, store: Store, happened: Happened) -> None:
        place, since = self._made.get((number, store.step), (None, len(happened)))
        others = [(t, event) for t, event in happened[since:] if t != number and event.kind in _STATEMENTS]
        if not others:
            return
        last = next(((t, e.location.line) for t, e in reversed(others) if e.location is not None), None)
        when = f" after line {last[1]} of thread {last[0]}" if last is not None else ""
        text = f"{_line(place)}{_values(store)} of thread {number} reaches memory{when}"
        self.told[-1].append(TraceStep("context", "", 0, place, text, {}, True, number))

    def reasons(self, machine: Machine) -> list[str]:
        """When the violation has happened."""
        told = [step.text for own in self.told for step in own]
        return [*told, *self._waiting(machine)][:_MOST]

    def _waiting(self, machine: Machine) -> Iterator[str]:
        violating = machine.events[-1][0]
        for number, thread in enumerate(machine.threads):
            for store in thread.waiting:
                if number != violating and not store.is_fence:
                    place = self._made.get((number, store.step), (None, 0))[0]
                    yield f"{_line(place)}{_values(store)} of thread {number} has not reached memory"


def _line(place: Location | None) -> str:
    return "" if place is None else f"line {place.line}: "


def _values(store: Store) -> str:
    parts = []
    for variable, index, value in store.written:
        sort = variable.sort if index is None else variable.sort.element
        at = "" if index is None else f"[{_shown(index, variable.sort.index)}]"
        parts.append(f"{variable.name}{at} = {_shown(value, sort)}")
    return ", ".join(parts)


def _shown(value: Value, sort: Sort) -> str:
    """Bits as a number with a sign."""
    if sort.is_bitvec and isinstance(value, int):
        return str(value - (1 << sort.width) if value >> (sort.width - 1) and sort.width > 1 else value)
    return show(value, sort)
