"""Loads, stores and allocations as statements over the variables of cells.

store i32 %v, ptr %p            heap+8 := heap+8[p + 8 := v], or x := v if p can only point to x
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.analysis.cells import Cell, Memory
from cleave.frontends.c.analysis.offsets import Offset
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.analysis.storage import ROOM, thread_count
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Body, Registers, Terms
from cleave.frontends.c.lowering.context import Context
from cleave.frontends.c.lowering.extents import on_stack
from cleave.frontends.c.lowering.marks import SET, UNSET, mark_at
from cleave.frontends.c.lowering.races import RaceChecks
from cleave.frontends.c.lowering.writes import Writes
from cleave.ir.program import Assert, Assign, Assume, Havoc, Self
from cleave.logic.sorts import BOOL, bitvec
from cleave.logic.terms import TRUE, Op, Term, bv, const_array, disj, ite, neg, select, store
from cleave.logic.walk import free_variables

_MANY = 1 << 13  # objects that an execution makes: a proof may assume that there are not more, and then says so
_TOO_LARGE = "where an object lies that is too large for the addresses that are left"
_ALLOCA_AGAIN = "what is left of memory that alloca gave before, in the same call of the function"
_TOO_MANY = "where another object lies after so many that no address is left"


class MemoryAccess:
    """The memory statements of one function."""

    def __init__(self, context: Context, function: str, body: Body, registers: Registers) -> None:
        self._context = context
        self._function = function
        self._body = body
        self._registers = registers
        self._frame: dict[Object, Term] = {}  # mortal locals, with their addresses
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

    def scan(self, pointer: l.Value, address: Term, size: int, happens: Term = TRUE, function: str = "") -> None:
        """Any value for ``size`` bytes, if it ``happens``: input, or what ``function`` finds out."""
        memory, offset = self.place(pointer)
        writes = Writes()
        for cell, distance in memory.pieces(offset[0], size):
            place, value = bits.plus(address, distance), self._body.any("input", bitvec(8 * cell.size), function)
            mark = SET
            if happens is not TRUE and cell.variable is not None:
                value = ite(happens, value, value_of(cell, place))
                mark = ite(happens, SET, mark_at(self._context, cell, place))
            writes.add(cell, place, value, mark)
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
                writes.add(cell, bv(placement.address + start, self._context.module.bits), value, UNSET)
        self.write(writes, is_new=True)

    def unset(self, made: Object) -> None:
        """A local is there from now on, and was not set yet."""
        memory = self._memory_of(made)
        marks = [cell.mark for cell in memory.cells.values() if cell.mark is not None]
        if not memory.single or not marks:
            return
        values = (const_array(mark.sort.index, UNSET) if mark.sort.is_array else UNSET for mark in marks)
        self.change(dict(zip(marks, values, strict=True)))

    def allocate(self, size: Term, alignment: Term, made: Object, also: dict[Term, Term] | None = None) -> Term:
        """The address of new memory, from the counter. More memory than `is_too_large` allows is not considered; for
        what happens where addresses run out see `_stay_below`."""
        if self._context.has_threads:
            return self._allocate_in_thread(size, alignment, made, also or {})
        counter = self._context.counter()
        address = self._body.local("allocated", counter.sort)
        self._registers.before_change(lambda variable: variable is counter)
        place, after = self._room(counter, size, alignment, made)
        is_apart = made.kind == "alloca" and self._context.extents is not None
        used = after(place if is_apart else address)
        self._body.emit(Assign((address,), (on_stack(place) if is_apart else place,), self._body.location))
        self.begin(made, address, size, {counter: used, **(also or {})})
        self._stay_below(counter, self._context.storage.room)
        return address

    def is_too_large(self, size: Term, made: Object) -> Term:
        """Whether there is no room for an object, at any time."""
        width = self._context.module.bits
        if self._context.storage.has_slots and width == 32 and not size.is_value:
            limit = 1 << self._power(made) - 1
            self._context.limited = min(limit, self._context.limited or limit)
        power = min(width - 2, self._context.storage.room, self._power(made) - 1)
        if size.is_value and 1 << power <= size.value < 1 << width - 2:  # a machine has room for that
            self._body.emit(Assert(self._body.any("beyond", BOOL, _TOO_LARGE), _TOO_LARGE, self._body.location))
        return neg(bits.compare(Op.BV_ULT, size, bv(1 << power, width)))

    def _power(self, made: Object) -> int:
        """The bits of an address in the part of memory that an object may take."""
        if not self._context.storage.has_slots:
            return self._context.module.bits
        return self._context.storage.power(self._memory_of(made))

    def _room(self, used: Term, size: Term, alignment: Term, made: Object) -> tuple[Term, Callable[[Term], Term]]:
        """Where an object is placed next, and from its place what is used then."""
        width = self._context.module.bits
        if not self._context.storage.has_slots:
            rounded = bits.binary(Op.BV_AND, bits.plus(size, 31), bv(-16, width))
            return _aligned(used, alignment), lambda place: bits.add(place, rounded)
        power, half = self._power(made), 1 << self._power(made) - 1
        if min(self._context.storage.powers) < power:
            used = bits.binary(Op.BV_AND, bits.plus(used, (1 << power) - 1), bv(-(1 << power), width))
        return bits.plus(used, half), lambda place: bits.plus(place, half)

    def _memory_of(self, made: Object) -> Memory:
        return self._context.memories.of(self._context.points_to.region_of_object(made))

    def begin(self, made: Object, address: Term, size: Term, also: dict[Term, Term] | None = None) -> None:
        """An object is there from now on; in the same step, what is ``also``."""
        values = dict(also or {})
        if self._context.extents is not None:
            extent = self._context.extents.of(self._memory_of(made))
            if self._context.extents.comes_and_goes(made):
                values |= extent.changed(address, bits.plus(size, 1))
                if made in self._frame:
                    values[self._frame[made]] = address
        self.change(values)

    def begin_frame(self) -> None:
        """Where the locals are, later, that others may know when they die."""
        extents = self._context.extents
        for one in self._context.module.functions[self._function].instructions() if extents is not None else ():
            made = Object("alloca", one.result or "", self._function)
            if one.opcode == "alloca" and self._needs_place(made):
                self._frame[made] = self._body.local(f"{one.result}.place", self._context.pointer)
        if self._frame:
            nowhere = (bv(0, self._context.module.bits),) * len(self._frame)
            self._body.emit(Assign(tuple(self._frame.values()), nowhere, self._body.location))

    def _needs_place(self, made: Object) -> bool:
        extents, storage = self._context.extents, self._context.storage
        if extents is None:
            return False
        return extents.is_mortal(made) or (extents.is_scoped(made) and storage.size(made) is None)

    def end_frame(self) -> None:
        """The locals that others may still know die."""
        for made in self._frame:
            self.end(made)

    def end(self, made: Object) -> None:
        place = self._frame.get(made)
        if place is not None and self._context.extents is not None:
            extent = self._context.extents.of(self._memory_of(made))
            self.change(extent.changed(place, bv(0, self._context.module.bits)))

    def doubt_again(self, made: Object) -> None:
        """Of memory from alloca that others may know, only the last piece is known to end with the function."""
        place = self._frame.get(made)
        if place is not None:
            is_first = bits.same(place, bv(0, self._context.module.bits))
            known = disj(is_first, self._body.any("again", BOOL, _ALLOCA_AGAIN))
            self._body.emit(Assert(known, _ALLOCA_AGAIN, self._body.location))

    def forget(self, made: Object) -> None:
        """Where an array was that has ended."""
        if made in self._frame:
            self.change({self._frame[made]: bv(0, self._context.module.bits)})

    def set_life(self, made: Object, address: Term, extent: int) -> None:
        """The extent of a local, whose block begins or ends."""
        assert self._context.extents is not None
        extents = self._context.extents.of(self._memory_of(made))
        self.change(extents.changed(address, bv(extent, self._context.module.bits)))

    def change(self, values: dict[Term, Term]) -> None:
        if values:
            self._registers.before_change(values.__contains__)
            self._body.emit(Assign(tuple(values), tuple(values.values()), self._body.location))

    def _allocate_in_thread(self, size: Term, alignment: Term, made: Object, also: dict[Term, Term]) -> Term:
        """Each thread has its own part of the addresses, and so threads do not meet at the counter."""
        width = self._context.module.bits
        power = self._context.storage.room
        counter, body = self._context.counter(), self._body
        me, used, address = (body.local(name, counter.sort.element) for name in ("me", "used", "allocated"))
        body.emit(Self(me, body.location))
        if thread_count(self._context.facts) is None:
            self._stay_below(me, self._context.storage.thread_bits)
        body.emit(Assign((used,), (select(counter, me),), body.location))
        first = self._context.storage.first_free
        place, next_place = self._room(bits.plus(used, first), size, alignment, made)
        after = next_place(place)
        if made.kind == "alloca" and self._context.extents is not None:
            place = on_stack(place)
        body.emit(Assign((address,), (bits.add(place, bits.binary(Op.BV_SHL, me, bv(power, width))),)))
        self.begin(made, address, size, {counter: store(counter, me, bits.plus(after, -first)), **also})
        self._stay_below(after, power)
        return address

    def _stay_below(self, term: Term, power: int) -> None:
        """Executions that take more addresses than there are end. Where few objects suffice for that, to come here is
        a violation that depends on what is not modelled; otherwise the result says that there are not so many."""
        storage = self._context.storage
        fits = bits.compare(Op.BV_ULT, term, bv(1 << power, self._context.module.bits))
        if not storage.suffices and storage.has_slots:
            if storage.capacity < _MANY:
                known = disj(fits, self._body.any("beyond", BOOL, _TOO_MANY))
                self._body.emit(Assert(known, _TOO_MANY, self._body.location))
            else:
                self._context.most_objects = storage.capacity
        self._body.emit(Assume(fits, self._body.location))


def _aligned(address: Term, alignment: Term) -> Term:
    """The next address that is a multiple; all are multiples of `ROOM`."""
    if alignment.is_value and alignment.value <= ROOM:
        return address
    return bits.binary(Op.BV_AND, bits.plus(bits.add(address, alignment), -1), bits.negate(alignment))


def value_of(cell: Cell, address: Term, array: Term | None = None) -> Term:
    variable = array if array is not None else cell.variable
    assert variable is not None
    return select(variable, address) if variable.sort.is_array else variable
