"""The targets of pointers: the object that each was made from, its ``base``, and how far the pointer is from there.

    a[i], int a[10]         base of a, offset 4 * i
    p, of unknown origin    the base of its slot, offset p - base; or p - 8 and 8 if p is always at offset 8

A pointer that is made and used inside of one block is followed term by term, so that it may be anywhere. Others must
give their object by where they are (see `slots`): one that leaves its slot becomes wild.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import walk_indices
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.extents import Extent, Extents
from cleave.frontends.c.lowering.limits import limits, within
from cleave.logic.terms import TRUE, Op, Term, bv, conj_all, ite
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_USES = {"load": (0,), "store": (1,), "atomicrmw": (0,), "cmpxchg": (0,), "icmp": (0, 1), "ptrtoint": (0,)}
_RANGES = frozenset((Kind.COPY, Kind.FILL, Kind.ZERO, Kind.READ, Kind.APART))


@dataclass(frozen=True, slots=True)
class Target:
    """What a pointer points to: ``offset`` bytes from ``base``, where an object starts.

    ``made`` is that object where it is known by name. ``index`` counts ``scale`` bytes each from ``start``: then
    that is the offset. ``sound``: no sum left the range of numbers."""

    base: Term
    offset: Term
    made: Object | None = None
    index: Term | None = None
    scale: int = 0
    start: int = 0
    sound: Term = TRUE


class Targets:
    """Of the pointers of one function."""

    def __init__(self, function: FunctionLowering, extents: Extents) -> None:
        self._function = function
        self._context = function.context
        self._extents = extents
        self._width = self._context.module.bits
        self._followed: dict[str, Target] = {}  # by register; the terms are among the registers, see `_keep`
        definition = function.function
        self._allocas = {one.result for one in definition.instructions() if one.opcode == "alloca"}
        self._local = self._used_in_place(definition)

    # --- pointers that are made -------------------------------------------------------------------------------------

    def follow(self, instruction: l.Instruction, address: Term) -> Term:
        """The address that getelementptr makes: ``address``, or a wild one if that leaves the slot."""
        assert instruction.source is not None
        result, pointer = instruction.result, instruction.operands[0]
        origin = self._function.term(pointer)
        target = self.of(pointer, origin)
        start, variable = walk_indices(self._context.layout, instruction.source, instruction.operands[1:])
        moved = self._moved(target, start, variable)
        if result is not None and result in self._local:
            self._keep(result, moved)
            return address
        if not variable:
            return address
        wild = bv(1 << self.extent(pointer).power - 1, self._width)  # in the first slot, which no object has
        return ite(self._stays(moved, pointer, origin, address), address, wild)

    def _moved(self, target: Target, start: int, variable: list[tuple[l.Value, int]]) -> Target:
        offset = bits.plus(target.offset, start)
        sound = [target.sound]
        index, scale, base = target.index, target.scale, target.start + start
        if not target.offset.is_value and target.index is None:
            scale = 0
        for value, size in variable:
            term = self._function.term(value)
            wide = bits.sign_extended(term, self._width) if term.sort.width < self._width else term
            wide = bits.truncated(wide, self._width)
            most = (1 << self._width - 3) // max(size, 1)
            if size > 1 or not offset.is_value:
                sound.append(within(term, -most, most))
            if offset.is_value and index is None:
                index, scale, base = term, size, _signed(offset)
            else:
                index, scale = None, 0
            offset = bits.add(offset, bits.mul(wide, bv(size, self._width)))
        if not scale:
            index = None
        return replace(target, offset=offset, index=index, scale=scale, start=base, sound=conj_all(sound))

    def _stays(self, target: Target, pointer: l.Value, origin: Term, address: Term) -> Term:
        """Whether a pointer stays in the slot of what it was made from."""
        power = self.extent(pointer).power
        half = 1 << power - 1
        if target.index is not None:
            low, high = -((half + target.start) // target.scale), (half - 1 - target.start) // target.scale
            return within(target.index, low, high)
        here, there = (bits.part(term, self._width - 1, power) for term in (origin, address))
        return conj_all((target.sound, bits.same(here, there)))

    def _used_in_place(self, definition: l.FunctionDefinition) -> frozenset[str]:
        """The pointers that getelementptr makes for accesses in the same block, and for nothing else."""
        found: set[str] = set()
        for block in definition.blocks.values():
            found |= {one.result for one in block.instructions if one.opcode == "getelementptr" and one.result}
        changed = True
        while changed:
            before = len(found)
            for block in definition.blocks.values():
                here = {one.result for one in block.instructions}
                for one in block.instructions:
                    allowed = self._allowed(one, found)
                    for position, operand in enumerate(one.operands):
                        if isinstance(operand, l.Local) and (position not in allowed or operand.name not in here):
                            found.discard(operand.name)
            changed = len(found) != before
        return frozenset(found)

    def _allowed(self, one: l.Instruction, found: set[str]) -> tuple[int, ...]:
        if one.opcode == "getelementptr":
            return (0,) if one.result in found else ()
        if one.opcode == "call" and isinstance(one.callee, l.GlobalRef):
            return (0, 1) if kind_of(one.callee.name, self._context.module) in _RANGES else ()
        return _USES.get(one.opcode, ())

    def _keep(self, name: str, target: Target) -> None:
        """The terms may change before the pointer is used: they are kept as registers are."""
        self._followed[name] = target
        registers = self._function.registers
        for shadow, term in _shadows(target):
            registers.accompany(f"{name}!{shadow}", name)
            registers.define(f"{name}!{shadow}", (term,))

    # --- what pointers point to -------------------------------------------------------------------------------------

    def of(self, pointer: l.Value, address: Term) -> Target:
        if isinstance(pointer, l.Local) and pointer.name in self._followed:
            return self._recalled(pointer.name)
        offset = self._context.finder.place(self._function.function.name, pointer)[1]
        named = self._named(pointer, address)
        if named is not None:
            return named
        if offset[1] == 0:
            return Target(bits.plus(address, -offset[0]), bv(offset[0], self._width))
        base = self.extent(pointer).base(address)
        return Target(base, bits.binary(Op.BV_SUB, address, base))

    def _recalled(self, name: str) -> Target:
        target, registers = self._followed[name], self._function.registers
        now = {shadow: registers.get(f"{name}!{shadow}", (term.sort,))[0] for shadow, term in _shadows(target)}
        return replace(target, base=now["base"], offset=now["offset"], sound=now["sound"], index=now.get("index"))

    def _named(self, pointer: l.Value, address: Term) -> Target | None:
        """An object that is known by name, and not only by where it is."""
        name = self._function.function.name
        match pointer:
            case l.Local(register) if register in self._allocas:
                return Target(address, bv(0, self._width), Object("alloca", register, name))
            case l.GlobalRef(variable):
                return self._global(variable, address, 0)
            case l.ConstExpression(_, "getelementptr", (l.GlobalRef(variable), *indices), source) if source:
                start, variables = walk_indices(self._context.layout, source, tuple(indices))
                return None if variables else self._global(variable, address, start)
            case _:
                return None

    def _global(self, name: str, address: Term, start: int) -> Target | None:
        if name not in self._context.module.globals:
            return None
        return Target(bits.plus(address, -start), bv(start, self._width), Object("global", name))

    def extent(self, pointer: l.Value) -> Extent:
        return self._extents.of(self._function.memory.place(pointer)[0])


def _shadows(target: Target) -> list[tuple[str, Term]]:
    found = [("base", target.base), ("offset", target.offset), ("sound", target.sound)]
    if target.index is not None:
        found.append(("index", target.index))
    return found


def _signed(term: Term) -> int:
    return limits(term)[0]
