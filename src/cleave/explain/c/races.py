"""The other access of a data race.

data race on n: written here …          at line 16, thread 2 is about to read n
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from cleave.explain.c.paths import leaf
from cleave.explain.c.rows import Row, Rows
from cleave.explain.c.state import State, named
from cleave.explain.history import History
from cleave.ir.program import Assign
from cleave.ir.source import Array
from cleave.logic.values import MapValue, Value
from cleave.validate.semantics.events import Event

_ANNOUNCED = re.compile(r"(?P<what>.+)\.(?P<how>writing|reading)(?:\.\d+)?")  # by who is about to access it
_DOES = {"writing": "write", "reading": "read"}


def raced(state: State, history: History, row: Row, words: Collection[str]) -> str | None:
    """What the last row accesses, as the source calls it: it looks whether somebody has announced an access of that."""
    assigns = [one for one in row.events if isinstance(history.events[one].subject, Assign)]
    if not assigns:
        return None
    position = assigns[-1]
    event = history.events[position]
    assert isinstance(event.subject, Assign)
    found: dict[str, None] = {}
    for value in event.subject.values:
        for place in history.reads(value, event.frame, position):
            mark = _ANNOUNCED.fullmatch(place.variable.name)
            if mark is not None and place.element and isinstance(place.element[0], int):
                found.setdefault(_at(state, int(place.element[0]), row, position, words) or mark["what"])
            elif mark is not None and not place.variable.sort.is_array:
                found.update(dict.fromkeys(_announced(state, mark["what"], True, row, position, words)))
    return ", ".join(found) or None


def rivals(state: State, events: Sequence[Event], rows: Rows, thread: int) -> Iterator[str]:
    """What the other threads have announced when the execution ends."""
    last: dict[int, tuple[Row, Event]] = {}
    for position, row in rows.of_event.items():
        if row.thread != thread:
            last[row.thread] = (row, events[position])
    for other, (row, event) in sorted(last.items()):
        seen: set[str] = set()
        for variable, value in event.values if isinstance(event.subject, Assign) else ():
            found = _ANNOUNCED.fullmatch(variable.name)
            if found is None:
                continue
            for what in _announced(state, found["what"], value, row, len(events), ()):
                if what not in seen:
                    yield f"at line {row.location.line}, thread {other} is about to {_DOES[found['how']]} {what}"
                seen.add(what)


def _announced(state: State, cell: str, value: Value, row: Row, now: int, words: Collection[str]) -> Iterator[str]:
    """The names of what is set in a mark, which is a bit, or one for each address."""
    if isinstance(value, MapValue):
        for address, bit in value.entries.items():
            if bit and isinstance(address, int):
                yield _at(state, int(address), row, now, words) or cell.split("+")[0]
    elif value:
        known = state.source.cells.get(("", cell))
        variable = known[2] if known is not None else None
        if known is not None and variable is not None and variable.address is not None:
            yield _at(state, variable.address + known[0].start, row, now, words) or variable.name
        else:
            yield cell.split("+")[0]


def _at(state: State, address: int, row: Row, now: int, words: Collection[str]) -> str | None:
    block = state.objects.around(address, now)
    if block is None:
        return None
    name, type, start, by_pointer = state.name(block, row.frame, now, words)
    if type is None:
        return name
    part = leaf(Array(type, 0) if by_pointer else type, address - block.base - start)
    return named(name, part, by_pointer)
