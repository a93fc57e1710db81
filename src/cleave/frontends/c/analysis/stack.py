"""Arrays of variable length that end where the stack is restored, before the function does.

    %k = llvm.stacksave()      store %k, %slot      %vla = alloca i32, i64 %n      … llvm.stackrestore(load %slot)

What is allocated after the stack was saved, on some way to where that is restored, ends there.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.frontends.c.llvm import module as l

_SAVE, _RESTORE = "llvm.stacksave", "llvm.stackrestore"


def restored(function: l.FunctionDefinition) -> dict[int, tuple[str, ...]]:
    """For each place where the stack is restored, by the instruction's identity, the allocations that end there."""
    slots = {one.result: one.operands[0] for one in function.instructions() if one.opcode == "load"}
    saved = {one.result for one in function.instructions() if _calls(one, _SAVE)}
    made: dict[l.Value, tuple[str, ...]] = {}
    for block in function.blocks.values():
        for position, one in enumerate(block.instructions):
            value = one.operands[0] if one.opcode == "store" else None
            if isinstance(value, l.Local) and value.name in saved:
                slot = one.operands[1]
                found = dict.fromkeys((*made.get(slot, ()), *_allocated(function, block, position + 1, slot, slots)))
                made[slot] = tuple(found)
    return {
        id(one): made.get(slots.get(_name(one.operands[0]), one.operands[0]), ())
        for one in function.instructions()
        if _calls(one, _RESTORE)
    }


def _allocated(
    function: l.FunctionDefinition, block: l.BasicBlock, start: int, slot: l.Value, slots: dict[str | None, l.Value]
) -> Iterator[str]:
    pending, seen = [block.instructions[start:]], set[str]()
    while pending:
        instructions = pending.pop()
        for one in instructions:
            if one.opcode == "alloca" and one.result is not None:
                yield one.result
            if _calls(one, _RESTORE) and slots.get(_name(one.operands[0])) == slot:
                break
        else:
            for label in instructions[-1].labels:
                if label not in seen:
                    seen.add(label)
                    pending.append(function.blocks[label].instructions)


def _calls(instruction: l.Instruction, name: str) -> bool:
    callee = instruction.callee
    return instruction.opcode == "call" and isinstance(callee, l.GlobalRef) and callee.name.startswith(name)


def _name(value: l.Value) -> str | None:
    return value.name if isinstance(value, l.Local) else None
