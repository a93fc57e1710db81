"""Where compound literals begin and end: Clang says that of variables only, so the debug metadata are used.

    { p = &(int){5}; }      llvm.lifetime.start(literal)    before it is first used
    return *p;              llvm.lifetime.end(literal)      where control has left the block

A literal lives as long as the block that it is written in. One that is written in the function's outermost block needs
no marks, as it ends with the function.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import DebugInfo

_LITERAL = ".compoundliteral"
_BEGIN, _END = "llvm.lifetime.start.p0", "llvm.lifetime.end.p0"


def mark_literals(module: l.Module) -> None:
    """Of a module in which variables are marked: see `clang.blocks`."""
    if _END not in module.functions:
        return
    for function in module.functions.values():
        if function.info is None:
            continue
        made = [one.result for one in function.instructions() if one.opcode == "alloca" and one.result]
        for name in made:
            if name.startswith(_LITERAL):
                _mark(function, function.info, l.Local(name, l.POINTER))


def _mark(function: l.FunctionDefinition, info: DebugInfo, literal: l.Local) -> None:
    first = next((one for one in function.instructions() if _uses(one, literal) and one.debug is not None), None)
    around = () if first is None else info.blocks_around(first.debug)
    if not around:
        return
    inside = {label: list(_inside(block, info, around[0])) for label, block in function.blocks.items()}
    left = {
        target
        for label, block in function.blocks.items()
        if inside[label][-1]
        for target in block.instructions[-1].labels
    }
    for label, block in function.blocks.items():
        was_inside, made = label in left, []
        for one, is_inside in zip(block.instructions, inside[label], strict=True):
            if was_inside and not is_inside and one.opcode != "phi":
                made.append(_marker(_END, literal, one))
            was_inside = is_inside or (was_inside and one.opcode == "phi")
            if one is first:
                made.append(_marker(_BEGIN, literal, one))
            made.append(one)
        block.instructions = made


def _inside(block: l.BasicBlock, info: DebugInfo, scope: int) -> Iterator[bool]:
    """Whether each instruction is in a block of the source. One without a place is where the one before is."""
    known = (scope in info.blocks_around(one.debug) for one in block.instructions if one.debug is not None)
    here = next(known, False)
    for one in block.instructions:
        if one.debug is not None:
            here = scope in info.blocks_around(one.debug)
        yield here


def _uses(one: l.Instruction, literal: l.Local) -> bool:
    return any(isinstance(operand, l.Local) and operand.name == literal.name for operand in one.operands)


def _marker(name: str, literal: l.Local, at: l.Instruction) -> l.Instruction:
    signature = l.FunctionType(l.VOID, (l.POINTER,))
    return l.Instruction(
        opcode="call",
        operands=(literal,),
        callee=l.GlobalRef(name),
        signature=signature,
        byval=(None,),
        debug=at.debug,
        location=at.location,
    )
