"""Copies of the library's functions for threads, one for each call: the points-to analysis does not separate calls of
one function apart, and all locks of a program would be one region.

pthread_mutex_lock(&a); pthread_mutex_lock(&b);         pthread_mutex_lock.1(&a); pthread_mutex_lock.2(&b);
"""

from __future__ import annotations

from dataclasses import replace

from cleave.frontends.c.llvm import module as l
from cleave.ir.program import Location

LIBRARY = "<cleave>/threads.c"
DEADLOCK = "__cleave_deadlock"  # called where all threads wait for ever


def copy_library(module: l.Module) -> None:
    library = {f.name: f for f in module.functions.values() if f.location and f.location.file == LIBRARY and f.blocks}
    for function in library.values():
        _set_place(function, None)
    for function in list(module.functions.values()):
        if function.name in library:
            continue
        for instruction in function.instructions():
            callee = instruction.callee
            if instruction.opcode == "call" and isinstance(callee, l.GlobalRef) and callee.name in library:
                instruction.callee = l.GlobalRef(copied(module, callee.name, instruction.location))


def copied(module: l.Module, name: str, place: Location | None) -> str:
    """The name of a copy for the call at ``place``."""
    function = module.functions[name]
    count = 1
    while f"{function.name}.{count}" in module.functions:
        count += 1
    name = f"{function.name}.{count}"
    blocks = {
        label: l.BasicBlock(label, [replace(instruction) for instruction in block.instructions])
        for label, block in function.blocks.items()
    }
    module.functions[name] = made = replace(function, name=name, blocks=blocks)
    _set_place(made, place)
    return name


def _set_place(function: l.FunctionDefinition, place: Location | None) -> None:
    """A deadlock is where the program is, not where the library is."""
    for instruction in function.instructions():
        if instruction.callee == l.GlobalRef(DEADLOCK):
            instruction.location = place
