"""Where execution starts: main, or what the user says, or the only function that no other function calls. Functions
with the attribute ``constructor`` are called there first, those with ``destructor`` or given to atexit last."""

from __future__ import annotations

from dataclasses import replace

from cleave.errors import UnsupportedError, UsageError
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.module import mentioned

END = "__cleave_end"  # of library/exit.c


def choose_entry(module: l.Module, wanted: str | None) -> str:
    defined = {name: function for name, function in module.functions.items() if function.blocks}
    if wanted is not None or "main" in defined:
        name = wanted or "main"
        if name not in defined:
            raise UsageError(f"there is no function {name!r} with a body to start from")
        return name
    used = {name for function in defined.values() for name in mentioned(function) - {function.name}}
    tops = [f.name for f in defined.values() if not f.internal and f.name not in used and f.location is not None]
    tops = [name for name in tops if not is_ours(defined[name]) and name not in module.constructors]
    if len(tops) != 1:
        listed = ", ".join(sorted(tops)[:5]) or "no other function can be the one"
        raise UsageError(f"there is no function main; say where to start: {listed}")
    return tops[0]


def call_constructors(module: l.Module, entry: str) -> None:
    """Changes ``entry``, which starts by calling them."""
    if module.constructors:
        first = next(iter(_entry(module, entry, "constructors").blocks.values()))
        first.instructions[:0] = [_call(module, name) for name in module.constructors]


def call_at_end(module: l.Module, entry: str) -> None:
    """Changes ``entry``, which ends by calling what was registered with atexit, and then destructors."""
    end = module.functions.get(END)
    if end is None or not end.blocks:
        return
    _call_before_return(end, [_call(module, name) for name in module.destructors])
    _call_before_return(_entry(module, entry, "functions that run at the end"), [_call(module, END)])


def _call_before_return(function: l.FunctionDefinition, calls: list[l.Instruction]) -> None:
    for block in function.blocks.values():
        if block.instructions[-1].opcode == "ret":
            place = block.instructions[-1].location
            block.instructions[-1:-1] = [replace(call, location=call.location or place) for call in calls]


def _entry(module: l.Module, entry: str, what: str) -> l.FunctionDefinition:
    function = module.functions[entry]
    if any(entry in mentioned(other) for other in module.functions.values() if other is not function) or any(
        instruction.callee == l.GlobalRef(entry) for instruction in function.instructions()
    ):
        raise UnsupportedError(f"{what} are not supported where the program calls its entry itself")
    return function


def _call(module: l.Module, name: str) -> l.Instruction:
    signature = l.FunctionType(l.VOID, ())
    place = module.functions[name].location if name != END else None
    return l.Instruction(opcode="call", callee=l.GlobalRef(name), signature=signature, location=place)
