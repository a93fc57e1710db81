"""Every way in which the program touches memory, as regions, offsets and sizes.

x->next = y         Access(region of x's objects, offset 8, size 8, a write)
memcpy(p, q, n)     Range("copy", …, size=None)
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.offsets import START, Offset, Offsets
from cleave.frontends.c.analysis.points_to import PointsTo, Region
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.llvm.module import constant
from cleave.records import dataclass


class Content(Enum):
    """What the bytes of an access can be."""

    POINTER = auto()
    FOLLOWED = auto()  # an integer that the points-to analysis follows
    CONSTANT = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of ``size`` bytes; ``function`` does it."""

    region: Region
    offset: Offset
    size: int
    reads: bool
    writes: bool
    function: str
    content: Content = Content.OTHER


@dataclass(frozen=True, slots=True)
class Range:
    """A copy or a fill of ``size`` bytes; None: not known before it runs, but then a multiple of ``element``."""

    region: Region
    offset: Offset
    size: int | None
    function: str
    source: Region | None = None  # of a copy
    source_offset: Offset = START
    element: int = 0


@dataclass(frozen=True, slots=True)
class Clobber:
    """Anything may be written anywhere in the region, by a function without a body that ``function`` calls."""

    region: Region
    function: str


def content_of(value: l.Value, module: l.Module) -> bytes | None:
    """The string literal that ``value`` points to, up to its end."""
    variable = module.globals.get(value.name) if isinstance(value, l.GlobalRef) else None
    if variable is not None and variable.constant:
        if isinstance(variable.initializer, l.ConstBytes):
            return variable.initializer.content.split(b"\0")[0]
        if isinstance(variable.initializer, l.ConstZero):
            return b""
    return None


def text_of(value: l.Value, module: l.Module) -> str | None:
    content = content_of(value, module)
    return None if content is None else content.decode("utf-8", "replace")


class AccessFinder:
    def __init__(
        self, module: l.Module, facts: CallFacts, points_to: PointsTo, offsets: Offsets, layout: Layout
    ) -> None:
        self._module = module
        self._facts = facts
        self._points_to = points_to
        self._offsets = offsets
        self._layout = layout

    def all(self) -> Iterator[Access | Range | Clobber]:
        for name in self._facts.reachable:
            for instruction in self._module.functions[name].instructions():
                yield from self.of(name, instruction)

    def of(self, function: str, instruction: l.Instruction) -> Iterator[Access | Range | Clobber]:
        operands = instruction.operands
        match instruction.opcode:
            case "load":
                yield from self._leaves(function, operands[0], instruction.type, True, False)
            case "store":
                known = constant(operands[0]) is not None
                yield from self._leaves(function, operands[1], operands[0].type, False, True, known)
            case "atomicrmw" | "cmpxchg":
                yield from self._leaves(function, operands[0], operands[1].type, True, True)
            case "call":
                if self._points_to.outside.leaves(function, instruction):
                    yield from (Clobber(region, function) for region in self._points_to.outside.changed)
                callee = self._facts.resolve(instruction.callee)
                if isinstance(callee, l.GlobalRef):
                    yield from self._call(function, instruction, kind_of(callee.name, self._module))

    def place(self, function: str, pointer: l.Value) -> tuple[Region, Offset]:
        """What ``pointer`` reaches; one that never gets an address is taken to point to the start of something."""
        region = self._points_to.region(function, pointer)
        return region, self._offsets.of(function, pointer) or START

    def _leaves(
        self, function: str, pointer: l.Value, type: l.Type, reads: bool, writes: bool, known: bool = False
    ) -> Iterator[Access]:
        region, (remainder, stride) = self.place(function, pointer)
        for inner, leaf in self._layout.leaves(type):
            offset = ((remainder + inner) % stride if stride else remainder + inner, stride)
            content = Content.CONSTANT if known else self._content(leaf)
            yield Access(region, offset, self._layout.stored(leaf), reads, writes, function, content)

    def _content(self, type: l.Type) -> Content:
        if isinstance(type, l.PointerType):
            return Content.POINTER
        return Content.FOLLOWED if self._points_to.tracked(type) else Content.OTHER

    def _call(self, function: str, call: l.Instruction, kind: Kind | None) -> Iterator[Access | Range | Clobber]:
        operands = call.operands
        match kind:
            case Kind.SCAN:
                yield Access(*self.place(function, operands[0]), constant(operands[1]) or 0, True, True, function)
            case Kind.HAVOC:
                yield Access(*self.place(function, operands[0]), constant(operands[1]) or 0, False, True, function)
            case Kind.COPY:
                to, source = self.place(function, operands[0]), self.place(function, operands[1])
                yield Range(*to, constant(operands[2]), function, *source)
            case Kind.FILL:
                yield Range(*self.place(function, operands[0]), constant(operands[2]), function)
            case Kind.ZERO:
                yield Range(*self.place(function, operands[0]), constant(operands[1]), function)
            case Kind.ALLOCATE_ZERO:
                count, size = constant(operands[0]), constant(operands[1])
                total = count * size if count is not None and size is not None else None
                made = self.place(function, l.Local(call.result or "", l.POINTER))
                yield Range(*made, total, function, element=size or count or 0)
            case Kind.ALLOCATE_ONE_ZERO:
                made = self.place(function, l.Local(call.result or "", l.POINTER))
                yield Range(*made, constant(operands[0]), function)
            case Kind.REALLOCATE:
                made = self.place(function, l.Local(call.result or "", l.POINTER))
                yield Range(*made, None, function, *self.place(function, operands[0]))
