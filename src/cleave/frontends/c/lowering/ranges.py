"""Copies and fills as statements over the variables of cells.

    memset(a, 0, sizeof a)          a := [else 0]                where a is the only object of its region

Long ranges, and ranges whose length is known only when they run, become loops over their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from cleave.frontends.c.analysis.cells import UNROLLED, Cell, Memory
from cleave.frontends.c.analysis.offsets import Offset
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Body, Registers
from cleave.frontends.c.lowering.context import Context
from cleave.frontends.c.lowering.marks import SET, mark_at
from cleave.frontends.c.lowering.memory import MemoryAccess, value_of
from cleave.frontends.c.lowering.writes import Writes
from cleave.ir.program import Assign, Assume
from cleave.logic.terms import Op, Term, bv, const_array, ite, neg
from cleave.logic.walk import free_variables


class RangeAccess:
    """The copies and fills of one function."""

    def __init__(self, context: Context, memory: MemoryAccess, body: Body, registers: Registers) -> None:
        self._context = context
        self._memory = memory
        self._body = body
        self._registers = registers
        self._marks: dict[Cell, Term] = {}  # as they were before a loop

    def fill(self, pointer: l.Value, address: Term, byte: Term, size: Term, *, is_new: bool = False) -> None:
        """``is_new``: no other thread can know the memory yet."""
        memory, offset = self._memory.place(pointer)
        if size.is_value:
            if self._fill_whole(memory, offset, byte, size.value):
                return
            if not _is_loop(size.value, memory.stride, [memory]):
                self._fill_pieces(memory.pieces(offset[0], size.value), address, byte, is_new)
                return
        period, is_whole = memory.pieces(offset[0], memory.stride), _is_multiple(size, memory.stride)
        address, byte, size = self._stable(address), self._stable(byte), self._stable(size)

        def fill(index: Term) -> None:
            left = None if is_whole else bits.binary(Op.BV_SUB, size, index)
            self._fill_pieces(period, bits.add(address, index), byte, is_new, left)

        self._loop(size, memory.stride, fill)

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
                if cell.mark is not None:
                    writes.values[cell.mark] = const_array(self._context.pointer, SET)
        self._memory.write(writes)
        return True

    def _fill_pieces(
        self, pieces: list[tuple[Cell, int]], address: Term, byte: Term, is_new: bool, left: Term | None = None
    ) -> None:
        writes = Writes()
        for cell, distance in pieces:
            place = bits.plus(address, distance)
            value = _as_far(left, distance, cell, place, bits.joined([byte] * cell.size))
            writes.add(cell, place, value, self._mark_as_far(left, distance, cell, place, SET))
            if self._context.has_threads:  # others may come in between
                self._memory.write(writes, is_new=is_new)
                writes = Writes()
        self._memory.write(writes, is_new=is_new)

    def copy(
        self,
        to: l.Value,
        to_address: Term,
        source: l.Value,
        source_address: Term,
        size: Term,
        most: Term | None = None,
    ) -> None:
        """Copies ``size`` bytes, but not more than ``most``."""
        target, target_offset = self._memory.place(to)
        origin, origin_offset = self._memory.place(source)

        def pairs(length: int) -> list[tuple[Cell, Cell, int]]:
            there = {distance: cell for cell, distance in origin.pieces(origin_offset[0], length)}
            here = target.pieces(target_offset[0], length)
            return [(cell, there[distance], distance) for cell, distance in here if distance in there]

        step = lcm(target.stride, origin.stride)
        if size.is_value and not _is_loop(size.value, step, [target, origin]):
            self._copy_pairs(pairs(size.value), to_address, source_address, {}, most)
            return
        period, is_whole = pairs(step), _is_multiple(size, step)
        saved = self._saved(period)
        to_address, source_address, size = (self._stable(t) for t in (to_address, source_address, size))
        end = size
        if most is not None:
            most = self._stable(most)
            end = ite(bits.compare(Op.BV_ULT, most, size), most, size)

        def copy(index: Term) -> None:
            here, there = bits.add(to_address, index), bits.add(source_address, index)
            left = None if is_whole and most is None else bits.binary(Op.BV_SUB, end, index)
            if left is not None and most is not None:
                left = ite(bits.compare(Op.BV_ULT, index, end), left, bv(0, size.sort.width))
            self._copy_pairs(period, here, there, saved, left)

        self._loop(size, step, copy)

    def _saved(self, pairs: list[tuple[Cell, Cell, int]]) -> dict[Cell, Term]:
        """The arrays as they are before a loop that reads and writes them: ranges may overlap."""
        saved: dict[Cell, Term] = {}
        written = {to for to, _, _ in pairs}
        for _, source, _ in pairs:
            if source in written and source.variable is not None and source not in saved:
                saved[source] = self._body.local(f"{source.variable.name}.before", source.variable.sort)
                self._body.emit(Assign((saved[source],), (source.variable,), self._body.location))
                if source.mark is not None:
                    self._marks[source] = self._body.local(f"{source.mark.name}.before", source.mark.sort)
                    self._body.emit(Assign((self._marks[source],), (source.mark,), self._body.location))
        return saved

    def _copy_pairs(
        self,
        pairs: list[tuple[Cell, Cell, int]],
        to: Term,
        source: Term,
        saved: dict[Cell, Term],
        left: Term | None = None,
    ) -> None:
        if self._context.has_threads:
            self._copy_slowly(pairs, to, source, saved, left)
            return
        writes = Writes()
        for cell, origin, distance in pairs:
            if cell.variable is not None:
                place = bits.plus(to, distance)
                value = value_of(origin, bits.plus(source, distance), saved.get(origin))
                mark = self._copied_mark(left, distance, cell, place, origin, bits.plus(source, distance), saved)
                writes.add(cell, place, _as_far(left, distance, cell, place, value), mark)
        self._memory.write(writes)

    def _copy_slowly(
        self,
        pairs: list[tuple[Cell, Cell, int]],
        to: Term,
        source: Term,
        saved: dict[Cell, Term],
        left: Term | None,
    ) -> None:
        """One access a statement, all reads first: other threads may come in between."""
        read: list[tuple[Cell, int, Term, Term]] = []
        for cell, origin, distance in pairs:
            if cell.variable is not None or self._memory.watches_races:
                value = self._memory.now(origin, bits.plus(source, distance), saved.get(origin))
                mark = self._copied_mark(
                    left, distance, cell, bits.plus(to, distance), origin, bits.plus(source, distance), saved
                )
                read.append((cell, distance, value, mark))
        for cell, distance, value, mark in read:
            writes = Writes()
            place = bits.plus(to, distance)
            writes.add(cell, place, _as_far(left, distance, cell, place, value), mark)
            self._memory.write(writes)

    def _copied_mark(
        self,
        left: Term | None,
        distance: int,
        cell: Cell,
        place: Term,
        origin: Cell,
        source: Term,
        saved: dict[Cell, Term],
    ) -> Term:
        if cell.mark is None:
            return SET
        mark = mark_at(self._context, origin, source, self._marks.get(origin) if origin in saved else None)
        return self._mark_as_far(left, distance, cell, place, mark)

    def _mark_as_far(self, left: Term | None, distance: int, cell: Cell, place: Term, mark: Term) -> Term:
        """A cell that a range does not reach to its end keeps its mark."""
        if left is None or cell.mark is None:
            return mark
        reached = bits.compare(Op.BV_ULT, bv(distance + cell.size - 1, left.sort.width), left)
        return ite(reached, mark, mark_at(self._context, cell, place))

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


def _is_loop(size: int, step: int, memories: list[Memory]) -> bool:
    """Whether a range of known size becomes a loop: it is long, and cells repeat in it."""
    return 0 < step <= size and any(size // memory.stride * len(memory.cells) > UNROLLED for memory in memories)


def _is_multiple(size: Term, step: int) -> bool:
    """Whether a range is known to be whole periods; of others, the last one is written as far as the range goes."""
    if size.is_value:
        return not size.value % step
    return size.op is Op.BV_MUL and any(a.is_value and not a.value % step for a in size.args)


def _as_far(left: Term | None, distance: int, cell: Cell, place: Term, value: Term) -> Term:
    """The value of a cell that is written as far as a range goes of which so many bytes are ``left``."""
    if left is None or cell.variable is None:
        return value
    old, width = value_of(cell, place), left.sort.width
    reached = [bits.compare(Op.BV_ULT, bv(distance + byte, width), left) for byte in range(cell.size)]
    parts = [(bits.part(value, 8 * b + 7, 8 * b), bits.part(old, 8 * b + 7, 8 * b)) for b in range(cell.size)]
    mixed = bits.joined([ite(r, new, kept) for r, (new, kept) in zip(reached, parts, strict=True)])
    return ite(reached[-1], value, mixed)
