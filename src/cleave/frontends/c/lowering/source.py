"""Facts about the source for explanations: taken from the module when it is lowered, put together when somebody asks.

struct point r;  …  r.x := 5          the cell at offset 0 of r, whose type has x there
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from cleave.frontends.c.analysis import cells
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.analysis.storage import Placement
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import DebugInfo
from cleave.frontends.c.lowering.context import Context
from cleave.frontends.c.lowering.variadic import holds_arguments, is_variadic
from cleave.ir.program import Location
from cleave.ir.source import ARGUMENTS, Cell, Function, Memory, Source, Type, Variable
from cleave.records import dataclass

_KINDS = {"alloca": "local", "global": "global", "heap": "heap", "function": "function"}
_LITERAL = ".str"


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    is_library: bool
    location: Location | None
    debug: int | None
    info: DebugInfo | None
    variables: Mapping[str, int]
    is_variadic: bool

    def type(self, register: str) -> Type | None:
        return self.info.type(self.variables.get(register)) if self.info is not None else None

    def place(self, register: str) -> tuple[str | None, Location | None]:
        return self.info.declared(self.variables.get(register)) if self.info is not None else (None, None)


@dataclass(frozen=True, slots=True)
class _Made:
    object: Object
    memory: cells.Memory
    placement: Placement
    size: int | None
    allocator: str  # the function that is called, of what is on the heap
    location: Location | None  # where it is made


def source_of(context: Context, prologue: int, texts: Mapping[str, str]) -> Callable[[], Source]:
    """``prologue``: statements that come before those of the entry; ``texts`` are those of the program's files."""
    made = _objects(context)
    functions = [
        _Function(one.name, _is_library(one), one.location, one.debug, one.info, one.variables, is_variadic(one))
        for one in map(context.module.functions.__getitem__, context.facts.reachable)
    ]
    lines = _lines(context)
    extents = dict(_extents(context))
    bits, variables = context.module.bits, context.module.globals

    @cache
    def make() -> Source:
        return _Making(bits, variables, functions, made).source(extents, lines, texts, prologue)

    return make


def _objects(context: Context) -> list[_Made]:
    sites = {
        (name, one.result): one
        for name in context.facts.reachable
        for one in context.module.functions[name].instructions()
        if one.opcode in ("alloca", "call") and one.result is not None
    }
    found = []
    for made, placement in context.storage.placements.items():
        memory = context.memories.of(context.points_to.region_of_object(made))
        site = sites.get((made.function, made.name))
        called = site.callee.name if site is not None and isinstance(site.callee, l.GlobalRef) else ""
        place = site.location if site is not None else None
        found.append(_Made(made, memory, placement, context.storage.size(made), called, place))
    return found


def _extents(context: Context) -> list[tuple[str, int | None]]:
    if context.extents is None:
        return []
    of = [context.extents.of(memory) for memory in context.memories.all()]
    return [(one.variable.name, one.address) for one in of if one.variable is not None]


def _lines(context: Context) -> dict[tuple[str, str], tuple[Location, ...]]:
    found = {}
    for name in context.facts.reachable:
        function = context.module.functions[name]
        if _is_library(function):
            continue
        for block in function.blocks.values():
            places = {
                (one.location.file, one.location.line): one.location for one in block.instructions if one.location
            }
            found[name, block.label] = tuple(places.values())
    return found


class _Making:
    def __init__(
        self, bits: int, globals: Mapping[str, l.GlobalVariable], functions: list[_Function], made: list[_Made]
    ) -> None:
        self._bits = bits
        self._globals = globals
        self._functions = {one.name: one for one in functions}
        self._made = made
        self._memories: dict[cells.Memory, Memory] = {}

    def source(
        self,
        extents: Mapping[str, int | None],
        lines: Mapping[tuple[str, str], tuple[Location, ...]],
        texts: Mapping[str, str],
        prologue: int,
    ) -> Source:
        variables = [(one, self._variable(one)) for one in self._made]
        own: dict[str, list[Variable]] = {}
        sites: dict[tuple[str, Location], list[Variable]] = {}
        for one, variable in variables:
            if variable.kind == "local":
                own.setdefault(one.object.function, []).append(variable)
            if one.location is not None:
                sites.setdefault((one.object.function, one.location), []).append(variable)
        functions = {name: self._function(one, own.get(name, [])) for name, one in self._functions.items()}
        return Source(
            bits=self._bits,
            variables=[variable for _, variable in variables],
            functions=functions,
            cells=self._cells(variables),
            sites=sites,
            extents=extents,
            lines=lines,
            texts={file: text.splitlines() for file, text in texts.items()},
            prologue=prologue,
        )

    def _variable(self, made: _Made) -> Variable:
        kind, name, type, place = _KINDS.get(made.object.kind, "heap"), made.object.name, None, made.location
        content: bytes | None = None
        if kind == "local":
            function = self._functions[made.object.function]
            type = function.type(name)
            given, declared = function.place(name)
            name, place = ARGUMENTS if holds_arguments(name) else given or "", declared or place
        elif kind == "heap":
            name = made.allocator
        elif kind == "global" and (known := self._globals.get(name)) is not None:
            type = known.info.type(known.debug) if known.info is not None else None
            place = known.location
            if name.startswith(_LITERAL):
                kind, content = "literal", _bytes(known.initializer)
            name = known.source_name or name
        return Variable(
            kind=kind,
            name=name,
            type=type,
            size=made.size,
            address=made.placement.address,
            procedure=made.object.function,
            location=place,
            memory=self._memory(made.memory),
            content=content,
        )

    def _memory(self, memory: cells.Memory) -> Memory:
        if memory not in self._memories:
            made = {one.start: Cell(one.start, one.size, one.variable, one.owner) for one in memory.cells.values()}
            self._memories[memory] = Memory(memory.stride, made)
        return self._memories[memory]

    def _cells(
        self, variables: list[tuple[_Made, Variable]]
    ) -> dict[tuple[str, str], tuple[Cell, Memory, Variable | None]]:
        found: dict[tuple[str, str], tuple[Cell, Memory, Variable | None]] = {}
        for made, variable in variables:
            if variable.kind == "function":
                continue
            memory = variable.memory
            for cell in memory.cells.values():
                if cell.variable is not None and not cell.variable.is_value:
                    alone = variable if made.memory.single else None
                    found[cell.owner, cell.variable.name] = (cell, memory, alone)
        return found

    def _function(self, one: _Function, variables: list[Variable]) -> Function:
        arguments: dict[int, tuple[str, Type | None]] = {}
        for register, number in one.variables.items():
            position = one.info.argument(number) if one.info is not None else 0
            name, _ = one.place(register)
            if position and name:
                arguments[position] = (name, one.type(register))
        in_order = tuple(arguments[position] for position in sorted(arguments))
        result = one.info.result(one.debug) if one.info is not None else None
        named = one.info.declared(one.debug)[0] if one.info is not None and one.debug is not None else None
        return Function(
            named or one.name.split(".")[0], one.is_library, result, one.location, variables, in_order, one.is_variadic
        )


def _is_library(function: l.FunctionDefinition) -> bool:
    """Also what it includes; and what no source has."""
    return function.debug is None or function.info is None or function.info.file.startswith("<") or is_ours(function)


def _bytes(value: l.Value | None) -> bytes | None:
    return value.content if isinstance(value, l.ConstBytes) else None
