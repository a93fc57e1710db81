"""Where execution starts: main, or what the user says, or the only function that no other function calls. Functions
with the attribute ``constructor`` are called there first."""

from __future__ import annotations

from cleave.errors import UnsupportedError, UsageError
from cleave.frontends.c.analysis.calls import references
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l


def choose_entry(module: l.Module, wanted: str | None) -> str:
    defined = {name: function for name, function in module.functions.items() if function.blocks}
    if wanted is not None or "main" in defined:
        name = wanted or "main"
        if name not in defined:
            raise UsageError(f"there is no function {name!r} with a body to start from")
        return name
    used = {mentioned for function in defined.values() for mentioned in _mentioned(function)}
    tops = [f.name for f in defined.values() if not f.internal and f.name not in used and f.location is not None]
    tops = [name for name in tops if not is_ours(defined[name]) and name not in module.constructors]
    if len(tops) != 1:
        listed = ", ".join(sorted(tops)[:5]) or "no other function can be the one"
        raise UsageError(f"there is no function main; say where to start: {listed}")
    return tops[0]


def call_constructors(module: l.Module, entry: str) -> None:
    """Changes ``entry``, which starts by calling them."""
    if not module.constructors:
        return
    function = module.functions[entry]
    if any(entry in _mentioned(other) for other in module.functions.values() if other is not function) or any(
        instruction.callee == l.GlobalRef(entry) for instruction in function.instructions()
    ):
        raise UnsupportedError("constructors are not supported where the program calls its entry itself")
    first = next(iter(function.blocks.values()))
    first.instructions[:0] = [
        l.Instruction(
            opcode="call",
            callee=l.GlobalRef(name),
            signature=l.FunctionType(l.VOID, ()),
            location=module.functions[name].location,
        )
        for name in module.constructors
    ]


def _mentioned(function: l.FunctionDefinition) -> set[str]:
    """The functions that ``function`` calls or points to, itself apart."""
    found = set()
    for instruction in function.instructions():
        values = instruction.operands if instruction.callee is None else (*instruction.operands, instruction.callee)
        found |= {name for value in values for name in references(value)}
    return found - {function.name}
