"""``pthread_cleanup_push`` and ``pthread_cleanup_pop``, as glibc's headers write them.

    if (__sigsetjmp(buffer, 0)) { routine(argument); __pthread_unwind_next(&buffer); }      the landing
    __pthread_register_cancel(&buffer);                                                     push
    …
    __pthread_unregister_cancel(&buffer);                                                   pop

Nothing jumps: ``__sigsetjmp`` returns 0, a variable of the function says whether a routine is registered, and where the
thread ends below the function, `exits` goes to the landings of those that are, the last one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.frontends.c.analysis.pointed import callee
from cleave.frontends.c.llvm import module as l

UNWIND = "__pthread_unwind_next"
_SAVE, _PUSH, _POP = "__sigsetjmp", "__pthread_register_cancel", "__pthread_unregister_cancel"
_BIT = l.IntType(1)


def lands(function: l.FunctionDefinition) -> bool:
    return any(callee(instruction) == UNWIND for instruction in function.instructions())


class Cleanups:
    """Those of one function."""

    def __init__(self, function: l.FunctionDefinition) -> None:
        self._function = function
        self._landings: dict[str, str] = {}  # by buffer: the label of the block that calls the routine
        for block in function.blocks.values():
            for instruction in block.instructions:
                if callee(instruction) == UNWIND:
                    self._landings[_buffer(instruction)] = block.label

    def rewrite(self) -> None:
        """All but the landings' ends."""
        for block in self._function.blocks.values():
            block.instructions = [made for instruction in block.instructions for made in self._instruction(instruction)]
        first = next(iter(self._function.blocks.values()))
        first.instructions[:0] = [made for buffer in self._landings for made in _declared(buffer)]

    def _instruction(self, instruction: l.Instruction) -> Iterator[l.Instruction]:
        name = callee(instruction)
        if name.startswith((_PUSH, _POP)):
            yield _set(_buffer(instruction), name.startswith(_PUSH), instruction)
        elif name == _SAVE:
            zero = l.ConstInt(l.IntType(32), 0)
            yield replace(instruction, opcode="freeze", callee=None, signature=None, operands=(zero,))
        else:
            yield instruction

    def dispatch(self, label: str, leave: list[l.Instruction], land: list[l.Instruction]) -> Iterator[l.BasicBlock]:
        """Blocks from ``label`` on that call what is registered; ``leave`` is what is done if nothing is, ``land``
        what comes before a routine."""
        for number, (buffer, landing) in enumerate(reversed(self._landings.items())):
            is_set, found, following = (
                l.Local(f"{label}.{number}", _BIT),
                f"{label}.land.{number}",
                f"{label}.next.{number}",
            )
            load = l.Instruction(opcode="load", result=is_set.name, type=_BIT, operands=(_variable(buffer),))
            yield l.BasicBlock(label, [load, l.Instruction(opcode="br", operands=(is_set,), labels=(found, following))])
            jump = l.Instruction(opcode="br", labels=(landing,))
            yield l.BasicBlock(found, [_set(buffer, False, jump), *map(replace, land), jump])
            label = following
        yield l.BasicBlock(label, leave)


def _buffer(call: l.Instruction) -> str:
    buffer = call.operands[0]
    return buffer.name if isinstance(buffer, l.Local) else ""


def _variable(buffer: str) -> l.Local:
    return l.Local(f"{buffer}.registered", l.POINTER)


def _declared(buffer: str) -> Iterator[l.Instruction]:
    one = l.ConstInt(l.IntType(32), 1)
    variable = _variable(buffer)
    declaration = l.Instruction(opcode="alloca", result=variable.name, type=l.POINTER, operands=(one,), source=_BIT)
    yield declaration
    yield _set(buffer, False, declaration)


def _set(buffer: str, registered: bool, at: l.Instruction) -> l.Instruction:
    value = l.ConstInt(_BIT, int(registered))
    return l.Instruction(opcode="store", operands=(value, _variable(buffer)), location=at.location)
