"""Accesses through pointers as assertions, where memory safety is asked for: the checks of one function.

    p->next             assert heap.extent[p] != 0             p points to a node that is alive
    a[i], int a[10]     assert i <= 9
    *(p + n)            assert n * 4 + 4 < p.extent[p]

What a pointer points to is the object that it was made from: its ``base``, and how far it is from there. A pointer that
is made and used inside of one block is followed term by term. Others tell their object by where they are: see `slots`.
What is known before it runs costs nothing: constants, limits of types, pointers that were checked before in the same
block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.analysis.storage import source_name
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import walk_indices
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.extents import Extent, Extents, is_outside
from cleave.frontends.c.lowering.limits import limits, within
from cleave.frontends.c.properties.built_in import MEMORY
from cleave.ir.program import Assert, Assign, Assume, Call, Check, Havoc, Statement
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj_all, disj_all, ite, neg
from cleave.logic.walk import free_variables

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_USES = {"load": (0,), "store": (1,), "atomicrmw": (0,), "cmpxchg": (0,), "icmp": (0, 1), "ptrtoint": (0,)}
_PLACEHOLDER = re.compile(r"\{\d+:\w+\}")
_DONE = {False: "read", True: "written"}
_RANGES = frozenset((Kind.COPY, Kind.FILL, Kind.ZERO))


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


@dataclass(frozen=True, slots=True)
class Requirement:
    """``text`` says what happens where it does not hold, with ``values`` as `ir.program.Assert` has them."""

    condition: Term
    text: str = ""
    values: tuple[Term, ...] = ()


class Step(NamedTuple):
    """What an access does in its own step to be checked: ``values`` are read there, ``after`` is asserted then."""

    values: dict[Term, Term]
    after: Statement | None


NOTHING = Step({}, None)


class PointerChecks:
    def __init__(self, function: FunctionLowering, extents: Extents) -> None:
        self._function = function
        self._context = function.context
        self._extents = extents
        self._width = self._context.module.bits
        self._followed: dict[str, Target] = {}  # by register, with the terms of `_SHADOWS` among the registers
        self._known: set[Term] = set()  # conditions that hold here
        self._seen: list[Statement] | None = None
        self._read = 0
        definition = function.function
        self._allocas = {one.result for one in definition.instructions() if one.opcode == "alloca"}
        self._local = self._used_in_place(definition)
        self._is_ours = is_ours(definition)

    # --- pointers that are made -------------------------------------------------------------------------------------

    def follow(self, instruction: l.Instruction, address: Term) -> Term:
        """The address that getelementptr makes: ``address``, or a wild one if that leaves the slot."""
        assert instruction.source is not None
        result, pointer = instruction.result, instruction.operands[0]
        origin = self._function.term(pointer)
        target = self.target(pointer, origin)
        start, variable = walk_indices(self._context.layout, instruction.source, instruction.operands[1:])
        moved = self._moved(target, start, variable)
        if result is not None and result in self._local:
            self._keep(result, moved)
            return address
        if not variable:
            return address
        wild = bv(1 << self._extent(pointer).power - 1, self._width)  # in the first slot, which no object has
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
        power = self._extent(pointer).power
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

    def target(self, pointer: l.Value, address: Term) -> Target:
        if isinstance(pointer, l.Local) and pointer.name in self._followed:
            return self._recalled(pointer.name)
        offset = self._context.finder.place(self._function.function.name, pointer)[1]
        named = self._named(pointer, address)
        if named is not None:
            return named
        if offset[1] == 0:
            return Target(bits.plus(address, -offset[0]), bv(offset[0], self._width))
        base = self._extent(pointer).base(address)
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

    def _extent(self, pointer: l.Value) -> Extent:
        return self._extents.of(self._function.memory.place(pointer)[0])

    # --- checks -----------------------------------------------------------------------------------------------------

    def access(self, pointer: l.Value, address: Term, size: int, *, writes: bool) -> Step:
        """Checks a load or a store of ``size`` bytes."""
        target, extent = self.target(pointer, address), self._extent(pointer)
        if self._is_trusted(target, extent) or not size:
            return NOTHING
        requirements = [self._live(target, extent, writes), self._inside(target, extent, size, writes)]
        if writes:
            requirements.append(Requirement(self._may_write(target, extent), "a constant is written"))
        return self._required(self._or_outside(requirements, target, extent), extent)

    def range(self, pointer: l.Value, address: Term, size: Term, *, writes: bool) -> Step:
        """Checks an access of ``size`` bytes; of none, it may be anywhere."""
        if size.is_value:
            return self.access(pointer, address, size.value, writes=writes)
        target, extent = self.target(pointer, address), self._extent(pointer)
        if self._is_trusted(target, extent):
            return NOTHING
        whole = self._size(target, extent)
        inside = (
            bits.compare(Op.BV_ULE, target.offset, whole),
            bits.compare(Op.BV_ULE, size, bits.binary(Op.BV_SUB, whole, target.offset)),
            target.sound,
        )
        text = f"{{0:unsigned}} bytes {_DONE[writes]} from offset {{1:signed}} of {self._name(target)}"
        requirements = [
            self._live(target, extent, writes),
            Requirement(conj_all(inside), f"{text}, which has {{2:signed}}", (size, target.offset, whole)),
        ]
        if writes:
            requirements.append(Requirement(self._may_write(target, extent), "a constant is written"))
        none = bits.same(size, bv(0, size.sort.width))
        requirements = [replace(each, condition=disj_all((none, each.condition))) for each in requirements]
        return self._required(self._or_outside(requirements, target, extent), extent)

    def _or_outside(self, requirements: list[Requirement], target: Target, extent: Extent) -> list[Requirement]:
        if not extent.outside or target.made is not None:
            return requirements
        there = is_outside(target.base)
        return [replace(each, condition=disj_all((there, each.condition))) for each in requirements]

    def free(self, pointer: l.Value, address: Term, unless: Term = FALSE) -> None:
        """Checks that memory can be freed, and frees it; ``unless`` something keeps it as it is."""
        extent, body = self._extent(pointer), self._function.body
        text = "free is given {0:pointer}, or one that is not to the start of what malloc gave"
        step = self._required([Requirement(self._may_free(pointer, address), text, (address,))], extent)
        nothing = bv(0, self._width)
        freed = extent.changed(address, ite(unless, extent.of(address), nothing) if unless is not FALSE else nothing)
        values = {**step.values, **freed}
        if values:
            self._function.registers.before_change(values.__contains__)
            body.emit(Assign(tuple(values), tuple(values.values()), body.location))
        if step.after is not None:
            body.emit(step.after)

    def received(self, pointer: l.Value, term: Term) -> None:
        """A pointer comes from outside: a function without a body returned it."""
        condition = self._extent(pointer).is_sensible(term)
        self._function.body.emit(Assume(condition, self._function.body.location))

    def loaded(self, place: l.Value, address: Term, pointer: l.Value, term: Term) -> None:
        """A pointer was loaded: from the arguments of main it is to one of these."""
        extent = self._extent(place)
        if extent.arguments:
            condition = disj_all(
                (neg(extent.is_argument(address)), is_outside(term), self._extent(pointer).is_there(term))
            )
            self._function.body.emit(Assume(condition, self._function.body.location))

    def conclude(self, step: Step) -> None:
        """What an access does, in a step of its own."""
        body = self._function.body
        if step.values:
            body.emit(Assign(tuple(step.values), tuple(step.values.values()), body.location))
        if step.after is not None:
            body.emit(step.after)

    def _may_free(self, pointer: l.Value, address: Term) -> Term:
        """Whether memory that starts at ``address`` can be freed: it is allocated, or the pointer is null."""
        extent, target = self._extent(pointer), self.target(pointer, address)
        null = bits.same(address, bv(0, self._width))
        if extent.outside:
            null = disj_all((null, is_outside(address)))
        if not extent.can_free and not extent.heap:
            return null
        at_start = bits.same(target.offset, bv(0, self._width))
        return disj_all((null, conj_all((at_start, extent.is_there(target.base), extent.may_free(target.base)))))

    def _is_trusted(self, target: Target, extent: Extent) -> bool:
        return self._is_ours and target.made is not None

    def called(self, callee: l.Value, pointer: Term, functions: Iterable[Term]) -> None:
        """Checks a call through a pointer, which must be to one of the ``functions``."""
        extent = self._extent(callee)
        text = "a function is called through {0:pointer}"
        known = [bits.same(pointer, function) for function in functions]
        is_one = disj_all((*known, *((is_outside(pointer),) if extent.outside else ())))
        self.conclude(self._required([Requirement(is_one, text, (pointer,))], extent))

    def _live(self, target: Target, extent: Extent, writes: bool) -> Requirement:
        if target.made is not None:
            return Requirement(TRUE)  # a global, or a local of this very frame
        text = f"memory is {_DONE[writes]} through {{0:pointer}}"
        return Requirement(extent.is_there(target.base), text, (target.base,))

    def _inside(self, target: Target, extent: Extent, size: int, writes: bool) -> Requirement:
        condition, whole = self._fits(target, extent, size), self._size(target, extent)
        text = f"{size} bytes {_DONE[writes]} at offset {{0:signed}} of {self._name(target)}, which has {{1:signed}}"
        return Requirement(condition, text, (target.offset, whole))

    def _size(self, target: Target, extent: Extent) -> Term:
        """In bytes, of an object that is alive."""
        if target.made is not None:
            size = self._context.storage.size(target.made)
            if size is not None:
                return bv(size, self._width)
        if extent.size is not None:
            return bv(extent.size, self._width)
        return bits.plus(extent.of(target.base), -1)

    def _fits(self, target: Target, extent: Extent, size: int) -> Term:
        whole = self._size(target, extent)
        if whole.is_value:
            return self._fits_known(target, whole.value, size)
        if target.offset.is_value and 0 <= _signed(target.offset) <= extent.smallest - size:
            return TRUE
        room = bits.plus(whole, -size)
        enough = within_unsigned(size, whole) if extent.smallest < size else TRUE
        return conj_all((target.sound, enough, bits.compare(Op.BV_ULE, target.offset, room)))

    def _fits_known(self, target: Target, whole: int, size: int) -> Term:
        if whole < size:
            return FALSE
        if target.offset.is_value:
            return TRUE if 0 <= _signed(target.offset) <= whole - size else FALSE
        if target.index is not None:
            low, high = -(target.start // target.scale), (whole - size - target.start) // target.scale
            return within(target.index, low, high)
        inside = bits.compare(Op.BV_ULE, target.offset, bv(whole - size, self._width))
        return conj_all((target.sound, inside))

    def _may_write(self, target: Target, extent: Extent) -> Term:
        if target.made is not None:
            variable = self._context.module.globals.get(target.made.name) if target.made.kind == "global" else None
            return FALSE if variable is not None and variable.constant else TRUE
        return extent.may_write(target.base)

    def _required(self, requirements: list[Requirement], extent: Extent) -> Step:
        self._forget()
        needed = [each for each in requirements if each.condition is not TRUE and each.condition not in self._known]
        body = self._function.body
        if not needed:
            return NOTHING
        if self._context.has_threads and extent.changes:
            seen = body.local("valid", BOOL)
            return Step({seen: conj_all(each.condition for each in needed)}, self._assertion(needed[0], seen))
        for each in needed:
            body.emit(self._assertion(each))
            self._known.add(each.condition)
        return NOTHING

    def _assertion(self, requirement: Requirement, condition: Term | None = None) -> Assert:
        values = requirement.values if condition is None else ()
        text = requirement.text if values else _PLACEHOLDER.sub("…", requirement.text)
        condition = requirement.condition if condition is None else condition
        return Assert(condition, text, self._function.body.location, Check(MEMORY, 0), values)

    def _forget(self) -> None:
        """What holds no longer: variables changed since, or another block has begun."""
        statements = self._function.body.statements
        if statements is not self._seen:
            self._seen, self._read = statements, 0
            self._known.clear()
        changed: set[Term] = set()
        for statement in statements[self._read :]:
            match statement:
                case Assign(targets) | Havoc(targets):
                    changed.update(targets)
                case Call():
                    self._known.clear()
                case _:
                    pass
        self._read = len(statements)
        if changed and self._known:
            self._known = {each for each in self._known if changed.isdisjoint(free_variables(each))}

    def _name(self, target: Target) -> str:
        return "an object" if target.made is None else source_name(target.made, self._context.module)


def _shadows(target: Target) -> list[tuple[str, Term]]:
    found = [("base", target.base), ("offset", target.offset), ("sound", target.sound)]
    if target.index is not None:
        found.append(("index", target.index))
    return found


def _signed(term: Term) -> int:
    return limits(term)[0]


def within_unsigned(size: int, whole: Term) -> Term:
    return bits.compare(Op.BV_ULE, bv(size, whole.sort.width), whole)
