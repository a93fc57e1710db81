"""Computed goto: the address of a label is that of a constant of its own, and the jump compares with all of them.

    void *p = &&a;                  p := &a.label
    goto *p;                        if (p == &a.label) goto a; if (p == &b.label) goto b; …

To jump to what is no label of the function is a violation where memory is checked.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.module import references
from cleave.frontends.c.llvm.tokens import LABEL

_BIT = l.IntType(1)
_REQUIRE = "__cleave_require"
_TEXT = f"{LABEL}text"
_SAID = b"goto is given an address that is no label of the function\0"


def lower_jumps(module: l.Module) -> None:
    """Changes one module, before it is linked."""
    for function in list(module.functions.values()):
        for block in list(function.blocks.values()):
            if block.instructions and block.instructions[-1].opcode == "indirectbr":
                _lower(module, function, block)
    for name in dict.fromkeys(_labels(module)):
        byte = l.IntType(8)
        made = l.GlobalVariable(name=name, type=byte, initializer=l.ConstInt(byte, 0), constant=True, internal=True)
        made.source_name = f"&{name.rpartition('.')[2]}"
        module.globals[name] = made


def _labels(module: l.Module) -> list[str]:
    values = [one.initializer for one in module.globals.values() if one.initializer is not None]
    for function in module.functions.values():
        values += [value for one in function.instructions() for value in one.operands]
    return [name for value in values for name in references(value) if name.startswith(LABEL) and name != _TEXT]


def _lower(module: l.Module, function: l.FunctionDefinition, block: l.BasicBlock) -> None:
    """Clang makes one jump for all of a function, which gets the address from where each ``goto`` is. What it does is
    done there."""
    jump = block.instructions[-1]
    into: dict[str, list[str]] = {label: [] for label in jump.labels}
    first = block.instructions[0]
    if len(block.instructions) == 2 and first.opcode == "phi":
        del function.blocks[block.label]
        for value, label in zip(first.operands, first.labels, strict=True):
            here = function.blocks[label]
            last = here.instructions.pop()
            _compare(
                module, function, here, replace(jump, operands=(value,), debug=last.debug, location=last.location), into
            )
    else:
        block.instructions.pop()
        _compare(module, function, block, jump, into)
    for label, sources in into.items():
        _come_from(function.blocks[label], block.label, sources)


def _compare(
    module: l.Module,
    function: l.FunctionDefinition,
    here: l.BasicBlock,
    jump: l.Instruction,
    into: dict[str, list[str]],
) -> None:
    """A block for each label that the jump can reach, one after the other, and one for no label."""
    start = here.label
    for number, label in enumerate(into):
        otherwise = f"{start}.{LABEL}{number}"
        condition = l.Local(f"{LABEL}{start}.{number}", _BIT)
        operands = (jump.operands[0], l.GlobalRef(f"{LABEL}{function.name}.{label}"))
        equal = replace(
            jump, opcode="icmp", result=condition.name, type=_BIT, operands=operands, predicate="eq", labels=()
        )
        here.instructions += [equal, replace(jump, opcode="br", operands=(condition,), labels=(label, otherwise))]
        into[label].append(here.label)
        here = function.blocks[otherwise] = l.BasicBlock(otherwise, [])
    here.instructions += [_never(module, jump), replace(jump, opcode="unreachable", operands=(), labels=())]


def _come_from(target: l.BasicBlock, before: str, now: list[str]) -> None:
    """Phis see other blocks that lead there."""
    for index, one in enumerate(target.instructions):
        if one.opcode == "phi":
            pairs = dict.fromkeys(
                (value, source)
                for value, label in zip(one.operands, one.labels, strict=True)
                for source in (now if label == before else [label])
            )
            values, labels = zip(*pairs, strict=True)
            target.instructions[index] = replace(one, operands=values, labels=labels)


def _never(module: l.Module, jump: l.Instruction) -> l.Instruction:
    type = l.ArrayType(len(_SAID), l.IntType(8))
    text = l.ConstBytes(type, _SAID)
    module.globals[_TEXT] = l.GlobalVariable(name=_TEXT, type=type, initializer=text, constant=True, internal=True)
    signature = l.FunctionType(l.VOID, (l.IntType(32), l.POINTER))
    module.functions.setdefault(_REQUIRE, l.FunctionDefinition(name=_REQUIRE, type=signature))
    operands = (l.ConstInt(l.IntType(32), 0), l.GlobalRef(_TEXT))
    callee, byval = l.GlobalRef(_REQUIRE), (None, None)
    return replace(jump, opcode="call", operands=operands, labels=(), callee=callee, signature=signature, byval=byval)
