"""Which locals are set on every way to each of their uses.

    int x; if (c) x = 1; else x = 2; return x;          x is
    int y; if (c) y = 1; return y;                      y is not

Only locals that are read and written by name: of others, and of parts of others, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.c.llvm import module as l


def always_set(function: l.FunctionDefinition) -> frozenset[str]:
    """The registers of such locals."""
    sources = {i.result: i.source for i in function.instructions() if i.opcode == "alloca" and i.result}
    plain = {name for name, source in sources.items() if not isinstance(source, l.StructType | l.ArrayType)}
    for instruction in function.instructions():
        plain -= set(_escaping(instruction))
    return frozenset(plain - _read_before(function, plain))


def _escaping(instruction: l.Instruction) -> Iterable[str]:
    """The locals that an instruction uses other than by reading or writing them."""
    values = instruction.operands
    if instruction.opcode == "load":
        values = ()
    elif instruction.opcode == "store":
        values = instruction.operands[:1]
    elif instruction.opcode == "call" and isinstance(instruction.callee, l.GlobalRef):
        values = () if instruction.callee.name.startswith("llvm.lifetime") else values
    return [value.name for value in values if isinstance(value, l.Local)]


def _read_before(function: l.FunctionDefinition, names: set[str]) -> set[str]:
    """Those that may be read before they are set: what is set at the start of each block is found in rounds."""
    first, *_ = function.blocks
    known: dict[str, frozenset[str]] = {first: frozenset()}
    pending = [first]
    while pending:
        block = function.blocks[pending.pop()]
        after = known[block.label] | {name for name in map(_set_by, block.instructions) if name in names}
        for label in block.instructions[-1].labels:
            new = after if label not in known else known[label] & after
            if label not in known or new != known[label]:
                known[label] = frozenset(new)
                pending.append(label)
    found: set[str] = set()
    for label, before in known.items():
        now = set(before)
        for instruction in function.blocks[label].instructions:
            if instruction.opcode == "load" and isinstance(instruction.operands[0], l.Local):
                found |= ({instruction.operands[0].name} & names) - now
            now.add(_set_by(instruction) or "")
    return found


def _set_by(instruction: l.Instruction) -> str | None:
    if instruction.opcode != "store" or not isinstance(instruction.operands[1], l.Local):
        return None
    return instruction.operands[1].name
