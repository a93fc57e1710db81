"""Which function an instruction calls, as far as names say; and which functions a call through a pointer may reach."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.c.llvm import module as l

POINTED = "*"  # stands for all functions that pointers may point to
STARTS = {"pthread_create": 2, "thrd_create": 1}  # with the position of the function to run
SPAWN = "__cleave_spawn"  # what all of them become, see `threads`
_STARTS = {**STARTS, SPAWN: 0}


def callee(instruction: l.Instruction) -> str:
    """The function that is called, or `POINTED`; empty if it is no call."""
    if instruction.opcode != "call" or isinstance(instruction.callee, l.InlineAssembly):
        return ""
    return instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else POINTED


def pointed_functions(module: l.Module) -> list[str]:
    """The functions whose addresses are used, other than to start a thread in them."""
    used: list[l.Value] = [v.initializer for v in module.globals.values() if v.initializer is not None]
    for function in module.functions.values():
        for instruction in function.instructions():
            started = _STARTS.get(name := callee(instruction))
            if name in module.functions and module.functions[name].blocks:
                started = None  # the program's own
            used += (operand for position, operand in enumerate(instruction.operands) if position != started)
    return [name for name in _names(used) if name in module.functions]


def _names(values: Iterable[l.Value]) -> dict[str, None]:
    """In the order in which they are met."""
    found: dict[str, None] = {}
    waiting = list(values)
    while waiting:
        match waiting.pop():
            case l.GlobalRef(name):
                found[name] = None
            case l.ConstAggregate(elements=inner) | l.ConstExpression(operands=inner):
                waiting += inner
            case _:
                pass
    return found
