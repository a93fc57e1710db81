"""The rows of a trace that a compact trace shows.

A loop is shown by one iteration of each way through it. If that is still more than a screen, rows are chosen by how
near they are to the violation (see `explain.slicing`), each with the calls that lead to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from cleave.explain.c.repeats import Item, Repeated, folded, shortened
from cleave.explain.c.rows import Row
from cleave.explain.folding import SKIPPED
from cleave.validate.semantics.events import Event
from cleave.verdict import TraceStep

SCREEN = 40  # lines
_VALUES = 6  # that are shown of iterations that are left out


def chosen(rows: Sequence[Row], events: Sequence[Event], distance: Callable[[Row], int]) -> list[Item]:
    """The rows to show, and notes on iterations that are left out."""
    items = folded(rows)
    if len(items) > SCREEN:
        items = shortened(items)
    if len(items) <= SCREEN:
        return items

    def rank(item: Item) -> tuple[int, int]:
        row = item if isinstance(item, Row) else item.rows[0]
        return -1 if row.is_last else distance(row), -(row.events[-1] if row.events else 0)

    callers = _callers(items, events)
    kept: set[Item] = set()
    for item in sorted(items, key=rank):
        missing = {item, *_chain(item, callers)} - kept
        if len(kept) + len(missing) <= SCREEN:
            kept |= missing
    return [item for item in items if item in kept]


def _callers(items: Sequence[Item], events: Sequence[Event]) -> dict[int, Row]:
    """The rows that called each activation."""
    return {events[call].other_frame: row for row in items if isinstance(row, Row) for call in row.calls}


def _chain(item: Item, callers: Mapping[int, Row]) -> list[Row]:
    found: list[Row] = []
    frame = item.frame if isinstance(item, Row) else item.loop[0]
    while frame in callers and callers[frame] not in found:
        found.append(callers[frame])
        frame = callers[frame].frame
    return found


def told(items: Sequence[Item], steps: Mapping[Row, TraceStep], shared: Collection[str]) -> list[TraceStep]:
    """The steps of chosen rows; ``shared`` are the names of variables that functions share."""
    return _merged([steps[item] if isinstance(item, Row) else _left_out(item, steps, shared) for item in items])


def _left_out(item: Repeated, steps: Mapping[Row, TraceStep], shared: Collection[str]) -> TraceStep:
    """A note on iterations, with what the last of them has set."""
    values: dict[str, str] = {}
    for row in item.ending:
        for name, value in steps[row].values.items():
            if row.depth == item.depth or name in shared:
                values.pop(name, None)
                values[name] = value
    first = item.last - item.count + 1
    which = f"iterations {first} to {item.last}" if item.count > 1 else f"iteration {first}"
    procedure = steps[item.rows[-1]].procedure
    final = dict(list(values.items())[-_VALUES:])
    return TraceStep(SKIPPED, procedure, item.depth, None, f"… {which}", final, True, item.thread)


def _merged(steps: Sequence[TraceStep]) -> list[TraceStep]:
    """A line that a call interrupted, if nothing of the call is shown, is one line again."""
    found = list(steps[:1])
    for before, step in pairwise(steps):
        same = (before.location, before.depth, before.thread) == (step.location, step.depth, step.thread)
        if same and before.kind == "call" and found[-1] is before and step.text == before.text:
            note = "; ".join(filter(None, (before.note, step.note)))
            found[-1] = replace(step, values={**before.values, **step.values}, note=note)
        else:
            found.append(step)
    return found
