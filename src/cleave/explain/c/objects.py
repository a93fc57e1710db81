"""The objects of an execution: which there were, where each lay, and when it came and went.

int *p = malloc(8);  …  free(p);        Block(malloc, at 0x2000, 8 bytes, made at event 7, ended at event 19)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from cleave.explain.history import History
from cleave.ir.program import Assign
from cleave.ir.source import Source, Variable
from cleave.logic.terms import Op, Term
from cleave.logic.values import MapValue, Value
from cleave.records import dataclass
from cleave.validate.semantics.events import Event

_ALLOCATED = "allocated"  # how the front end calls the address that memory gets when it is made


@dataclass(slots=True, eq=False)
class Block:
    """An object while it lives. ``made`` and ``ended`` are events; -1: it was there from the start."""

    variable: Variable
    base: int
    size: int | None
    made: int = -1
    ended: int | None = None
    number: int = 1  # among those that were made at the same place

    def is_alive(self, position: int) -> bool:
        return self.made <= position and (self.ended is None or position <= self.ended)


class Objects:
    def __init__(self, source: Source, history: History) -> None:
        self._source = source
        self._history = history
        self._blocks: dict[int, list[Block]] = {}
        for variable in source.variables:
            if variable.address is not None:
                self._blocks[variable.address] = [Block(variable, variable.address, variable.size)]
        self._made: dict[Variable, int] = {}
        for position, event in enumerate(history.events):
            if isinstance(event.subject, Assign):
                self._step(position, event, event.subject)
        self._bases = sorted(self._blocks)

    def starting_at(self, base: int, position: int) -> Block | None:
        """The one that starts there, or the last one that did."""
        found = [block for block in self._blocks.get(base, ()) if block.made <= position]
        return found[-1] if found else None

    def around(self, address: int, position: int) -> Block | None:
        """The one that an address is in, or just behind."""
        index = bisect_right(self._bases, address)
        block = self.starting_at(self._bases[index - 1], position) if index else None
        if block is None or (block.size is not None and address > block.base + block.size):
            return None
        return block

    def all(self) -> Iterator[Block]:
        for blocks in self._blocks.values():
            yield from blocks

    # --- when they come and go --------------------------------------------------------------------------------------

    def _step(self, position: int, event: Event, assign: Assign) -> None:
        values = dict(event.values)
        for target, value in zip(assign.targets, assign.values, strict=True):
            if target.name in self._source.extents:
                self._resized(position, event, target, value, values[target])
            elif target.name.split(".")[0] == _ALLOCATED and isinstance(address := values[target], int):
                self._allocated(position, event, int(address))

    def _resized(self, position: int, event: Event, target: Term, value: Term, after: Value) -> None:
        address = self._source.extents[target.name]
        if address is not None:
            if isinstance(after, int):
                self._lives(position, event, address, int(after))
            return
        for index in stored(self._history, value, event.frame, position):
            extent = after[index] if isinstance(after, MapValue) else None
            if isinstance(index, int) and isinstance(extent, int):
                self._lives(position, event, int(index), int(extent))

    def _lives(self, position: int, event: Event, base: int, extent: int) -> None:
        known = self._blocks.get(base)
        last = known[-1] if known else None
        if extent:
            if last is None or last.ended is not None:
                self._allocated(position, event, base)
                last = self._blocks[base][-1] if base in self._blocks else None
            if last is not None:
                last.size = extent - 1
                last.made = position if last.made < 0 and last.variable.kind == "heap" else last.made
        elif last is not None and last.ended is None and (last.made >= 0 or position > self._source.prologue + 2):
            last.ended = position

    def _allocated(self, position: int, event: Event, base: int) -> None:
        made = self._source.sites.get((event.procedure, event.location)) if event.location is not None else None
        last = self._blocks.get(base, [None])[-1]
        variable = made[0] if made else last.variable if last is not None else None
        if variable is None or (last is not None and last.ended is None and last.made >= 0):
            return
        self._made[variable] = self._made.get(variable, 0) + 1
        block = Block(variable, base, variable.size, position, number=self._made[variable])
        self._blocks.setdefault(base, []).append(block)


def stored(history: History, value: Term, frame: int, position: int) -> list[Value]:
    """The indices at which an assigned map may differ from before, as far as that is known."""
    found: list[Value] = []
    while True:
        if value.op is Op.STORE:
            index = history.evaluate(value.args[1], frame, position)
            if index is not None:
                found.append(index)
            value = value.args[0]
        elif value.op is Op.ITE:
            condition = history.evaluate(value.args[0], frame, position)
            if condition is None:
                return found
            value = value.args[1 if condition else 2]
        else:
            return found
