"""The values of global variables when the entry starts.

int a[100] = {1, 2};        a := [else 0][4096 := 1][4100 := 2]
int limit = 10;             the number 10 wherever limit is read, if nothing writes it
"""

from __future__ import annotations

from cleave.errors import UnsupportedError
from cleave.frontends.c.analysis.cells import Cell, Memory
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.lowering.context import Context
from cleave.ir.program import Assign, Statement
from cleave.logic.terms import Term, bv, const_array, store

_MANY_ELEMENTS = 100_000


def fold_constants(context: Context) -> None:
    """A global variable, or a part of one, that nothing writes is a number."""
    for memory in context.memories.all():
        data = _data(memory)
        if not memory.single or memory.stride or not data or not _is_initialized(context, data[0]):
            continue
        for cell in memory.cells.values():
            if cell.read and not cell.written:
                cell.variable = bv(_number_in(context, data[0], cell), 8 * cell.size)


def initial_values(context: Context, cells: dict[Cell, Memory]) -> tuple[Statement, ...]:
    statements: list[Statement] = []
    if context.uses_counter:
        first: Term = bv(context.storage.first_free, context.module.bits)
        if context.has_threads:
            first = const_array(context.pointer, bv(0, context.module.bits))
        statements.append(Assign((context.counter(),), (first,)))
    for cell, memory in cells.items():
        variables = [made for made in _data(memory) if _is_initialized(context, made)]
        if variables and cell.variable is not None:
            location = context.module.globals[variables[0].name].location
            value = _value(context, cell, cell.variable, memory, variables)
            statements.append(Assign((cell.variable,), (value,), location))
    return tuple(statements)


def _value(context: Context, cell: Cell, variable: Term, memory: Memory, initialized: list[Object]) -> Term:
    width = 8 * cell.size
    if not cell.is_array:
        return bv(_number_in(context, initialized[0], cell), width)
    alone = len(initialized) == len(_data(memory))
    value = variable
    if alone:  # what is no element of a variable can hold any number, so it may as well be zero
        value = const_array(context.pointer, bv(0, width))
    for made in initialized:
        if alone and _is_zero(context, made):
            continue
        elements = [each for each in elements_of(context, cell, memory, made) if each[1] or not alone]
        if len(elements) > _MANY_ELEMENTS:
            declared = context.module.globals[made.name]
            raise unsupported(f"{declared.source_name} has too many initial values", declared.location)
        for address, number in elements:
            value = store(value, bv(address, context.module.bits), bv(number, width))
    return value


def elements_of(context: Context, cell: Cell, memory: Memory, made: Object) -> list[tuple[int, int]]:
    """Addresses and numbers of all the places of ``cell`` in one variable."""
    base, content = context.storage.address(made.name), _content(context, made)
    starts = range(cell.start, len(content), memory.stride) if memory.stride else (cell.start,)
    return [(base + start, _number(content, start, cell.size)) for start in starts if start < len(content)]


def _number_in(context: Context, made: Object, cell: Cell) -> int:
    return 0 if _is_zero(context, made) else _number(_content(context, made), cell.start, cell.size)


def _number(content: bytes, start: int, size: int) -> int:
    return int.from_bytes(content[start : start + size], "little")


def _data(memory: Memory) -> list[Object]:
    return [made for made in memory.region.objects if made.kind != "function"]


def _is_initialized(context: Context, made: Object) -> bool:
    """A variable that is only declared, in no file defined, holds any value."""
    variable = context.module.globals.get(made.name) if made.kind == "global" else None
    return variable is not None and variable.initializer is not None


def _is_zero(context: Context, made: Object) -> bool:
    return isinstance(context.module.globals[made.name].initializer, l.ConstZero)


def _content(context: Context, made: Object) -> bytes:
    variable = context.module.globals[made.name]
    assert variable.initializer is not None
    try:
        return context.constants.image(variable.initializer, context.layout.size(variable.type))
    except UnsupportedError as error:
        raise unsupported(error.message, variable.location) from None
