"""Calls that allocate, free, copy and fill memory, and the beginnings and ends of blocks.

p = malloc(n)       p gets the next address, or null where memory may run out; n bytes are there from now on
free(p)             checked, and no longer there
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.models import Kind
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.analysis.stack import restored
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Terms
from cleave.ir.program import Assign
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Op, Term, bv, conj, conj_all, disj, disj_all, ite, neg

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering


class MemoryCalls:
    """Those of one function."""

    def __init__(self, function: FunctionLowering) -> None:
        self._function = function
        self._context = function.context
        self._body = function.body
        self._memory = function.memory
        self._ranges = function.ranges
        self._width = function.context.module.bits

    # --- ranges -----------------------------------------------------------------------------------------------------

    def range(self, instruction: l.Instruction, kind: Kind) -> Terms:
        operands = instruction.operands
        to = self._function.term(operands[0])
        size = self._size(operands[1] if kind is Kind.ZERO else operands[2])
        self.check(operands[0], size, writes=True)
        match kind:
            case Kind.COPY:
                self.check(operands[1], size, writes=False)
                self._check_apart(instruction, size)
                self._ranges.copy(operands[0], to, operands[1], self._function.term(operands[1]), size)
            case Kind.FILL:
                self._ranges.fill(operands[0], to, bits.truncated(self._function.term(operands[1]), 8), size)
            case _:
                self._ranges.fill(operands[0], to, bv(0, 8), size)
        return (to,) if instruction.result is not None else ()

    def check(self, pointer: l.Value, size: Term, *, writes: bool) -> None:
        """Checks an access of ``size`` bytes, if that is asked for."""
        checks = self._function.pointers
        if checks is not None:
            checks.conclude(checks.range(pointer, self._function.term(pointer), size, writes=writes))

    def require(self, instruction: l.Instruction, kind: Kind) -> None:
        """What functions of the library say about the memory that they are given."""
        operands, checks = instruction.operands, self._function.pointers
        if kind is Kind.READ:
            self.check(operands[0], self._size(operands[1]), writes=False)
        elif checks is not None:
            name = self._function.function.name
            name = "printf" if name.startswith("__cleave_") else name
            room, size = self._size(operands[2]), self._size(operands[3])
            checks.conclude(checks.apart(name, operands[0], operands[1], room, size))

    def _check_apart(self, copy: l.Instruction, size: Term) -> None:
        checks = self._function.pointers
        if checks is not None and isinstance(copy.callee, l.GlobalRef) and "memcpy" in copy.callee.name:
            checks.conclude(checks.apart("memcpy", copy.operands[0], copy.operands[1], size, size))

    def _size(self, value: l.Value) -> Term:
        """Clang sometimes fills with 64 bit sizes on 32 bit, too."""
        size = self._function.term(value)
        return bits.truncated(bits.zero_extended(size, max(self._width, size.sort.width)), self._width)

    # --- lives ------------------------------------------------------------------------------------------------------

    def free(self, pointer: l.Value) -> None:
        address = self._function.term(pointer)
        blocks = self._context.blocks
        fewer = {} if blocks is None else {blocks: bits.binary(Op.BV_SUB, blocks, self._is_one(address))}
        if self._function.pointers is not None:
            self._function.pointers.free(pointer, address, fewer)
        else:
            self._memory.change(fewer)

    def _is_one(self, address: Term) -> Term:
        """How many blocks a pointer that can be freed is to: one, or none."""
        return ite(bits.same(address, bv(0, self._width)), bv(0, self._width), bv(1, self._width))

    def scope(self, local: l.Value, *, begins: bool) -> None:
        extents = self._context.extents
        if not isinstance(local, l.Local):
            return
        made = Object("alloca", local.name, self._function.function.name)
        if begins:
            self._memory.unset(made)
        if extents is None:
            return
        size = self._context.storage.size(made)
        if begins and extents.is_renewed(made):
            self._function.renew(local.name, made)
        elif size is not None and extents.is_scoped(made):
            self._memory.set_life(made, self._function.term(local), size + 1 if begins else 0)

    def restore(self, instruction: l.Instruction) -> None:
        """The stack is what it was before arrays of variable length were declared."""
        for name in restored(self._function.function).get(id(instruction), ()):
            made = Object("alloca", name, self._function.function.name)
            self._memory.end(made)
            self._memory.forget(made)

    def allocate(self, instruction: l.Instruction, kind: Kind) -> Terms:
        if instruction.result is None:
            return ()
        self._context.allocates = True
        operands, pointer = instruction.operands, l.Local(instruction.result, l.POINTER)
        made = Object("heap", instruction.result, self._function.function.name)
        size = self._size(operands[1] if kind in (Kind.ALLOCATE_ALIGNED, Kind.REALLOCATE) else operands[0])
        if kind is Kind.ALLOCATE_ZERO:
            size = bits.mul(size, self._size(operands[1]))
        fails, room = self._fails(instruction, kind, size, made)
        if kind is Kind.REALLOCATE:
            return self._reallocate(pointer, operands[0], size, room, made, fails)
        alignment = self._size(operands[0]) if kind is Kind.ALLOCATE_ALIGNED else bv(1, self._width)
        address = self._place(room, alignment, made, self._more(bits.extend_bool(neg(fails), self._width)))
        if kind in (Kind.ALLOCATE_ZERO, Kind.ALLOCATE_ONE_ZERO):
            self._ranges.fill(pointer, address, bv(0, 8), room, is_new=True)
        return (self._given(address, fails),)

    def _reallocate(
        self, pointer: l.Local, source: l.Value, size: Term, room: Term, made: Object, fails: Term
    ) -> Terms:
        """Without a size it frees, as glibc's does; otherwise what fails keeps the old block."""
        old = self._function.term(source)
        nothing = bv(0, self._width)
        frees = conj(bits.same(size, nothing), bits.differ(old, nothing))
        kept = conj(fails, neg(frees))
        checks = self._function.pointers
        if checks is not None:
            checks.check_free(source, old)
        is_null = bits.same(old, nothing)
        one, less = bv(1, self._width), bv(-1, self._width)
        change = ite(frees, less, ite(conj(is_null, neg(fails)), one, nothing))
        address = self._place(room, bv(1, self._width), made, self._more(change))
        self._ranges.copy(pointer, address, source, old, room, self._size_of_block(source, old, room))
        if checks is not None:
            checks.end(source, old, kept)
        return (self._given(address, disj(fails, frees)),)

    def _more(self, number: Term) -> dict[Term, Term]:
        blocks = self._context.blocks
        return {} if blocks is None else {blocks: bits.add(blocks, number)}

    def _place(self, size: Term, alignment: Term, made: Object, also: dict[Term, Term]) -> Term:
        placement = self._context.storage.placements.get(made)
        if placement is None or placement.address is None:
            return self._memory.allocate(size, alignment, made, also)
        address = bv(placement.address, self._width)
        self._memory.begin(made, address, size, also)
        return address

    def _given(self, address: Term, fails: Term) -> Term:
        if fails is FALSE:
            return address
        given = self._body.local("given", address.sort)
        self._body.emit(Assign((given,), (ite(fails, bv(0, self._width), address),), self._body.location))
        return given

    def _fails(self, instruction: l.Instruction, kind: Kind, size: Term, made: Object) -> tuple[Term, Term]:
        """Whether no memory is given: at any time where that is considered, and always where the size is no size. And
        how much memory is taken: then none."""
        reasons = [self._memory.is_too_large(size, made)]
        if kind is Kind.ALLOCATE_ZERO:
            reasons.append(self._overflows(*(self._size(operand) for operand in instruction.operands[:2])))
        never = disj_all(reasons)
        room = ite(never, bv(0, self._width), size)
        if not self._context.allocation_can_fail:
            return never, room
        name = instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else "allocation"
        return disj(self._body.any(f"{name}.fails", BOOL), never), room

    def _overflows(self, count: Term, size: Term) -> Term:
        """Whether a product may be more than there are addresses; if one is not known, both must be small."""
        if count.is_value:
            count, size = size, count
        if size.is_value:
            most = ((1 << self._width) - 1) // max(size.value, 1)
            return neg(bits.compare(Op.BV_ULE, count, bv(most, self._width)))
        half = bv(1 << self._width // 2, self._width)
        return neg(conj_all(bits.compare(Op.BV_ULT, one, half) for one in (count, size)))

    def _size_of_block(self, pointer: l.Value, address: Term, unknown: Term) -> Term:
        """How much `realloc` has to copy: what is beyond the old block holds any values. A block that has no address of
        its own has at most the largest size of these, where all are known."""
        storage, width = self._context.storage, address.sort.width
        if self._context.extents is not None:
            extent = self._context.extents.of(self._memory.place(pointer)[0])
            found = bits.plus(extent.of(address), -1)
            return ite(bits.same(address, bv(0, width)), bv(0, width), found)
        fixed: list[tuple[int, int]] = []
        moving: list[int | None] = []
        for made in self._memory.place(pointer)[0].region.objects:
            placement, size = storage.placements.get(made), storage.size(made)
            if placement is None or placement.address is None or size is None:
                moving.append(size)
            else:
                fixed.append((placement.address, size))
        known = [size for size in moving if size is not None]
        found = bv(max(known), width) if known and len(known) == len(moving) else unknown
        self._context.grows_unknown_blocks |= len(known) < len(moving) or len(set(known)) > 1
        for place, size in fixed:
            found = ite(bits.same(address, bv(place, width)), bv(size, width), found)
        return found
