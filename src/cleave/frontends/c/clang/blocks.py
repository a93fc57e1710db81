"""Whether the ends of the source's blocks matter: the address of a local of one may be known when the block ends.

    { int x; p = &x; }          it is stored
    { int x; list_add(&x); }    it is given to a function, and functions of the file keep pointers or return them

Clang tells where blocks end if it is asked to. That makes the program longer, so this looks first, at one file.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.frontends.c.clang.library import FILES, provided
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import DebugInfo

_LITERAL = ".compoundliteral"
_KEEPING = frozenset(("pthread_create", "thrd_create", "pthread_setspecific", "tss_set", "setbuf", "setvbuf"))
_SILENT = frozenset(("load", "icmp", "store"))


def needs_scopes(module: l.Module, file: str) -> bool:
    info = DebugInfo(module, file)
    keeps = any(_keeps(function) for function in module.functions.values())
    return any(
        _tells(instruction, derived, module, keeps)
        for function in module.functions.values()
        if (locals := set(_locals(function, info)))
        for derived in (_derived(function, locals),)
        for instruction in function.instructions()
    )


def _locals(function: l.FunctionDefinition, info: DebugInfo) -> Iterator[str]:
    """Those of blocks inside of the function, and compound literals."""
    for one in function.instructions():
        if one.opcode == "alloca" and one.result is not None:
            number = function.variables.get(one.result)
            if one.result.startswith(_LITERAL) or (number is not None and info.blocks_around(number)):
                yield one.result


def _derived(function: l.FunctionDefinition, locals: set[str]) -> set[str]:
    """The registers that may hold an address of these. Without optimisation, one that is stored is not followed."""
    found = set(locals)
    for one in function.instructions():
        if one.result is not None and one.opcode not in _SILENT and not found.isdisjoint(_names(one.operands)):
            found.add(one.result)
    return found


def _tells(one: l.Instruction, derived: set[str], module: l.Module, keeps: bool) -> bool:
    """Whether an instruction makes an address known to others."""
    if one.opcode in ("store", "ptrtoint", "insertvalue"):
        return not derived.isdisjoint(_names(one.operands[:1] if one.opcode != "insertvalue" else one.operands[1:]))
    if one.opcode in ("atomicrmw", "cmpxchg"):
        return not derived.isdisjoint(_names(one.operands[1:]))
    if one.opcode != "call" or derived.isdisjoint(_names(one.operands)):
        return False
    callee = one.callee
    if isinstance(callee, l.InlineAssembly):
        return False
    if not isinstance(callee, l.GlobalRef):
        return keeps
    if callee.name.startswith("llvm.") or _is_of_library(callee.name):
        return False
    return keeps or callee.name in _KEEPING or not _has_body(callee.name, module)


def _keeps(function: l.FunctionDefinition) -> bool:
    """Whether a function stores a pointer elsewhere than in a variable of its own."""
    own = {one.result for one in function.instructions() if one.opcode == "alloca"}
    return any(
        one.opcode == "store"
        and isinstance(one.operands[0], l.Local)
        and isinstance(one.operands[0].type, l.PointerType)
        and not (isinstance(one.operands[1], l.Local) and one.operands[1].name in own)
        for one in function.instructions()
    )


def _has_body(name: str, module: l.Module) -> bool:
    function = module.functions.get(name)
    return function is not None and bool(function.blocks)


def _is_of_library(name: str) -> bool:
    """Whether it has a model that keeps no pointer."""
    return name not in _KEEPING and any(name in provided(file) for file in FILES)


def _names(operands: tuple[l.Value, ...]) -> list[str]:
    return [one.name for one in operands if isinstance(one, l.Local)]
