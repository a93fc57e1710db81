"""Where in its object a pointer points: an offset, or an offset modulo a stride.

    &s.b            4           exactly 4 bytes into the object
    &a[i].y         (4, 8)      4, 12, 20, …

Flow-insensitive: one answer for each value, and one for all the pointers that a region holds. Two answers join to the
greatest common divisor of their strides and their distance, so the search ends soon.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from cleave.frontends.c.analysis.calls import CallFacts, spawned
from cleave.frontends.c.analysis.models import ALLOCATIONS, NUMBERS, Kind, kind_of
from cleave.frontends.c.analysis.outside import RETURN
from cleave.frontends.c.analysis.points_to import PointsTo, Region
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout, walk_indices

Offset = tuple[int, int]  # the remainder, and the stride; stride 0: exactly that offset
START: Offset = (0, 0)
ANYWHERE: Offset = (0, 1)


def normal(remainder: int, stride: int) -> Offset:
    return (remainder % stride, stride) if stride else (remainder, 0)


def join(a: Offset | None, b: Offset | None) -> Offset | None:
    if a is None or b is None:
        return b if a is None else a
    return normal(a[0], gcd(a[1], b[1], abs(a[0] - b[0])))


def moved(offset: Offset | None, distance: int, stride: int = 0) -> Offset | None:
    return None if offset is None else normal(offset[0] + distance, gcd(offset[1], stride))


class Offsets:
    def __init__(self, module: l.Module, facts: CallFacts, points_to: PointsTo, layout: Layout) -> None:
        self._module = module
        self._facts = facts
        self._points_to = points_to
        self._layout = layout
        self._values: dict[tuple[str, str], Offset] = {}
        self._inside: dict[Region, Offset] = {}  # of the pointers that a region holds
        self._changed = True
        self._initial()
        while self._changed:
            self._changed = False
            for name in facts.reachable:
                for instruction in module.functions[name].instructions():
                    self._instruction(name, instruction)

    def of(self, function: str, value: l.Value) -> Offset | None:
        """None: it points to no object."""
        match value:
            case l.Local(name):
                return self._values.get((function, name))
            case l.GlobalRef():
                return START
            case l.ConstExpression(_, "getelementptr", operands, source):
                assert source is not None
                constant, variable = walk_indices(self._layout, source, operands[1:])
                return ANYWHERE if variable else moved(self.of(function, operands[0]), constant)
            case l.ConstExpression(_, "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast", operands):
                return self.of(function, operands[0])
            case l.ConstExpression():
                return ANYWHERE
            case l.ConstAggregate(_, elements):
                found: Offset | None = None
                for element in elements:
                    found = join(found, self.of(function, element))
                return found
            case _:
                return None

    def _initial(self) -> None:
        for name in self._facts.used:
            initializer = self._module.globals[name].initializer
            if initializer is not None:
                region = self._points_to.region("", l.GlobalRef(name))
                self._put_inside(region, self.of("", initializer))
        entry = self._facts.entry
        for parameter in self._module.functions[entry].parameters:
            self._put(entry, parameter.name, START)
            region = self._points_to.region(entry, l.Local(parameter.name, parameter.type))
            self._put_inside(region, START)
        outside = self._points_to.outside
        for region in outside.regions:
            self._put_inside(region, (0, outside.alignment))
        for callback in self._facts.callbacks:
            for parameter in self._module.functions[callback].parameters:
                if self._points_to.tracked(parameter.type):
                    self._put(callback, parameter.name, (0, outside.alignment))

    def _put(self, function: str, name: str | None, offset: Offset | None) -> None:
        if name is None or offset is None:
            return
        known = self._values.get((function, name))
        new = join(known, offset)
        if new is not None and new != known:
            self._values[(function, name)] = new
            self._changed = True

    def _put_inside(self, region: Region, offset: Offset | None) -> None:
        region = self._points_to.find(region)
        known = self._inside.get(region)
        new = join(known, offset)
        if new is not None and new != known:
            self._inside[region] = new
            self._changed = True

    def _get_inside(self, region: Region) -> Offset | None:
        return self._inside.get(self._points_to.find(region))

    def _instruction(self, function: str, instruction: l.Instruction) -> None:
        operands, result = instruction.operands, instruction.result
        match instruction.opcode:
            case "alloca":
                self._put(function, result, START)
            case "getelementptr":
                assert instruction.source is not None
                constant, variable = walk_indices(self._layout, instruction.source, operands[1:])
                stride = gcd(*(size for _, size in variable)) if variable else 0
                if variable and stride == 0:
                    stride = 1
                self._put(function, result, moved(self.of(function, operands[0]), constant, stride))
            case "bitcast" | "addrspacecast" | "freeze" | "ptrtoint" | "inttoptr" | "extractvalue" | "ptrtoaddr":
                self._put(function, result, self.of(function, operands[0]))
            case "trunc" | "zext" | "sext" if self._points_to.converts:
                self._put(function, result, self.of(function, operands[0]))
            case "load" if self._points_to.tracked(instruction.type):
                self._put(function, result, self._get_inside(self._points_to.region(function, operands[0])))
            case "store":
                self._put_inside(self._points_to.region(function, operands[1]), self.of(function, operands[0]))
            case "atomicrmw" | "cmpxchg" if self._points_to.tracked(operands[1].type):
                region = self._points_to.region(function, operands[0])
                for operand in operands[1:]:
                    self._put_inside(region, self.of(function, operand))
                if instruction.opcode == "atomicrmw" and instruction.predicate != "xchg":
                    self._put_inside(region, _computed(instruction.predicate, self._get_inside(region), operands[1]))
                self._put(function, result, self._get_inside(region))
            case "phi" | "insertvalue":
                for operand in operands:
                    self._put(function, result, self.of(function, operand))
            case "select":
                for operand in operands[1:]:
                    self._put(function, result, self.of(function, operand))
            case _ if self._points_to.converts and self._points_to.may_keep_pointer(function, instruction):
                self._arithmetic(function, instruction)
            case "ret" if operands:
                self._put(function, RETURN, self.of(function, operands[0]))
            case "call":
                self._call(function, instruction)

    def _arithmetic(self, function: str, instruction: l.Instruction) -> None:
        left, right = instruction.operands
        before, other = self.of(function, left), self.of(function, right)
        if before is not None or other is not None:
            self._put(function, instruction.result, _computed(instruction.opcode, before or other, right))

    def _call(self, function: str, call: l.Instruction) -> None:
        callee = self._facts.resolve(call.callee)
        if isinstance(callee, l.InlineAssembly):
            return
        if self._points_to.tracked(call.type) and self._points_to.outside.leaves(function, call):
            self._put(function, call.result, (0, self._points_to.outside.alignment))
        if not isinstance(callee, l.GlobalRef):
            for target in self._facts.targets(call):
                self._pass(function, call, target)
            return
        kind = kind_of(callee.name, self._module)
        called = self._module.functions.get(callee.name)
        if kind is None and called is not None and called.blocks:
            self._pass(function, call, callee.name)
        elif (started := spawned(call)) is not None:
            self._pass(function, replace(call, operands=call.operands[1:], result=None), started)
        elif kind in ALLOCATIONS:
            self._put(function, call.result, START)
            if kind is Kind.REALLOCATE:
                self._copy(function, l.Local(call.result or "", l.POINTER), call.operands[0])
        elif kind is Kind.COPY:
            self._copy(function, call.operands[0], call.operands[1])
            self._put(function, call.result, self.of(function, call.operands[0]))
        elif kind in (Kind.FIRST, Kind.FILL):
            self._put(function, call.result, self.of(function, call.operands[0]))
        elif kind not in NUMBERS and self._points_to.tracked(call.type):
            self._put(function, call.result, START)

    def _copy(self, function: str, to: l.Value, source: l.Value) -> None:
        inside = self._get_inside(self._points_to.region(function, source))
        self._put_inside(self._points_to.region(function, to), inside)

    def _pass(self, function: str, call: l.Instruction, target: str) -> None:
        definition = self._module.functions[target]
        for parameter, operand in zip(definition.parameters, call.operands, strict=False):
            self._put(target, parameter.name, self.of(function, operand))
        self._put(function, call.result, self._values.get((target, RETURN)))


def _computed(operation: str, before: Offset | None, operand: l.Value) -> Offset | None:
    """Pointers as integers: a constant can be added; what else is done to one leaves nothing known."""
    if before is None:
        return None
    if operation in ("add", "sub") and isinstance(operand, l.ConstInt):
        return moved(before, operand.value if operation == "add" else -operand.value)
    return ANYWHERE
