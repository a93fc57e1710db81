"""The addresses that getelementptr computes.

getelementptr [10 x i32], ptr %a, i64 0, i64 %i         a + 4 * i, or with threads, a choice among few constants
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import walk_indices
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.context import Context
from cleave.logic.terms import Term, bv, ite

_FEW_ELEMENTS = 16


def element_pointer(context: Context, instruction: l.Instruction, term_of: Callable[[l.Value], Term]) -> Term:
    """``term_of`` is what a value stands for where the instruction is."""
    assert instruction.source is not None
    constant, variable = walk_indices(context.layout, instruction.source, instruction.operands[1:])
    width = context.module.bits
    base = term_of(instruction.operands[0])
    address = bits.plus(base, constant)
    for index, size in variable:
        term = term_of(index)
        wide = bits.sign_extended(term, width) if term.sort.width < width else bits.truncated(term, width)
        address = bits.add(address, bits.mul(wide, bv(size, width)))
    if context.has_threads and not address.is_value and len(variable) == 1 and base.is_value:
        (index, size), *_ = variable
        return _one_of_few(instruction, base.value, term_of(index), size, address)
    return address


def _one_of_few(instruction: l.Instruction, base: int, index: Term, size: int, address: Term) -> Term:
    """The address of an element of a small array as a choice among all of them: the search for schedules counts
    on few values. The last choice, one past the end, also stands for all that no pointer in C can be."""
    source, width = instruction.source, address.sort.width
    count = source.count if isinstance(source, l.ArrayType) else 0
    if not 0 < count <= _FEW_ELEMENTS or len(instruction.operands) != 3:
        return address
    chosen: Term = bv(base + count * size, width)
    for position in reversed(range(count)):
        here = bv(base + position * size, width)
        chosen = ite(bits.same(index, bv(position, index.sort.width)), here, chosen)
    return chosen
