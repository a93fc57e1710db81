"""The locals of a function whose address stays in its frame: only loads, stores and address arithmetic use it."""

from __future__ import annotations

from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.llvm import module as l

_HARMLESS_CALLS = frozenset(
    (
        *(Kind.COPY, Kind.FILL, Kind.ZERO, Kind.READ, Kind.APART, Kind.REQUIRE, Kind.FREE, Kind.NOTHING),
        *(Kind.SCOPE_BEGIN, Kind.SCOPE_END, Kind.RESTORE),
    )
)
_DERIVING = frozenset(("getelementptr", "bitcast", "addrspacecast", "freeze", "phi", "select"))


def private_allocas(function: l.FunctionDefinition, module: l.Module) -> frozenset[str]:
    roots: dict[str, set[str]] = {}  # register: the allocas it may be derived from
    allocas = {i.result for i in function.instructions() if i.opcode == "alloca" and i.result is not None}
    for name in allocas:
        roots[name] = {name}
    changed = True
    while changed:
        changed = False
        for instruction in function.instructions():
            derives = instruction.opcode in _DERIVING or _is_harmless(instruction, module)
            if derives and instruction.result is not None:
                found = _roots(instruction.operands, roots)
                known = roots.setdefault(instruction.result, set())
                if not found <= known:
                    known |= found
                    changed = True
    escaping: set[str] = set()
    for instruction in function.instructions():
        escaping |= _roots(_leaking(instruction, module), roots)
    return frozenset(allocas - escaping)


def _roots(values: tuple[l.Value, ...], roots: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    for value in values:
        if isinstance(value, l.Local):
            found |= roots.get(value.name, set())
    return found


def _leaking(instruction: l.Instruction, module: l.Module) -> tuple[l.Value, ...]:
    """The operands whose value can be used outside the frame, or in ways that are not followed."""
    operands = instruction.operands
    if instruction.opcode in _DERIVING or instruction.opcode in ("load", "icmp"):
        return ()
    if instruction.opcode == "store":
        return operands[:1]
    if instruction.opcode in ("atomicrmw", "cmpxchg"):
        return operands[1:]
    return () if _is_harmless(instruction, module) else operands


def _is_harmless(instruction: l.Instruction, module: l.Module) -> bool:
    """Whether it is a call of a function that only gives back, at most, what it is given."""
    if instruction.opcode != "call" or not isinstance(instruction.callee, l.GlobalRef):
        return False
    return kind_of(instruction.callee.name, module) in _HARMLESS_CALLS
