"""What functions without a body can reach: C allows them to change it, and to call the functions in it.

    extern void set(int *);             int x; set(&x);             x may be anything afterwards
    extern void on_key(void (*)(int));  on_key(&pressed);           from then on pressed may be called

The reach of all of them is one: a function may keep what it is given, and pass it on. It has the objects that
arguments point to, global variables with external linkage, and what pointers in these point to. The program may get a
pointer back: as a result, from memory in reach, or as an argument of a function that is called back. If it uses such a
pointer, that may be to anything in reach: then all of it becomes one region.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.calls import CallFacts, external_variables, may_leave
from cleave.frontends.c.analysis.models import TOUCHING, Kind, kind_of
from cleave.frontends.c.llvm import module as l

if TYPE_CHECKING:
    from cleave.frontends.c.analysis.points_to import Object, PointsTo, Region

RETURN = "<return>"


class Outside:
    """``regions`` are in reach; ``alignment`` is that of all accesses to memory that pointers from outside point to."""

    def __init__(self, module: l.Module, facts: CallFacts, points_to: PointsTo) -> None:
        self._module = module
        self._facts = facts
        self._points_to = points_to
        self.regions: list[Region] = []
        self.alignment = 1
        self._calls = [
            (name, call)
            for name in facts.reachable
            for call in module.functions[name].instructions()
            if may_leave(call, facts, module)
        ]
        self._results = [(name, call) for name, call in self._calls if points_to.tracked(call.type) and call.result]
        while self._calls and self._spread():
            pass

    # --- answers ----------------------------------------------------------------------------------------------------

    @property
    def callbacks(self) -> list[str]:
        """The functions of the program that the outside may call."""
        named = (made.name for region in self.regions for made in region.objects if made.kind == "function")
        return [name for name in dict.fromkeys(named) if self._module.functions[name].blocks]

    @property
    def changed(self) -> list[Region]:
        """The regions in reach that are not constant as a whole."""
        return [region for region in self.regions if any(not self.is_constant(made) for made in region.objects)]

    def is_constant(self, made: Object) -> bool:
        variable = self._module.globals.get(made.name) if made.kind == "global" else None
        return made.kind == "function" or (variable is not None and variable.constant)

    def leaves(self, function: str, call: l.Instruction) -> bool:
        """Whether ``call`` may run a function without a body and without another meaning."""
        if not may_leave(call, self._facts, self._module):
            return False
        callee = self._facts.resolve(call.callee)
        if isinstance(callee, l.GlobalRef):
            return True
        names, may_be_unknown = self.targets(function, call)
        return may_be_unknown or any(kind_of(name, self._module) is Kind.OUTSIDE for name in names)

    def targets(self, function: str, call: l.Instruction) -> tuple[list[str], bool]:
        """What both the types and the points-to analysis allow for a call through a pointer; and whether the pointer
        may come from outside: then it may be any function there."""
        assert call.callee is not None
        objects = self._points_to.region(function, call.callee).objects
        pointed = {made.name for made in objects if made.kind == "function"}
        names = [name for name in self._facts.targets(call) if name in pointed]
        return names, not names or any(made.kind == "external" for made in objects)

    def comes_back(self, region: Region) -> bool:
        """Whether a pointer into ``region`` may have been made outside."""
        return self._points_to.find(region) in map(self._points_to.find, self.regions)

    # --- the analysis -----------------------------------------------------------------------------------------------

    def _spread(self) -> bool:
        """Whether something changed."""
        find, before = self._points_to.find, list(self.regions)
        self.regions = list(self._reached())
        back = {find(region) for region in self._given_back()}
        used = set(map(find, self._used()))
        if any(region in used or region.objects for region in back):
            first, *others = {*self.regions, *back}
            for region in others:
                self._points_to.unify(first, region)
            self._points_to.unify(first, self._points_to.contents(first))
            self.regions = list(self._reached())
            self.alignment = self._least_alignment()
        return before != self.regions

    def _reached(self) -> Iterator[Region]:
        find = self._points_to.find
        pending, seen = list(self._given()), set()
        while pending:
            region = find(pending.pop())
            if region in seen:
                continue
            seen.add(region)
            yield region
            if region.contents is not None:
                pending.append(region.contents)

    def _given(self) -> Iterator[Region]:
        region = self._points_to.region
        leaving = [(name, call) for name, call in self._calls if self.leaves(name, call)]
        if not leaving:
            return
        for name, call in leaving:
            for position, operand in enumerate(call.operands):
                if self._points_to.tracked(operand.type):
                    given = region(name, operand)
                    copied = position < len(call.byval) and call.byval[position] is not None
                    yield self._points_to.contents(given) if copied else given
        for name in external_variables(self._module):
            if name in self._facts.used:
                yield region("", l.GlobalRef(name))
        for name in self._facts.callbacks:
            returned = self._module.functions[name].type.result
            if self._points_to.tracked(returned):
                yield region(name, l.Local(RETURN, returned))

    def _given_back(self) -> Iterator[Region]:
        """The regions that pointers which the program gets from outside point into."""
        region = self._points_to.region
        for name, call in self._results:
            if self.leaves(name, call):
                yield region(name, l.Local(call.result or "", call.type))
        for reached in self.regions:
            if self._points_to.find(reached).contents is not None:
                yield self._points_to.contents(reached)
        for name in self._facts.callbacks:
            for parameter in self._module.functions[name].parameters:
                if self._points_to.tracked(parameter.type):
                    yield region(name, l.Local(parameter.name, parameter.type))

    def _used(self) -> Iterator[Region]:
        """The regions that something is read from, written to or called through a pointer."""
        for function, instruction in self._instructions():
            for pointer, _ in _uses(instruction, self._module):
                yield self._points_to.region(function, pointer)

    def _least_alignment(self) -> int:
        """C allows an access only where its type may be, and so are the pointers that accesses go through."""
        least = self._module.bits // 8
        for function, instruction in self._instructions():
            for pointer, alignment in _uses(instruction, self._module):
                if self.comes_back(self._points_to.region(function, pointer)):
                    least = min(least, alignment or least)
        return least

    def _instructions(self) -> Iterator[tuple[str, l.Instruction]]:
        for name in self._facts.reachable:
            for instruction in self._module.functions[name].instructions():
                yield name, instruction


def _uses(instruction: l.Instruction, module: l.Module) -> list[tuple[l.Value, int]]:
    """The pointers that an instruction goes through, with the alignment that it asks for; 0: none."""
    operands = instruction.operands
    match instruction.opcode:
        case "load" | "atomicrmw" | "cmpxchg":
            return [(operands[0], instruction.alignment)]
        case "store":
            return [(operands[1], instruction.alignment)]
        case "call" if isinstance(instruction.callee, l.GlobalRef):
            touches = kind_of(instruction.callee.name, module) in TOUCHING
            return [(one, 1) for one in operands if isinstance(one.type, l.PointerType)] if touches else []
        case "call" if instruction.callee is not None:
            return [(instruction.callee, 0)]
        case _:
            return []
