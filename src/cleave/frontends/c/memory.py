"""Loads, stores, copies and fills as statements over the variables of cells.

    store i32 %v, ptr %p            heap+8 := heap+8[p + 8 := v], or x := v if p can only point to x
    memset(a, 0, sizeof a)          a := [else 0]                where a is the only object of its region

Long ranges, and ranges whose length is known only when they run, become loops over their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from cleave.frontends.c import bits
from cleave.frontends.c import llvm as l
from cleave.frontends.c.body import Body, Registers, Terms
from cleave.frontends.c.cells import Cell, Memory
from cleave.frontends.c.context import Context
from cleave.frontends.c.offsets import Offset
from cleave.frontends.c.points_to import Object
from cleave.frontends.c.writes import Writes
from cleave.ir.program import Assign, Assume, Havoc, Self
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import Op, Term, bv, const_array, neg, select, store
from cleave.logic.walk import free_variables

_THREAD_BITS = 8  # of an address, for the thread that allocated it; the highest bit stays 0
_UNROLLED = 64  # pieces of a range that are written one by one; longer ones become loops


class MemoryAccess:
    """The memory statements of one function."""

    def __init__(self, context: Context, function: str, body: Body, registers: Registers) -> None:
        self._context = context
        self._function = function
        self._body = body
        self._registers = registers

    # --- single values ----------------------------------------------------------------------------------------------

    def load(self, type: l.Type, pointer: l.Value, address: Term) -> Terms:
        memory, offset = self._place(pointer)
        loaded = []
        for inner, leaf in self._context.layout.leaves(type):
            sort = self._context.sort(leaf, self._body.location)
            size = self._context.layout.stored(leaf)
            raw = self._read(memory, offset[0] + inner, size, bits.plus(address, inner))
            loaded.append(bits.truncated(raw, 1 if sort is BOOL else sort.width))
        return tuple(loaded)

    def store(
        self, type: l.Type, values: Terms, pointer: l.Value, address: Term, also: dict[Term, Term] | None = None
    ) -> None:
        """``also``: variables that get a value in the same step."""
        memory, offset = self._place(pointer)
        writes = Writes()
        writes.values |= also or {}
        for (inner, leaf), value in zip(self._context.layout.leaves(type), values, strict=True):
            size = self._context.layout.stored(leaf)
            raw = bits.zero_extended(value, 8 * size)
            for cell, distance in memory.pieces(offset[0] + inner, size):
                piece = bits.part(raw, 8 * (distance + cell.size) - 1, 8 * distance)
                writes.add(cell, bits.plus(address, inner + distance), piece)
        self._write(writes)

    def scan(self, pointer: l.Value, address: Term, size: int) -> None:
        """Any value for ``size`` bytes: input."""
        memory, offset = self._place(pointer)
        writes = Writes()
        for cell, distance in memory.pieces(offset[0], size):
            if cell.variable is not None:
                writes.add(cell, bits.plus(address, distance), self._body.any("input", bitvec(8 * cell.size)))
        self._write(writes)

    def _place(self, pointer: l.Value) -> tuple[Memory, Offset]:
        region, offset = self._context.finder.place(self._function, pointer)
        return self._context.memories.of(region), offset

    def _read(self, memory: Memory, start: int, size: int, address: Term) -> Term:
        parts = [_value(cell, bits.plus(address, distance)) for cell, distance in memory.pieces(start, size)]
        return bits.joined(parts)

    def _write(self, writes: Writes) -> None:
        values = {variable: value for variable, value in writes.values.items() if value is not variable}
        if values:
            self._registers.before_change(values.__contains__)
            self._body.emit(Assign(tuple(values), tuple(values.values()), self._body.location))

    # --- allocation -------------------------------------------------------------------------------------------------

    def refresh(self, made: Object) -> None:
        """Any values for an object at a fixed address that is allocated again."""
        memory = self._context.memories.of(self._context.points_to.region_of_object(made))
        placement = self._context.storage.placements[made]
        assert placement.address is not None
        cells = [cell for cell in memory.cells.values() if cell.variable is not None and cell.owner == ""]
        if memory.single:
            targets = tuple(cell.variable for cell in cells if cell.variable is not None)
            if targets:
                self._registers.before_change(frozenset(targets).__contains__)
                self._body.emit(Havoc(targets, self._body.location))
            return
        writes = Writes()
        for cell in cells:
            starts = range(cell.start, placement.size or 0, memory.stride) if memory.stride else (cell.start,)
            for start in starts:
                assert cell.variable is not None
                value = self._body.any("uninitialised", cell.variable.sort.element)
                writes.add(cell, bv(placement.address + start, self._context.module.bits), value)
        self._write(writes)

    def allocate(self, size: Term) -> Term:
        """The address of new memory, from the counter. That addresses run out is not considered."""
        if self._context.has_threads:
            return self._allocate_in_thread(size)
        width = self._context.module.bits
        counter = self._context.counter()
        address = self._body.local("allocated", counter.sort)
        self._registers.before_change(lambda variable: variable is counter)
        self._body.emit(Assign((address,), (counter,), self._body.location))
        if not size.is_value:
            self._assume_below(size, width - 2)
        rounded = bits.binary(Op.BV_AND, bits.plus(size, 31), bv(-16, width))
        self._body.emit(Assign((counter,), (bits.add(address, rounded),), self._body.location))
        self._assume_below(counter, width - 1)
        return address

    def _allocate_in_thread(self, size: Term) -> Term:
        """Each thread has its own part of the addresses, and so threads do not meet at the counter."""
        width = self._context.module.bits
        power = width - _THREAD_BITS
        counter, body = self._context.counter(), self._body
        me, used, address = (body.local(name, counter.sort.element) for name in ("me", "used", "allocated"))
        body.emit(Self(me, body.location))
        body.emit(Assign((used,), (select(counter, me),), body.location))
        if not size.is_value:
            self._assume_below(size, power)
        rounded = bits.binary(Op.BV_AND, bits.plus(size, 31), bv(-16, width))
        after = bits.add(used, rounded)
        body.emit(Assign((counter,), (store(counter, me, after),), body.location))
        first = bits.binary(Op.BV_SHL, me, bv(power, width))
        body.emit(Assign((address,), (bits.add(bits.plus(used, self._context.storage.first_free), first),)))
        self._assume_below(bits.plus(after, self._context.storage.first_free), power)
        return address

    def _assume_below(self, term: Term, power: int) -> None:
        limit = bv(1 << power, self._context.module.bits)
        self._body.emit(Assume(bits.compare(Op.BV_ULT, term, limit), self._body.location))

    # --- ranges -----------------------------------------------------------------------------------------------------

    def fill(self, pointer: l.Value, address: Term, byte: Term, size: Term) -> None:
        memory, offset = self._place(pointer)
        if size.is_value:
            if self._fill_whole(memory, offset, byte, size.value):
                return
            pieces = memory.pieces(offset[0], size.value) if not _is_long(memory, size.value) else None
            if pieces is not None and len(pieces) <= _UNROLLED:
                self._fill_pieces(pieces, address, byte)
                return
        period = memory.pieces(offset[0], memory.stride)
        address, byte, size = self._stable(address), self._stable(byte), self._stable(size)
        self._loop(size, memory.stride, lambda index: self._fill_pieces(period, bits.add(address, index), byte))

    def _fill_whole(self, memory: Memory, offset: Offset, byte: Term, size: int) -> bool:
        """An array that is all of its region is set at once."""
        data = [made for made in memory.region.objects if made.kind != "function"]
        if not memory.single or not memory.stride or offset != (0, 0):
            return False
        whole = self._context.storage.size(data[0])
        if whole is None or size < whole:
            return False
        writes = Writes()
        for cell in memory.cells.values():
            if cell.variable is not None:
                element = bits.joined([byte] * cell.size)
                writes.values[cell.variable] = const_array(self._context.pointer, element)
        self._write(writes)
        return True

    def _fill_pieces(self, pieces: list[tuple[Cell, int]], address: Term, byte: Term) -> None:
        writes = Writes()
        for cell, distance in pieces:
            if cell.variable is not None:
                writes.add(cell, bits.plus(address, distance), bits.joined([byte] * cell.size))
                if self._context.has_threads:  # others may come in between
                    self._write(writes)
                    writes = Writes()
        self._write(writes)

    def copy(self, to: l.Value, to_address: Term, source: l.Value, source_address: Term, size: Term) -> None:
        target, target_offset = self._place(to)
        origin, origin_offset = self._place(source)

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
                value = _value(origin, bits.plus(source, distance), saved.get(origin))
                writes.add(cell, bits.plus(to, distance), value)
        self._write(writes)

    def _copy_slowly(
        self, pairs: list[tuple[Cell, Cell, int]], to: Term, source: Term, saved: dict[Cell, Term]
    ) -> None:
        """One access a statement, all reads first: other threads may come in between."""
        read = []
        for cell, origin, distance in pairs:
            if cell.variable is not None:
                read.append((cell, distance, self._now(_value(origin, bits.plus(source, distance), saved.get(origin)))))
        for cell, distance, value in read:
            writes = Writes()
            writes.add(cell, bits.plus(to, distance), value)
            self._write(writes)

    def _now(self, term: Term) -> Term:
        """``term`` as it is now, whatever other threads do to the globals in it."""
        if not any(variable in self._context.global_set for variable in free_variables(term)):
            return term
        kept = self._body.local("read", term.sort)
        self._body.emit(Assign((kept,), (term,), self._body.location))
        return kept

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


def _value(cell: Cell, address: Term, array: Term | None = None) -> Term:
    variable = array if array is not None else cell.variable
    assert variable is not None
    return select(variable, address) if variable.sort.is_array else variable
