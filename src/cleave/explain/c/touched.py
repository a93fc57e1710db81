"""Which parts of which objects the events of a row wrote, and which they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.explain.c.objects import stored
from cleave.explain.c.rows import Row
from cleave.explain.c.state import Frame, State, Touched
from cleave.explain.history import History, Place
from cleave.ir.program import Assert, Assign, Assume, Call
from cleave.ir.source import Cell, Variable
from cleave.logic.terms import Term
from cleave.logic.values import Value

_LIBRARY = "<"  # begins the names of its files


class Accesses:
    def __init__(self, state: State, history: History, frames: dict[int, Frame]) -> None:
        self._state = state
        self._history = history
        self._frames = frames
        self._cells = state.source.cells

    def written(self, row: Row) -> Iterator[Touched]:
        for position in row.events:
            event = self._history.events[position]
            if event.kind == "return" and isinstance(event.subject, Call):
                for variable, _ in event.values:
                    yield from self._whole(variable, event.other_frame, row)
            elif isinstance(event.subject, Assign):
                for target, value in zip(event.subject.targets, event.subject.values, strict=True):
                    yield from self._assigned(target, value, event.frame, position, row)

    def _assigned(self, target: Term, value: Term, frame: int, position: int, row: Row) -> Iterator[Touched]:
        if not target.sort.is_array:
            yield from self._whole(target, frame, row)
            return
        found = self._cell(target, frame, row)
        if found is not None:
            for index in stored(self._history, value, frame, position):
                yield from self._at(index, found[0], position)

    def _whole(self, variable: Term, frame: int, row: Row) -> Iterator[Touched]:
        found = self._cell(variable, frame, row)
        if found is not None and found[1] is not None and found[1].address is not None:
            block = self._state.objects.starting_at(found[1].address, row.events[-1])
            if block is not None:
                yield Touched(block, found[0].start, found[0].size)

    def _at(self, index: Value, cell: Cell, position: int) -> Iterator[Touched]:
        if isinstance(index, int):
            block = self._state.objects.around(int(index), position)
            if block is None or _is_librarys(block.variable) or not block.is_alive(position):
                return
            offset = int(index) - block.base
            if block.size is None or offset + cell.size <= block.size:
                yield Touched(block, offset, cell.size)

    def read(self, row: Row) -> Iterator[Touched]:
        """The last first: they are nearest to what the row ends with."""
        for position in reversed(row.events):
            event = self._history.events[position]
            if event.frame != row.frame:
                continue
            for term in _terms(event.subject):
                for place in self._history.reads(term, event.frame, position):
                    yield from self._place(place, row, position)

    def _place(self, place: Place, row: Row, position: int) -> Iterator[Touched]:
        if place.element:
            found = self._cell(place.variable, row.frame, row)
            if found is not None:
                yield from self._at(place.element[0], found[0], position)
        elif not place.variable.sort.is_array:
            yield from self._whole(place.variable, row.frame, row)

    def _cell(self, variable: Term, frame: int, row: Row) -> tuple[Cell, Variable | None] | None:
        """Of what the user has a name for."""
        found = self._cells.get(("", variable.name))
        if found is None and frame == row.frame:
            found = self._cells.get((self._frames[frame].procedure, variable.name))
        if found is None or (found[2] is not None and (not found[2].name or _is_librarys(found[2]))):
            return None
        return found[0], found[2]


def _is_librarys(variable: Variable) -> bool:
    place = variable.location
    return place is not None and place.file.startswith(_LIBRARY)


def _terms(subject: object) -> Iterable[Term]:
    match subject:
        case Assign(values=values):
            return values
        case Assume(condition=condition) | Assert(condition=condition):
            return (condition,)
        case Call(arguments=arguments):
            return arguments
        case _:
            return ()
