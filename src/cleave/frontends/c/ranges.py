"""Copies and fills as statements over the variables of cells.

    memset(a, 0, sizeof a)          a := [else 0]                where a is the only object of its region

Long ranges, and ranges whose length is known only when they run, become loops over their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from cleave.frontends.c import bits
from cleave.frontends.c import llvm as l
from cleave.frontends.c.body import Body, Registers
from cleave.frontends.c.cells import Cell, Memory
from cleave.frontends.c.context import Context
from cleave.frontends.c.memory import MemoryAccess, value_of
from cleave.frontends.c.offsets import Offset
from cleave.frontends.c.writes import Writes
from cleave.ir.program import Assign, Assume
from cleave.logic.terms import Op, Term, bv, const_array, neg
from cleave.logic.walk import free_variables

_UNROLLED = 64  # pieces of a range that are written one by one; longer ones become loops


class RangeAccess:
    """The copies and fills of one function."""

    def __init__(self, context: Context, memory: MemoryAccess, body: Body, registers: Registers) -> None:
        self._context = context
        self._memory = memory
        self._body = body
        self._registers = registers

    def fill(self, pointer: l.Value, address: Term, byte: Term, size: Term, *, is_new: bool = False) -> None:
        """``is_new``: no other thread can know the memory yet."""
        memory, offset = self._memory.place(pointer)
        if size.is_value:
            if self._fill_whole(memory, offset, byte, size.value):
                return
            pieces = memory.pieces(offset[0], size.value) if not _is_long(memory, size.value) else None
            if pieces is not None and len(pieces) <= _UNROLLED:
                self._fill_pieces(pieces, address, byte, is_new)
                return
        period = memory.pieces(offset[0], memory.stride)
        address, byte, size = self._stable(address), self._stable(byte), self._stable(size)
        self._loop(size, memory.stride, lambda index: self._fill_pieces(period, bits.add(address, index), byte, is_new))

    def _fill_whole(self, memory: Memory, offset: Offset, byte: Term, size: int) -> bool:
        """An array that is all of its region is set at once."""
        data = [made for made in memory.region.objects if made.kind != "function"]
        if not memory.single or not memory.stride or offset != (0, 0) or self._memory.watches_races:
            return False
        whole = self._context.storage.size(data[0])
        if whole is None or size < whole:
            return False
        writes = Writes()
        for cell in memory.cells.values():
            if cell.variable is not None:
                element = bits.joined([byte] * cell.size)
                writes.values[cell.variable] = const_array(self._context.pointer, element)
        self._memory.write(writes)
        return True

    def _fill_pieces(self, pieces: list[tuple[Cell, int]], address: Term, byte: Term, is_new: bool) -> None:
        writes = Writes()
        for cell, distance in pieces:
            writes.add(cell, bits.plus(address, distance), bits.joined([byte] * cell.size))
            if self._context.has_threads:  # others may come in between
                self._memory.write(writes, is_new=is_new)
                writes = Writes()
        self._memory.write(writes, is_new=is_new)

    def copy(self, to: l.Value, to_address: Term, source: l.Value, source_address: Term, size: Term) -> None:
        target, target_offset = self._memory.place(to)
        origin, origin_offset = self._memory.place(source)

        def pairs(length: int) -> list[tuple[Cell, Cell, int]]:
            there = {distance: cell for cell, distance in origin.pieces(origin_offset[0], length)}
            here = target.pieces(target_offset[0], length)
            return [(cell, there[distance], distance) for cell, distance in here if distance in there]

        if size.is_value and not _is_long(target, size.value) and not _is_long(origin, size.value):
            self._copy_pairs(pairs(size.value), to_address, source_address, {})
            return
        step = lcm(target.stride or 1, origin.stride or 1)
        period = pairs(step)
        saved = self._saved(period)
        to_address, source_address, size = (self._stable(t) for t in (to_address, source_address, size))
        self._loop(
            size,
            step,
            lambda index: self._copy_pairs(period, bits.add(to_address, index), bits.add(source_address, index), saved),
        )

    def _saved(self, pairs: list[tuple[Cell, Cell, int]]) -> dict[Cell, Term]:
        """The arrays as they are before a loop that reads and writes them: ranges may overlap."""
        saved: dict[Cell, Term] = {}
        written = {to for to, _, _ in pairs}
        for _, source, _ in pairs:
            if source in written and source.variable is not None and source not in saved:
                saved[source] = self._body.local(f"{source.variable.name}.before", source.variable.sort)
                self._body.emit(Assign((saved[source],), (source.variable,), self._body.location))
        return saved

    def _copy_pairs(self, pairs: list[tuple[Cell, Cell, int]], to: Term, source: Term, saved: dict[Cell, Term]) -> None:
        if self._context.has_threads:
            self._copy_slowly(pairs, to, source, saved)
            return
        writes = Writes()
        for cell, origin, distance in pairs:
            if cell.variable is not None:
                value = value_of(origin, bits.plus(source, distance), saved.get(origin))
                writes.add(cell, bits.plus(to, distance), value)
        self._memory.write(writes)

    def _copy_slowly(
        self, pairs: list[tuple[Cell, Cell, int]], to: Term, source: Term, saved: dict[Cell, Term]
    ) -> None:
        """One access a statement, all reads first: other threads may come in between."""
        read: list[tuple[Cell, int, Term]] = []
        for cell, origin, distance in pairs:
            if cell.variable is not None or self._memory.watches_races:
                value = self._memory.now(origin, bits.plus(source, distance), saved.get(origin))
                read.append((cell, distance, value))
        for cell, distance, value in read:
            writes = Writes()
            writes.add(cell, bits.plus(to, distance), value)
            self._memory.write(writes)

    def _stable(self, term: Term) -> Term:
        """The value that ``term`` has before a loop that may change what it depends on."""
        if not free_variables(term):
            return term
        kept = self._body.local("before", term.sort)
        self._body.emit(Assign((kept,), (term,), self._body.location))
        return kept

    def _loop(self, size: Term, step: int, write: Callable[[Term], None]) -> None:
        """``for (index = 0; index < size; index += step) write(index)``"""
        body, location = self._body, self._body.location
        index = body.local("index", size.sort)
        head, inside, after = (body.labels.fresh(f"range.{part}") for part in ("head", "body", "end"))
        self._registers.before_change(lambda _: True)
        body.emit(Assign((index,), (bv(0, size.sort.width),), location))
        body.finish(head)
        body.start(head, location)
        body.finish(inside, after)
        below = bits.compare(Op.BV_ULT, index, size)
        body.start(inside, location)
        body.emit(Assume(below, location))
        write(index)
        body.emit(Assign((index,), (bits.plus(index, step),), location))
        body.finish(head)
        body.start(after, location)
        body.emit(Assume(neg(below), location))


def _is_long(memory: Memory, size: int) -> bool:
    if not memory.stride or size % memory.stride:
        return False
    return size // memory.stride * len(memory.cells) > _UNROLLED
