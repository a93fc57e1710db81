"""Which memory was never set, where `uninitialised` is checked: a mark for each cell, one bit.

    int x;                  x.set := 0          malloc(8)       heap.set is 0 at addresses that were never used
    x = 1;                  x.set := 1          y = x;          assert x.set = 1

Copies copy marks, so a struct may be copied before all of it is set. What globals and the outside hold counts as set. A
function without a body may set what it reaches or not: then the marks are any, and a violation is in doubt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.assigned import always_set
from cleave.frontends.c.analysis.cells import Cell, Memory
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.ir.program import Assign, Statement
from cleave.logic.sorts import BOOL, array, bitvec
from cleave.logic.terms import Op, Term, bv, conj_all, const_array, disj_all, ite, select, var

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.context import Context
    from cleave.frontends.c.lowering.function import FunctionLowering

SET, UNSET = bv(1, 1), bv(0, 1)
_RETURNED = "retval"
_PASSED = "whether all of a struct that is passed by value is read"


def mark_cells(context: Context, cells: dict[Cell, Memory]) -> None:
    """Gives a mark to every cell that may be read before it is set."""
    functions = [context.module.functions[name] for name in context.facts.reachable]
    safe = {function.name: always_set(function) | _returned_scalar(function) for function in functions}
    for cell, memory in cells.items():
        data = [made for made in memory.region.objects if made.kind in ("alloca", "heap")]
        if cell.variable is None or not data or all(_is_set(made, safe) for made in data):
            continue
        sort = array(context.pointer, bitvec(1)) if cell.is_array else bitvec(1)
        cell.mark = var(context.names.fresh(f"{cell.variable.name}.set"), sort)
        if cell.owner == "":
            context.declare(cell.mark)


def _is_set(made: Object, safe: dict[str, frozenset[str]]) -> bool:
    return made.kind == "alloca" and made.name in safe.get(made.function, ())


def _returned_scalar(function: l.FunctionDefinition) -> frozenset[str]:
    """The local for what a function returns: that it is not set is for `unreachable` to find. If it is a struct, it may
    be a variable of the program as well."""
    made = (one for one in function.instructions() if one.opcode == "alloca" and one.result == _RETURNED)
    return frozenset(_RETURNED for one in made if not isinstance(one.source, l.StructType))


def initial_marks(cells: dict[Cell, Memory], pointer_bits: int) -> tuple[Statement, ...]:
    made = []
    for cell in cells:
        if cell.mark is not None and cell.owner == "":
            value = const_array(bitvec(pointer_bits), UNSET) if cell.mark.sort.is_array else UNSET
            made.append(Assign((cell.mark,), (value,)))
    return tuple(made)


def mark_at(context: Context, cell: Cell, address: Term, marks: Term | None = None) -> Term:
    """One bit: whether a cell is set at an address. ``marks``: as they were before."""
    if cell.mark is None:
        return SET
    found = marks if marks is not None else cell.mark
    if not found.sort.is_array:
        return found
    mark = select(found, address)
    others = [_is_in(context, made, address) for made in cell.memory.region.objects if made.kind == "global"]
    if any(made.kind == "external" for made in cell.memory.region.objects):
        others.append(bits.compare(Op.BV_ULE, bv(1 << address.sort.width - 1, address.sort.width), address))
    return ite(disj_all(others), SET, mark) if others else mark


def _is_in(context: Context, made: Object, address: Term) -> Term:
    start, size = context.storage.address(made.name), context.storage.size(made) or 0
    width = address.sort.width
    return bits.compare(Op.BV_ULE, bits.plus(address, -start), bv(size, width))


def condition(function: FunctionLowering, instruction: l.Instruction, address: Term) -> Term | None:
    """What must hold where the program reads a scalar; None: there is nothing to check. Of a struct that the compiler
    passes as a number, nobody knows whether its parts are read: there, a violation is in doubt."""
    if is_ours(function.function) or _keeps_bits(function.function, instruction):
        return None
    passed = _passed(function.function, instruction)
    found = _all_set(function, instruction, instruction.type if passed is None else passed, address)
    if found is None or passed is None:
        return found
    return disj_all((found, function.body.any("unread", BOOL, _PASSED)))


def _all_set(function: FunctionLowering, instruction: l.Instruction, type: l.Type, address: Term) -> Term | None:
    context, (memory, offset) = function.context, function.memory.place(instruction.operands[0])
    marks = [
        mark_at(context, cell, bits.plus(address, inner + distance))
        for inner, leaf in context.layout.leaves(type)
        for cell, distance in memory.pieces(offset[0] + inner, context.layout.stored(leaf))
    ]
    wanted = [bits.same(mark, SET) for mark in marks if mark is not SET]
    return conj_all(wanted) if wanted else None


def _passed(function: l.FunctionDefinition, load: l.Instruction) -> l.Type | None:
    """The struct that is passed or returned as a number, or as several: the load is of its first part."""
    made = _maker(function, load.operands[0])
    if made is not None and made.opcode == "getelementptr":
        base = _maker(function, made.operands[0])
        if base is None or base.opcode != "alloca" or made.source == base.source:
            return None
        made = base if isinstance(made.source, l.StructType) else None
    if made is None or made.opcode != "alloca" or not isinstance(made.source, l.StructType):
        return None
    users = [one for one in function.instructions() if l.Local(load.result or "", load.type) in one.operands]
    return made.source if all(one.opcode in ("call", "ret", "insertvalue") for one in users) else None


def _maker(function: l.FunctionDefinition, value: l.Value) -> l.Instruction | None:
    if not isinstance(value, l.Local):
        return None
    return next((one for one in function.instructions() if one.result == value.name), None)


def _keeps_bits(function: l.FunctionDefinition, load: l.Instruction) -> bool:
    """Whether the compiler reads a word to set one of its bit fields."""
    users = [one for one in function.instructions() if l.Local(load.result or "", load.type) in one.operands]
    if not users or any(one.opcode != "and" for one in users):
        return False
    results = {one.result for one in users}
    later = [one for one in function.instructions() if any(getattr(v, "name", "") in results for v in one.operands)]
    return bool(later) and all(one.opcode == "or" for one in later)
