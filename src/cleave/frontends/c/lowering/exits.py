"""``pthread_exit`` below the function that a thread started with: every call on the way returns.

void stop(void) { pthread_exit(0); }        void stop(void) { exiting[self] = 1; return; }
… stop(); …                                 … stop(); if (exiting[self]) return; …

What was registered to clean up (`cleanups`) is called before a function returns so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.frontends.c.analysis.pointed import POINTED, callee, pointed_functions
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.cleanups import UNWIND, Cleanups, lands

FLAGS = "__cleave_exiting"
_EXIT = "exit.thread"  # a label
_BYTE = l.IntType(8)


class Exits:
    """``exits`` are the functions that end a thread, ``results`` the array that keeps what threads return, or None.
    ``last``: what some functions call before they return."""

    def __init__(
        self,
        module: l.Module,
        entry: str,
        exits: tuple[str, ...],
        results: str | None,
        threads: int,
        last: dict[str, tuple[str, ...]],
    ) -> None:
        self._module = module
        self._entry = entry
        self._exits = exits
        self._results = results
        self._flags = l.ArrayType(threads, _BYTE)
        self._count = 0
        self._last = last
        self._cleanups: dict[str, Cleanups] = {}

    def rewrite(self) -> None:
        for function in self._module.functions.values():
            if lands(function):
                self._cleanups[function.name] = made = Cleanups(function)
                made.rewrite()
        leaving = self._leaving()
        if not leaving:
            return
        self._module.globals[FLAGS] = flags = l.GlobalVariable(
            name=FLAGS, type=self._flags, initializer=l.ConstZero(self._flags)
        )
        flags.source_name = "exiting"
        for function in list(self._module.functions.values()):
            if function.blocks:
                self._function(function, leaving)

    def _leaving(self) -> frozenset[str]:
        """The functions that may end the thread below them; one of them is `POINTED`, if calls through pointers may."""
        callers: dict[str, set[str]] = {}
        for function in self._module.functions.values():
            for instruction in function.instructions():
                callers.setdefault(callee(instruction), set()).add(function.name)
        for name in pointed_functions(self._module):
            callers.setdefault(name, set()).add(POINTED)
        found = {name for exit in self._exits for name in callers.get(exit, ())}
        pending = list(found)
        while pending:
            for caller in callers.get(pending.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    pending.append(caller)
        return frozenset(found)

    def _function(self, function: l.FunctionDefinition, leaving: frozenset[str]) -> None:
        blocks: dict[str, l.BasicBlock] = {}
        last: dict[str, str] = {}  # where what was a block ends now
        for block in function.blocks.values():
            for part in self._parts(function, block, leaving):
                blocks[part.label] = part
                last[block.label] = part.label
        if len(blocks) > len(function.blocks) or function.name in self._cleanups:
            blocks |= {block.label: block for block in self._exit_blocks(function)}
        for block in blocks.values():
            for instruction in block.instructions:
                if instruction.opcode == "phi":
                    instruction.labels = tuple(last.get(label, label) for label in instruction.labels)
        function.blocks = blocks

    def _exit_blocks(self, function: l.FunctionDefinition) -> Iterator[l.BasicBlock]:
        leave = list(self._out(function))
        cleanups = self._cleanups.get(function.name)
        if cleanups is None:
            yield l.BasicBlock(_EXIT, leave)
        else:
            yield from cleanups.dispatch(_EXIT, leave, self._flag(0))

    def _parts(
        self, function: l.FunctionDefinition, block: l.BasicBlock, leaving: frozenset[str]
    ) -> Iterator[l.BasicBlock]:
        part = l.BasicBlock(block.label)
        for instruction in block.instructions:
            name = callee(instruction)
            if name in (*self._exits, UNWIND):
                part.instructions += self._mark(instruction, keeps=name != UNWIND)
                to_exit = l.Instruction(opcode="br", labels=(_EXIT,), location=instruction.location)
                part.instructions += [to_exit] if function.name in self._cleanups else self._out(function)
                yield part
                return
            part.instructions.append(instruction)
            if name in leaving:
                self._count += 1
                following = f"{block.label}.after.{self._count}"
                part.instructions += self._look(instruction, following)
                yield part
                part = l.BasicBlock(following)
        yield part

    def _place(self, array: str, type: l.ArrayType) -> tuple[list[l.Instruction], l.Local]:
        """Code that finds this thread's element of an array."""
        self._count += 1
        word = l.IntType(self._module.bits)
        me, place = l.Local(f"me.exit.{self._count}", word), l.Local(f"place.exit.{self._count}", l.POINTER)
        code = [
            l.Instruction(
                opcode="call",
                result=me.name,
                type=word,
                callee=l.GlobalRef("__cleave_self"),
                signature=l.FunctionType(word, ()),
            ),
            l.Instruction(
                opcode="getelementptr",
                result=place.name,
                type=l.POINTER,
                operands=(l.GlobalRef(array), l.ConstInt(l.IntType(32), 0), me),
                source=type,
            ),
        ]
        return code, place

    def _flag(self, value: int) -> list[l.Instruction]:
        """Code that says whether this thread is ending."""
        code, place = self._place(FLAGS, self._flags)
        return [*code, l.Instruction(opcode="store", operands=(l.ConstInt(_BYTE, value), place))]

    def _mark(self, call: l.Instruction, *, keeps: bool) -> list[l.Instruction]:
        """``keeps``: what the call is given is what the thread returns."""
        code = self._flag(1)
        if keeps and self._results is not None and call.operands:
            keep, place = self._place(self._results, l.ArrayType(self._flags.count, l.POINTER))
            code += [*keep, l.Instruction(opcode="store", operands=(call.operands[0], place))]
        return [replace(instruction, location=call.location) for instruction in code]

    def _look(self, call: l.Instruction, following: str) -> list[l.Instruction]:
        code, place = self._place(FLAGS, self._flags)
        flag = l.Local(f"{place.name}.flag", _BYTE)
        condition = l.Local(f"{place.name}.set", l.IntType(1))
        code += [
            l.Instruction(opcode="load", result=flag.name, type=_BYTE, operands=(place,)),
            l.Instruction(
                opcode="icmp",
                result=condition.name,
                type=condition.type,
                operands=(flag, l.ConstInt(_BYTE, 0)),
                predicate="ne",
            ),
            l.Instruction(opcode="br", operands=(condition,), labels=(_EXIT, following)),
        ]
        return [replace(instruction, location=call.location) for instruction in code]

    def _out(self, function: l.FunctionDefinition) -> Iterator[l.Instruction]:
        type = function.type.result
        for name in self._last.get(function.name, ()):
            yield l.Instruction(opcode="call", callee=l.GlobalRef(name), location=function.location)
        if function.name == self._entry:  # the others go on, and the program ends when they have ended
            yield l.Instruction(opcode="unreachable", location=function.location)
        else:
            values = () if isinstance(type, l.VoidType) else (l.ConstUndef(type),)
            yield l.Instruction(opcode="ret", operands=values, location=function.location)
