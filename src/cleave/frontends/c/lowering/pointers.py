"""Accesses through pointers as assertions, where memory safety is asked for: the checks of one function.

    p->next             assert heap.extent[p] != 0             p points to a node that is alive
    a[i], int a[10]     assert i <= 9
    *(p + n)            assert n * 4 + 4 < p.extent[p]

What is known before it runs costs nothing: constants, limits of types, what was checked before in the same block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from cleave.frontends.c.analysis.storage import source_name
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.extents import Extent, Extents, is_outside
from cleave.frontends.c.lowering.limits import limits, within
from cleave.frontends.c.lowering.targets import Target, Targets
from cleave.frontends.c.properties.built_in import MEMORY
from cleave.ir.program import Assert, Assign, Assume, Call, Check, Havoc, Statement
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj_all, disj_all, ite, neg
from cleave.logic.walk import free_variables
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_PLACEHOLDER = re.compile(r"\{\d+:\w+\}")
_SPECIFIC = 4  # values that say where an access is: its size, its offset, the size of the object, its base
_DONE = {False: "read", True: "written"}


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
        self._width = self._context.module.bits
        self._targets = Targets(function, extents)
        self._known: set[Term] = set()  # conditions that hold here
        self._seen: list[Statement] | None = None  # of the block that they hold in
        self._read = 0
        self._is_ours = is_ours(function.function)

    def follow(self, instruction: l.Instruction, address: Term) -> Term:
        """The address that getelementptr makes."""
        return self._targets.follow(instruction, address)

    def access(self, pointer: l.Value, address: Term, size: int, *, writes: bool) -> Step:
        """Checks a load or a store of ``size`` bytes."""
        target, extent = self._targets.of(pointer, address), self._targets.extent(pointer)
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
        target, extent = self._targets.of(pointer, address), self._targets.extent(pointer)
        if self._is_trusted(target, extent):
            return NOTHING
        whole = self._size(target, extent)
        inside = (
            bits.compare(Op.BV_ULE, target.offset, whole),
            bits.compare(Op.BV_ULE, size, bits.binary(Op.BV_SUB, whole, target.offset)),
            target.sound,
        )
        text = f"{{0:unsigned}} bytes are {_DONE[writes]} from offset {{1:signed}} of {self._name(target)}"
        requirements = [
            self._live(target, extent, writes),
            Requirement(conj_all(inside), f"{text}, which has {{2:signed}}", (size, target.offset, whole, target.base)),
        ]
        if writes:
            requirements.append(Requirement(self._may_write(target, extent), "a constant is written"))
        none = bits.same(size, bv(0, size.sort.width))
        requirements = [replace(each, condition=disj_all((none, each.condition))) for each in requirements]
        return self._required(self._or_outside(requirements, target, extent), extent)

    def apart(self, name: str, to: l.Value, source: l.Value, room: Term, size: Term) -> Step:
        """Checks that a function's source and target don't overlap; that they are the same is harmless for memcpy."""
        there, here = (self._function.term(value) for value in (to, source))
        one, two = self._targets.of(to, there), self._targets.of(source, here)
        extent = self._targets.extent(to)
        different = one.made is not None and two.made is not None and one.made != two.made
        harmless = bits.same(there, here) if name == "memcpy" else FALSE
        same_offset = one.offset.is_value and two.offset is one.offset
        if different or (same_offset and name == "memcpy") or extent is not self._targets.extent(source):
            return NOTHING
        apart = (
            harmless,
            bits.compare(Op.BV_ULE, bits.add(there, room), here),
            bits.compare(Op.BV_ULE, bits.add(here, size), there),
            *(bits.same(each, bv(0, size.sort.width)) for each in dict.fromkeys((room, size))),
        )
        text = f"{name} is given memory that overlaps: {{0:unsigned}} bytes, at a distance of {{1:signed}}"
        moved = bits.binary(Op.BV_SUB, there, here)
        return self._required([Requirement(disj_all(apart), text, (size, moved))], extent)

    def _or_outside(self, requirements: list[Requirement], target: Target, extent: Extent) -> list[Requirement]:
        if not extent.outside or target.made is not None:
            return requirements
        there = is_outside(target.base)
        return [replace(each, condition=disj_all((there, each.condition))) for each in requirements]

    def free(self, pointer: l.Value, address: Term, also: dict[Term, Term]) -> None:
        """Checks that memory can be freed, and frees it; in the same step, what is ``also``."""
        extent = self._targets.extent(pointer)
        step = self._freeing(pointer, address)
        self._function.memory.change({**step.values, **also, **extent.changed(address, bv(0, self._width))})
        self._after(step)

    def check_free(self, pointer: l.Value, address: Term) -> None:
        """Checks that memory can be freed; who frees it calls `end`."""
        self.conclude(self._freeing(pointer, address))

    def end(self, pointer: l.Value, address: Term, unless: Term) -> None:
        extent = self._targets.extent(pointer)
        left = ite(unless, extent.of(address), bv(0, self._width))
        self._function.memory.change(extent.changed(address, left))

    def _freeing(self, pointer: l.Value, address: Term) -> Step:
        text = "free is given {0:pointer}, or one that is not to the start of what malloc gave"
        requirement = Requirement(self._may_free(pointer, address), text, (address,))
        return self._required([requirement], self._targets.extent(pointer))

    def received(self, pointer: l.Value, term: Term) -> None:
        """A pointer comes from outside: a function without a body returned it."""
        condition = self._targets.extent(pointer).is_sensible(term)
        self._function.body.emit(Assume(condition, self._function.body.location))

    def loaded(self, place: l.Value, address: Term, pointer: l.Value, term: Term) -> None:
        """A pointer was loaded: from the arguments of main it is to one of these."""
        extent = self._targets.extent(place)
        if extent.arguments:
            condition = disj_all(
                (neg(extent.is_argument(address)), is_outside(term), self._targets.extent(pointer).is_there(term))
            )
            self._function.body.emit(Assume(condition, self._function.body.location))

    def conclude(self, step: Step) -> None:
        """What an access does, in a step of its own."""
        body = self._function.body
        if step.values:
            body.emit(Assign(tuple(step.values), tuple(step.values.values()), body.location))
        self._after(step)

    def _after(self, step: Step) -> None:
        if step.after is not None:
            self._function.body.emit(step.after)

    def _may_free(self, pointer: l.Value, address: Term) -> Term:
        """Whether memory that starts at ``address`` can be freed: it is allocated, or the pointer is null."""
        extent, target = self._targets.extent(pointer), self._targets.of(pointer, address)
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
        extent = self._targets.extent(callee)
        text = "a function is called through {0:pointer}, or with other arguments than it takes"
        known = [bits.same(pointer, function) for function in functions]
        is_one = disj_all((*known, *((is_outside(pointer),) if extent.outside else ())))
        self.conclude(self._required([Requirement(is_one, text, (pointer,))], extent))

    def may_meet(self, left: l.Value, left_term: Term, right: l.Value, right_term: Term) -> Term:
        """Whether different addresses, of which neither is null, may be one number: what is dead leaves its place to
        others, and an object may lie right behind another."""
        self._forget()
        pairs = [
            (self._targets.of(value, term), self._targets.extent(value), term)
            for value, term in ((left, left_term), (right, right_term))
        ]
        (one, one_extent, _), (two, two_extent, _) = pairs
        found = [self._is_dead(target, extent) for target, extent, _ in pairs]
        if one.made != two.made or one.made is None:
            found += [self._follows(one, one_extent, two), self._follows(two, two_extent, one)]
        there = [bits.differ(term, bv(0, self._width)) for _, _, term in pairs]
        met = disj_all(found)
        return FALSE if met is FALSE else conj_all((*there, met))

    def _is_dead(self, target: Target, extent: Extent) -> Term:
        if target.made is not None or not extent.changes:
            return FALSE
        there = extent.is_there(target.base)
        return FALSE if there in self._known else neg(there)

    def _follows(self, end: Target, extent: Extent, other: Target) -> Term:
        """Whether a pointer is to the end of an object, and another to the start of another one."""
        size = self._size(end, extent)
        never = end.offset.is_value and _signed(end.offset) < max(extent.smallest, 1)
        if never or (other.offset.is_value and other.offset.value):
            return FALSE
        start = bits.same(other.offset, bv(0, self._width))
        apart = bits.differ(end.base, other.base)
        return conj_all((bits.same(end.offset, size), start, apart))

    def _live(self, target: Target, extent: Extent, writes: bool) -> Requirement:
        if target.made is not None:
            return Requirement(TRUE)  # a global, or a local of this very frame
        text = f"memory is {_DONE[writes]} through {{0:pointer}}"
        return Requirement(extent.is_there(target.base), text, (target.base,))

    def _inside(self, target: Target, extent: Extent, size: int, writes: bool) -> Requirement:
        condition, whole = self._fits(target, extent, size), self._size(target, extent)
        what = "1 byte is" if size == 1 else f"{size} bytes are"
        text = f"{what} {_DONE[writes]} at offset {{1:signed}} of {self._name(target)}, which has {{2:signed}}"
        return Requirement(condition, text, (bv(size, self._width), target.offset, whole, target.base))

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
        enough = _fits_into(whole, size) if extent.smallest < size else TRUE
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
            return Step({seen: conj_all(each.condition for each in needed)}, self._assertion(_together(needed), seen))
        for each in needed:
            body.emit(self._assertion(each))
            self._known.add(each.condition)
        return NOTHING

    def _assertion(self, requirement: Requirement, condition: Term | None = None) -> Statement:
        """An assumption where other properties are asked for: an execution ends with an access that is not valid."""
        values = requirement.values
        if condition is not None and not self._context.global_set.isdisjoint(free_variables(*values)):
            values = ()  # other threads may have changed them since
        text = requirement.text if values else _PLACEHOLDER.sub("…", requirement.text)
        condition = requirement.condition if condition is None else condition
        if not self._context.checks.wants(MEMORY):
            return Assume(condition, self._function.body.location)
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


def _together(needed: list[Requirement]) -> Requirement:
    """Several requirements that are asserted as one; its values are size, offset and base of the access."""
    if len(needed) == 1:
        return needed[0]
    done = _DONE[f" {_DONE[True]} " in needed[0].text]
    text = f"memory is {done} through a pointer that is null, dangling, or not to the inside of its object"
    values = next((each.values for each in needed if len(each.values) == _SPECIFIC), ())
    return Requirement(conj_all(each.condition for each in needed), text, (*values[:2], *values[3:]))


def _signed(term: Term) -> int:
    return limits(term)[0]


def _fits_into(whole: Term, size: int) -> Term:
    return bits.compare(Op.BV_ULE, bv(size, whole.sort.width), whole)
