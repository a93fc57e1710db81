"""Which memory a pointer can reach: Steensgaard's analysis, in almost linear time.

    p = &x; q = p; *q = &y;         x's region and y's region; what x's region holds points to y's region

A region is a set of objects that some pointer may confuse; regions are disjoint. Every value of the program that can
hold an address belongs to one region: that of the objects it may point to. Pointers inside one region all point to
one region.

Integers wide enough for a pointer are followed too where they are only moved (structs are passed as integers), and
through arithmetic if the program converts between pointers and integers at all. On 32 bit, where every int is wide
enough, they are followed only if the program makes such conversions. ``follow_all`` follows everything: see
`confusion`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.frontends.c.analysis.calls import CallFacts, spawned
from cleave.frontends.c.analysis.models import ALLOCATIONS, NUMBERS, Kind, kind_of
from cleave.frontends.c.analysis.outside import RETURN, Outside
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.module import constant, references
from cleave.frontends.c.llvm.tokens import words
from cleave.records import dataclass

_ARITHMETIC = words("add sub and or xor shl lshr ashr mul udiv sdiv urem srem")
_MOVES = words("getelementptr bitcast addrspacecast freeze ptrtoint inttoptr extractvalue ptrtoaddr trunc zext sext")
NO_ADDRESS = 0xFFF  # nor any smaller number


@dataclass(frozen=True, slots=True)
class Object:
    """Memory that is allocated at one place: ``kind`` is global, function, alloca, heap or external.

    ``name`` is the global's name, or the register in ``function`` that gets the address.
    """

    kind: str
    name: str
    function: str = ""


ENVIRONMENTS = ("environ", "__environ", "_environ")
"""Variables of the C library that lead to the environment."""


class Region:
    """One class of objects; after the analysis only ask `PointsTo.find` for the representative."""

    __slots__ = ("contents", "objects", "parent")

    def __init__(self) -> None:
        self.parent: Region | None = None
        self.contents: Region | None = None  # what pointers in here point to
        self.objects: list[Object] = []


def _may_keep_pointer(instruction: l.Instruction) -> bool:
    """Whether it is arithmetic that may leave an address; the quotient in ``p - q``, which is exact, is none, and
    neither is what a small mask or a small divisor leaves."""
    if instruction.opcode not in _ARITHMETIC or "exact" in instruction.flags:
        return False
    if instruction.opcode in ("and", "urem"):
        number = constant(instruction.operands[1])
        return number is None or not 0 <= number <= NO_ADDRESS
    return True


def _differences(function: l.FunctionDefinition) -> Iterator[l.Instruction]:
    """Each ``p - q`` of pointers."""
    made = {one.result for one in function.instructions() if one.opcode == "ptrtoint"}

    def is_pointer(value: l.Value) -> bool:
        if isinstance(value, l.ConstExpression):
            return value.opcode == "ptrtoint"
        return isinstance(value, l.Local) and value.name in made

    for one in function.instructions():
        if one.opcode == "sub" and all(map(is_pointer, one.operands)):
            yield one


class PointsTo:
    def __init__(
        self, module: l.Module, facts: CallFacts, follow_all: bool = False, *, follow_numbers: bool = False
    ) -> None:
        """``follow_numbers``: the program computes with integers that it got from pointers."""
        self._module = module
        self._follow_all = follow_all
        self._facts = facts
        self._values: dict[tuple[str, str], Region] = {}
        self._objects: dict[Object, Region] = {}
        self._fixed = Region()  # what null and other fixed addresses point to: no object of the program
        self._pointer_bits = module.bits
        self._differences = {
            (name, one.result): one for name in facts.reachable for one in _differences(module.functions[name])
        }
        self.converts = follow_all or follow_numbers or any(map(self._makes_numbers, facts.reachable))
        self._analyse()
        self.outside = Outside(module, facts, self)

    def _makes_numbers(self, name: str) -> bool:
        """Whether a function makes integers of pointers, other than for the difference of two, or the reverse."""
        function = self._module.functions[name]
        instructions = [one for one in function.instructions() if (name, one.result) not in self._differences]
        used = {value.name for one in instructions for value in one.operands if isinstance(value, l.Local)}
        return any(
            one.opcode == "inttoptr" or (one.opcode == "ptrtoint" and one.result in used) for one in instructions
        )

    # --- answers ----------------------------------------------------------------------------------------------------

    def may_keep_pointer(self, function: str, instruction: l.Instruction) -> bool:
        """Whether the result of arithmetic may be an address."""
        return _may_keep_pointer(instruction) and (function, instruction.result) not in self._differences

    def holds_address(self, function: str, value: l.Value) -> bool:
        """Whether ``value`` may be the address of an object, as a pointer or as a number."""
        if not isinstance(value, l.Local) and not any(True for _ in references(value)):
            return False
        return bool(self.region(function, value).objects)

    def find(self, region: Region) -> Region:
        root = region
        while root.parent is not None:
            root = root.parent
        while region.parent is not None:
            region.parent, region = root, region.parent
        return root

    def contents(self, region: Region) -> Region:
        region = self.find(region)
        if region.contents is None:
            region.contents = Region()
        return self.find(region.contents)

    def region(self, function: str, value: l.Value) -> Region:
        """The region that ``value``, used in ``function``, points into."""
        if isinstance(value, l.Local):
            return self.find(self._values.setdefault((function, value.name), Region()))
        found = [self._object(name) for name in references(value)]
        if not found:
            return self.find(self._fixed)
        for other in found[1:]:
            self.unify(found[0], other)
        return self.find(found[0])

    def region_of_object(self, made: Object) -> Region:
        return self.find(self._objects.setdefault(made, Region()))

    def objects(self) -> Iterator[Object]:
        return iter(self._objects)

    def tracked(self, type: l.Type) -> bool:
        """Whether values of ``type`` can hold addresses."""
        match type:
            case l.PointerType():
                return True
            case l.IntType() | l.FloatType() if self._follow_all:
                return True
            case l.IntType(width):
                return width >= self._pointer_bits and (self.converts or self._pointer_bits == 64)
            case l.StructType(fields):
                return any(self.tracked(field) for field in fields)
            case l.ArrayType(_, element):
                return self.tracked(element)
            case _:
                return False

    # --- the analysis -----------------------------------------------------------------------------------------------

    def unify(self, a: Region, b: Region) -> None:
        pending = [(a, b)]
        while pending:
            one, other = (self.find(region) for region in pending.pop())
            if one is other:
                continue
            other.parent = one
            one.objects += other.objects
            other.objects = []
            if one.contents is None:
                one.contents = other.contents
            elif other.contents is not None:
                pending.append((one.contents, other.contents))

    def _object(self, name: str) -> Region:
        while name in self._module.aliases:
            name = next(references(self._module.aliases[name]))
        kind = "function" if name in self._module.functions else "global"
        return self._make(Object(kind, name))

    def _make(self, made: Object) -> Region:
        if made not in self._objects:
            region = Region()
            region.objects.append(made)
            self._objects[made] = region
        return self.find(self._objects[made])

    def _analyse(self) -> None:
        for name in sorted(self._facts.used):
            region = self._object(name)
            initializer = self._module.globals[name].initializer
            if initializer is not None:
                for reference in references(initializer):
                    self.unify(self.contents(region), self._object(reference))
            elif name in ENVIRONMENTS:
                self._lead_outside(self.contents(region), name)
        for name in self._facts.reachable:
            for instruction in self._module.functions[name].instructions():
                self._instruction(name, instruction)
        entry = self._module.functions[self._facts.entry]
        for parameter in entry.parameters:
            if self.tracked(parameter.type):
                region = self.region(entry.name, l.Local(parameter.name, parameter.type))
                self._lead_outside(region, parameter.name, entry.name)

    def _lead_outside(self, region: Region, name: str, function: str = "") -> None:
        """It is memory of the system, and so is all that this leads to."""
        made = self._make(Object("external", name, function))
        self.unify(region, made)
        self.unify(self.contents(made), made)

    def _flow(self, function: str, to: l.Value, source: l.Value) -> None:
        if self.tracked(source.type) or self.tracked(to.type):
            self.unify(self.region(function, to), self._held(function, source))

    def _held(self, function: str, value: l.Value) -> Region:
        """What a value that is moved points to. Null is moved everywhere and must not bring regions together."""
        if not isinstance(value, l.Local) and not any(True for _ in references(value)):
            return Region()
        return self.region(function, value)

    def _instruction(self, function: str, instruction: l.Instruction) -> None:
        operands = instruction.operands
        result = l.Local(instruction.result or "", instruction.type)
        match instruction.opcode:
            case "alloca":
                self.unify(self.region(function, result), self._make(Object("alloca", result.name, function)))
            case "load" if self.tracked(instruction.type):
                self.unify(self.region(function, result), self.contents(self.region(function, operands[0])))
            case "store" if self.tracked(operands[0].type):
                self.unify(self.contents(self.region(function, operands[1])), self._held(function, operands[0]))
            case "atomicrmw" | "cmpxchg" if self.tracked(operands[1].type):
                inside = self.contents(self.region(function, operands[0]))
                self.unify(self.region(function, result), inside)
                for operand in operands[1:]:
                    self.unify(inside, self._held(function, operand))
            case "phi" | "insertvalue":
                for operand in operands:
                    self._flow(function, result, operand)
            case "select":
                for operand in operands[1:]:
                    self._flow(function, result, operand)
            case opcode if opcode in _MOVES:
                self._flow(function, result, operands[0])
            case _ if self.converts and self.may_keep_pointer(function, instruction) and self.tracked(instruction.type):
                for operand in operands:
                    self._flow(function, result, operand)
            case "ret" if operands:
                self._flow(function, l.Local(RETURN, operands[0].type), operands[0])
            case "call":
                self._call(function, instruction, result)

    def _call(self, function: str, call: l.Instruction, result: l.Local) -> None:
        callee = self._facts.resolve(call.callee)
        if isinstance(callee, l.InlineAssembly):
            return
        if not isinstance(callee, l.GlobalRef):
            for target in self._facts.targets(call):
                self._pass(function, call, result, target)
            return
        kind = kind_of(callee.name, self._module)
        called = self._module.functions.get(callee.name)
        if kind is None and called is not None and called.blocks:
            self._pass(function, call, result, callee.name)
        elif (started := spawned(call)) is not None:
            self._pass(function, replace(call, operands=call.operands[1:], type=l.VOID), result, started)
        elif kind in ALLOCATIONS:
            made = self._make(Object("heap", result.name or f"{id(call)}", function))
            self.unify(self.region(function, result), made)
            if kind is Kind.REALLOCATE:
                self.unify(self.contents(made), self.contents(self.region(function, call.operands[0])))
        elif kind is Kind.COPY:
            to, source = (self.region(function, operand) for operand in call.operands[:2])
            self.unify(self.contents(to), self.contents(source))
            self._flow(function, result, call.operands[0])
        elif kind in (Kind.FIRST, Kind.FILL):
            self._flow(function, result, call.operands[0])
        elif self.tracked(call.type) and kind not in NUMBERS and kind is not Kind.NONDET:
            made = self._make(Object("external", result.name, function))
            self.unify(self.region(function, result), made)

    def _pass(self, function: str, call: l.Instruction, result: l.Local, target: str) -> None:
        definition = self._module.functions[target]
        if not definition.blocks:
            return
        for parameter, operand in zip(definition.parameters, call.operands, strict=False):
            if self.tracked(parameter.type) or self.tracked(operand.type):
                given = self._held(function, operand)
                self.unify(self.region(target, l.Local(parameter.name, parameter.type)), given)
        if self.tracked(call.type):
            self.unify(self.region(function, result), self.region(target, l.Local(RETURN, call.type)))
