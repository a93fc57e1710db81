"""What a run wrote and when, so that any earlier state can be asked for.

0 call main()     1 x := 1     2 m := m[x := 5]     3 assume m[1] == 5

last_write(x, before=3) = 1          evaluate(x + 1, before=3) = 2          reads(m[1] == 5) = {m at element 1}
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cleave.ir.program import Program, is_old
from cleave.logic.terms import Op, Term, var
from cleave.logic.values import MapValue, Value
from cleave.logic.walk import free_variables, functions, has_quantifier
from cleave.validate.semantics.evaluate import UNDETERMINED, World, evaluate
from cleave.validate.semantics.events import Event

_SHARED = -1


class Place(NamedTuple):
    """A variable of one activation (of none: a global or constant), or, where ``element`` is known, that of a map."""

    frame: int
    variable: Term
    element: tuple[Value, ...] = ()  # one index or none

    @property
    def whole(self) -> Place:
        return Place(self.frame, self.variable)

    def touches(self, other: Place) -> bool:
        same = self.whole == other.whole
        return same and (not self.element or not other.element or self.element == other.element)


class History:
    """``views``, where threads see shared variables differently: what the thread of each event sees after it."""

    def __init__(
        self,
        program: Program,
        events: Sequence[Event],
        inputs: Iterable[tuple[Term, Value]],
        views: Sequence[Mapping[Term, Value]] = (),
    ) -> None:
        self.events = events
        self._views = views
        self.calls: dict[int, int] = {}  # where each activation was called
        self._shared = {*program.globals, *program.constants}
        self._writes: dict[Place, list[int]] = {}
        self._values: dict[tuple[Place, int], Value] = {}
        for variable, value in inputs:
            self._values[self.place(0, variable), -1] = value
        for position, event in enumerate(events):
            self._note(position, event)

    def _note(self, position: int, event: Event) -> None:
        if event.kind == "call":
            self.calls[event.frame if event.subject is None else event.other_frame] = position
        if event.subject is None:
            return  # the entry's parameters are inputs, and its results are nobody's
        frame = event.other_frame if event.kind in ("call", "return") else event.frame
        for variable, value in event.values:
            place = self.place(frame, variable)
            self._writes.setdefault(place, []).append(position)
            self._values[place, position] = value

    def place(self, frame: int, variable: Term, element: tuple[Value, ...] = ()) -> Place:
        return Place(_SHARED if variable in self._shared else frame, variable, element)

    def before_entry(self, place: Place, before: int) -> tuple[Place, int]:
        """Where an old value really is: in the global, when its activation was called."""
        if not is_old(place.variable):
            return place, before
        variable = var(place.variable.name[len("old(") : -1], place.variable.sort)
        return Place(_SHARED, variable, place.element), self.calls[place.frame]

    def last_write(self, place: Place, before: int) -> int | None:
        """The last event before position ``before`` that wrote the variable."""
        writes = self._writes.get(place.whole, ())
        index = bisect_left(writes, before)
        return writes[index - 1] if index else None

    def next_write(self, place: Place, position: int) -> int:
        """The first event from position ``position`` on that wrote the variable; else the end."""
        writes = self._writes.get(place.whole, ())
        index = bisect_left(writes, position)
        return writes[index] if index < len(writes) else len(self.events)

    def value(self, place: Place, before: int) -> Value | None:
        """The value of a variable, or of the element, just before position ``before``; None where it is not known."""
        where, when = self.before_entry(place, before)
        if self._views and when and where.frame == _SHARED:
            value = self._views[when - 1].get(where.variable)
        else:
            written = self.last_write(where, when)
            value = self._values.get((where.whole, -1 if written is None else written))
        return value[place.element[0]] if isinstance(value, MapValue) and place.element else value

    def evaluate(self, term: Term, frame: int, before: int) -> Value | None:
        """The value of ``term`` just before position ``before``; None where that was not recorded."""
        if has_quantifier(term) or functions(term):
            return None

        def lookup(variable: Term) -> Value:
            value = self.value(self.place(frame, variable), before)
            if value is None:
                raise KeyError(variable)
            return value

        try:
            value = evaluate(term, lookup, World(divide_by_zero=_not_recorded))
        except KeyError:
            return None
        return None if value is UNDETERMINED else value

    def reads(self, term: Term, frame: int, before: int) -> dict[Place, bool]:
        """What ``term`` reads; of a map that is only selected from, the elements. True: only to find an element."""
        found: dict[Place, bool] = {}
        stack, seen = [(term, False)], {(term, False)}
        while stack:
            node, is_index = stack.pop()
            below = [(one, is_index) for one in node.args]
            places = []
            if node.op is Op.VAR:
                places = [self.place(frame, node)]
            elif node.op is Op.SELECT and node.args[0].op is Op.VAR:
                index = self.evaluate(node.args[1], frame, before)
                places = [self.place(frame, node.args[0], () if index is None else (index,))]
                below = [(node.args[1], True)]
            elif node.op in (Op.FORALL, Op.EXISTS):
                places = [self.place(frame, one) for one in sorted_by_name(free_variables(node))]
                below = []
            found.update((place, is_index and found.get(place, True)) for place in places)
            stack.extend(one for one in reversed(below) if one not in seen)
            seen.update(below)
        return found


def sorted_by_name(variables: Iterable[Term]) -> list[Term]:
    return sorted(variables, key=lambda variable: variable.name)


def _not_recorded(_op: Op, _dividend: Value) -> Value:
    raise KeyError
