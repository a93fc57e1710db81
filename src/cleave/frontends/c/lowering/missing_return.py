"""Functions that can end without a return statement though they return a value: using the value is undefined.

    int f(int x) { if (x) return 1; }           proc f(x) -> (result, returned): returned is false where x is zero
    y = f(0);                                   call f(0) -> (f.result, returned); assert returned

Clang keeps the value in ``retval``; a way through the function that does not set it has no return statement.
Structures are left out: the compiler may build them in place, before the return statement.
"""

from __future__ import annotations

from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l

_VALUE = "retval"


def sets_value(instruction: l.Instruction) -> bool:
    """Whether it is what a return statement does; or the end of a thread, which returns to nobody."""
    if instruction.opcode == "ret":
        return any(isinstance(operand, l.ConstUndef) for operand in instruction.operands)
    return instruction.opcode == "store" and _is_value(instruction.operands[1])


def unreturning(module: l.Module) -> frozenset[str]:
    """The program's functions that may end without a return statement and return a scalar."""
    own = (function for function in module.functions.values() if function.blocks and not is_ours(function))
    return frozenset(function.name for function in own if _may_miss(function))


def _may_miss(function: l.FunctionDefinition) -> bool:
    first, *_ = function.blocks.values()
    slots = [i for i in first.instructions if i.opcode == "alloca" and i.result == _VALUE]
    if not slots or _VALUE in function.variables or isinstance(slots[0].source, l.StructType | l.ArrayType):
        return False
    reached, pending = {first.label}, [first.label]
    while pending:
        block = function.blocks[pending.pop()]
        if any(map(sets_value, block.instructions)):
            continue
        last = block.instructions[-1]
        if last.opcode == "ret":
            return True
        new = [label for label in last.labels if label not in reached]
        reached.update(new)
        pending += new
    return False


def _is_value(pointer: l.Value) -> bool:
    return isinstance(pointer, l.Local) and pointer.name == _VALUE
