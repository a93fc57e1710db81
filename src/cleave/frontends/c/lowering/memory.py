"""Loads, stores and allocations as statements over the variables of cells.

store i32 %v, ptr %p            heap+8 := heap+8[p + 8 := v], or x := v if p can only point to x
"""

from __future__ import annotations

from cleave.frontends.c.analysis.cells import Cell, Memory
from cleave.frontends.c.analysis.offsets import Offset
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.analysis.storage import ROOM
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Body, Registers, Terms
from cleave.frontends.c.lowering.context import Context
from cleave.frontends.c.lowering.races import RaceChecks
from cleave.frontends.c.lowering.writes import Writes
from cleave.ir.program import Assign, Assume, Havoc, Self
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import TRUE, Op, Term, bv, select, store
from cleave.logic.walk import free_variables

_THREAD_BITS = 8  # of an address, for the thread that allocated it; the highest bit stays 0


class MemoryAccess:
    """The memory statements of one function."""

    def __init__(self, context: Context, function: str, body: Body, registers: Registers) -> None:
        self._context = context
        self._function = function
        self._body = body
        self._registers = registers
        watched = context.races is not None and context.races.watches(function)
        self._races = RaceChecks(context.races, body, context.names) if watched and context.races is not None else None

    # --- single values ----------------------------------------------------------------------------------------------

    def load(self, type: l.Type, pointer: l.Value, address: Term) -> Terms:
        memory, offset = self.place(pointer)
        loaded = []
        for inner, leaf in self._context.layout.leaves(type):
            sort = self._context.sort(leaf, self._body.location)
            size = self._context.layout.stored(leaf)
            raw = self._read(memory, offset[0] + inner, size, bits.plus(address, inner))
            loaded.append(bits.truncated(raw, 1 if sort is BOOL else sort.width))
        return tuple(loaded)

    def store(
        self,
        type: l.Type,
        values: Terms,
        pointer: l.Value,
        address: Term,
        *,
        also: dict[Term, Term] | None = None,
        atomic: bool = False,
        succeeds: Term = TRUE,
    ) -> None:
        """``also``: variables that get a value in the same step; ``succeeds``: whether the value is a new one."""
        memory, offset = self.place(pointer)
        writes = Writes()
        writes.values |= also or {}
        for (inner, leaf), value in zip(self._context.layout.leaves(type), values, strict=True):
            size = self._context.layout.stored(leaf)
            raw = bits.zero_extended(value, 8 * size)
            for cell, distance in memory.pieces(offset[0] + inner, size):
                piece = bits.part(raw, 8 * (distance + cell.size) - 1, 8 * distance)
                writes.add(cell, bits.plus(address, inner + distance), piece)
        self.write(writes, atomic=atomic, succeeds=succeeds)

    def scan(self, pointer: l.Value, address: Term, size: int) -> None:
        """Any value for ``size`` bytes: input."""
        memory, offset = self.place(pointer)
        writes = Writes()
        for cell, distance in memory.pieces(offset[0], size):
            writes.add(cell, bits.plus(address, distance), self._body.any("input", bitvec(8 * cell.size)))
        self.write(writes)

    def place(self, pointer: l.Value) -> tuple[Memory, Offset]:
        region, offset = self._context.finder.place(self._function, pointer)
        return self._context.memories.of(region), offset

    def _read(self, memory: Memory, start: int, size: int, address: Term) -> Term:
        parts = [value_of(cell, bits.plus(address, distance)) for cell, distance in memory.pieces(start, size)]
        return bits.joined(parts)

    @property
    def watches_races(self) -> bool:
        return self._races is not None

    def now(self, cell: Cell, address: Term, saved: Term | None) -> Term:
        """What a cell holds, or held when it was ``saved``, whatever other threads do later."""
        if cell.variable is None:  # nobody ever wants to know
            self.read((), (), [(cell, address)])
            return bv(0, 8 * cell.size)
        term = value_of(cell, address, saved)
        if not self._context.global_set.isdisjoint(free_variables(term)):
            kept = self._body.local("read", term.sort)
            self.read((kept,), (term,), [(cell, address)])
            return kept
        return term

    def touched(self, type: l.Type, pointer: l.Value, address: Term) -> list[tuple[Cell, Term]]:
        """The cells that a load or store is to."""
        memory, offset = self.place(pointer)
        return [
            (cell, bits.plus(address, inner + distance))
            for inner, leaf in self._context.layout.leaves(type)
            for cell, distance in memory.pieces(offset[0] + inner, self._context.layout.stored(leaf))
        ]

    def read(self, targets: Terms, values: Terms, touched: list[tuple[Cell, Term]], *, atomic: bool = False) -> None:
        """``targets`` get ``values``, which other threads may change or race for."""
        if self._races is not None:
            self._races.read(targets, values, touched, atomic)
        elif targets:
            self._body.emit(Assign(targets, values, self._body.location))

    def write(self, writes: Writes, *, atomic: bool = False, is_new: bool = False, succeeds: Term = TRUE) -> None:
        """``is_new``: no other thread can know the memory yet."""
        after = None
        if self._races is not None and not is_new:
            marks, after = self._races.write(writes.touched, atomic, succeeds)
            writes.values |= marks
        values = {variable: value for variable, value in writes.values.items() if value is not variable}
        if values:
            self._registers.before_change(values.__contains__)
            self._body.emit(Assign(tuple(values), tuple(values.values()), self._body.location))
        if after is not None:
            self._body.emit(after)

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
        self.write(writes, is_new=True)

    def allocate(self, size: Term, alignment: Term) -> Term:
        """The address of new memory, from the counter. That addresses run out is not considered."""
        if self._context.has_threads:
            return self._allocate_in_thread(size, alignment)
        width = self._context.module.bits
        counter = self._context.counter()
        address = self._body.local("allocated", counter.sort)
        self._registers.before_change(lambda variable: variable is counter)
        self._body.emit(Assign((address,), (_aligned(counter, alignment),), self._body.location))
        if not size.is_value:
            self._assume_below(size, width - 2)
        rounded = bits.binary(Op.BV_AND, bits.plus(size, 31), bv(-16, width))
        self._body.emit(Assign((counter,), (bits.add(address, rounded),), self._body.location))
        self._assume_below(counter, width - 1)
        return address

    def _allocate_in_thread(self, size: Term, alignment: Term) -> Term:
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
        first = self._context.storage.first_free
        place = _aligned(bits.plus(used, first), alignment)
        after = bits.add(place, rounded)
        body.emit(Assign((counter,), (store(counter, me, bits.plus(after, -first)),), body.location))
        body.emit(Assign((address,), (bits.add(place, bits.binary(Op.BV_SHL, me, bv(power, width))),)))
        self._assume_below(after, power)
        return address

    def _assume_below(self, term: Term, power: int) -> None:
        limit = bv(1 << power, self._context.module.bits)
        self._body.emit(Assume(bits.compare(Op.BV_ULT, term, limit), self._body.location))


def _aligned(address: Term, alignment: Term) -> Term:
    """The next address that is a multiple; all are multiples of `ROOM`."""
    if alignment.is_value and alignment.value <= ROOM:
        return address
    return bits.binary(Op.BV_AND, bits.plus(bits.add(address, alignment), -1), bits.negate(alignment))


def value_of(cell: Cell, address: Term, array: Term | None = None) -> Term:
    variable = array if array is not None else cell.variable
    assert variable is not None
    return select(variable, address) if variable.sort.is_array else variable
