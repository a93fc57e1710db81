"""Assembly code in functions: what it may do, by its constraints.

    asm volatile("" ::: "memory"), mfence       nothing
    asm("" : "+r"(x))                           nothing: x keeps its value
    asm volatile("ud2")                         the execution ends
    asm("bsrl %1, %0" : "=r"(x) : "r"(y))       x is any value
    asm volatile("…" ::: "memory")              as a function without a body

A violation that depends on one of the last two is in doubt.
"""

from __future__ import annotations

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.records import dataclass

_FENCES = frozenset(("mfence", "lfence", "sfence", "pause", "rep; nop", "rep nop", "nop"))  # of no consequence here
_TRAPS = frozenset(("ud2", "int3", "int $3", "hlt"))
_TRAP = "llvm.trap"


@dataclass(frozen=True, slots=True)
class Assembly:
    """What the constraints of one call say. ``tied``: for each output that is an input, too, the position of that."""

    is_empty: bool
    touches_memory: bool
    tied: dict[int, int]


def understood(code: l.InlineAssembly) -> Assembly:
    tied: dict[int, int] = {}
    taken = 0
    parts = [part for part in code.constraints.split(",") if part]
    for part in parts:
        if part.startswith(("~", "!")) or (part.startswith("=") and "*" not in part):
            continue
        if part.isdigit():
            tied[int(part)] = taken
        taken += 1
    text = code.text.replace("$$", "$").strip().rstrip(";").strip()
    touches = any(part == "~{memory}" or part.startswith("=*") for part in parts)
    return Assembly(not text or text in _FENCES, touches, tied)


def name_of(instruction: l.Instruction) -> str:
    """What a verdict says about it."""
    place = instruction.location
    return "what the assembly code does" if place is None else f"what the assembly code in line {place.line} does"


def lower_assembly(module: l.Module) -> None:
    """Changes the module: traps become calls that end executions, code that may change memory calls of functions."""
    for function in list(module.functions.values()):
        for instruction in function.instructions():
            code = instruction.callee
            if instruction.opcode != "call" or not isinstance(code, l.InlineAssembly):
                continue
            if code.text.replace("$$", "$").strip() in _TRAPS:
                _call(module, instruction, _TRAP, ())
            elif not understood(code).is_empty and understood(code).touches_memory:
                _refuse_names(module, instruction, code)
                _call(module, instruction, name_of(instruction), instruction.operands)


def _call(module: l.Module, instruction: l.Instruction, name: str, operands: tuple[l.Value, ...]) -> None:
    type = l.FunctionType(instruction.type, tuple(operand.type for operand in operands), False)
    known = module.functions.setdefault(name, l.FunctionDefinition(name=name, type=type))
    instruction.callee, instruction.operands = l.GlobalRef(name), operands
    instruction.signature, instruction.byval = known.type, (None,) * len(operands)


def _refuse_names(module: l.Module, instruction: l.Instruction, code: l.InlineAssembly) -> None:
    """Code that names variables may change those that it is not given."""
    words = set(code.text.replace("(", " ").replace(")", " ").replace(",", " ").replace("$", " ").split())
    named = words & {name for name, variable in module.globals.items() if variable.internal}
    if named:
        message = f"assembly code that names the variable {min(named)} is not supported"
        raise unsupported(message, instruction.location)
