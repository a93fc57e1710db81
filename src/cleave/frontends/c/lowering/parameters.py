"""Parameters whose local variable is never set again: the local is the parameter.

define i32 @f(i32 %x) { %x.addr = alloca i32; store i32 %x, ptr %x.addr; … }        x, not x and x.addr
"""

from __future__ import annotations

from cleave.frontends.c.analysis.accesses import Access, Clobber, Range
from cleave.frontends.c.analysis.cells import Cell
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.context import Context


def parameter_cells(context: Context, function: l.FunctionDefinition) -> dict[str, Cell]:
    """For such parameters the cell of their local."""
    names = {parameter.name for parameter in function.parameters}
    writes: dict[Cell, int] = {}
    first: dict[str, Cell] = {}
    stored: dict[str, int] = {}
    entry = next(iter(function.blocks.values()))
    for block in function.blocks.values():
        for instruction in block.instructions:
            cells = _written(context, function.name, instruction)
            for cell in cells:
                writes[cell] = writes.get(cell, 0) + 1
            if instruction.opcode != "store" or not isinstance(instruction.operands[0], l.Local):
                continue
            name = instruction.operands[0].name
            if name in names:
                stored[name] = stored.get(name, 0) + 1
                if block is entry and len(cells) == 1 and not cells[0].is_array:
                    first[name] = cells[0]
    return {
        name: cell
        for name, cell in first.items()
        if writes[cell] == 1 and stored[name] == 1 and cell.owner == function.name
    }


def _written(context: Context, function: str, instruction: l.Instruction) -> list[Cell]:
    if instruction.opcode == "load":
        return []
    found: list[Cell] = []
    for access in context.finder.of(function, instruction):
        memory = context.memories.of(access.region)
        match access:
            case Access():
                found += [cell for cell, _ in memory.pieces(access.offset[0], access.size)]
            case Range() | Clobber():
                found += list(memory.cells.values())
    return found
