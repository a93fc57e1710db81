"""Functions with a variable number of arguments: a call stores these in memory of its own, one after the other, and the
function gets a pointer to them. So it is with arguments that find no room in registers, on each machine.

    sum(2, x, y)                    %rest = alloca [16 x i8]    store x, %rest    store y, %rest + 8    sum(2, %rest)
    int sum(int n, ...) { va_list v; va_start(v, n); … }        sum(n, %rest) { v := %rest … }

What ``va_arg`` reads is checked as other memory is: an argument that was not given lies outside of it. Clang writes for
``va_arg`` on 64 bit what finds the argument in a register, or else in memory. Only the latter stays.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cleave.frontends.c.analysis.pointed import pointed_functions
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.llvm.link import COPY

_START, _END, _COPY = "llvm.va_start", "llvm.va_end", "llvm.va_copy"
_REST = "given.arguments"
_IN_REGISTER, _IN_MEMORY = "vaarg.in_reg", "vaarg.in_mem"  # blocks that Clang makes; no label of C has a dot
_OFFSETS = ("gp_offset", "fp_offset", "fits_in_")
_PLACE = 8  # in a va_list of 64 bit, of the pointer to the arguments in memory
_BYTE = l.IntType(8)


def lower_variadic(module: l.Module) -> None:
    """Rewrites functions that use ``va_start``, their calls, and every ``va_arg``."""
    reading = [name for name, function in module.functions.items() if _calls(function, _START)]
    pointed = set(pointed_functions(module)) & set(reading) if reading else set()
    starts = {module.functions[name].type.parameters for name in pointed}
    for function in module.functions.values():
        _prune_registers(function)
        _Calls(module, function, frozenset(reading), starts).rewrite()
    for name in reading:
        function = module.functions[name]
        function.type = l.FunctionType(function.type.result, (*function.type.parameters, l.POINTER))
        function.parameters = (*function.parameters, l.Parameter(name=_REST, type=l.POINTER))


def is_variadic(function: l.FunctionDefinition) -> bool:
    """Whether its last parameter is the pointer to the arguments."""
    return any(parameter.name == _REST for parameter in function.parameters)


def holds_arguments(local: str) -> bool:
    """Whether a call stores its arguments there."""
    return local.startswith(f".{_REST}.")


def _calls(function: l.FunctionDefinition, name: str) -> bool:
    return any(_callee(instruction).startswith(name) for instruction in function.instructions())


def _callee(instruction: l.Instruction) -> str:
    return instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else ""


# --- va_arg ---------------------------------------------------------------------------------------------------------


def _prune_registers(function: l.FunctionDefinition) -> None:
    """No argument is in a register."""
    gone = {label for label in function.blocks if label.startswith(_IN_REGISTER)}
    if not gone:
        return
    for label in gone:
        del function.blocks[label]
    for block in function.blocks.values():
        last = block.instructions[-1]
        if last.opcode == "br" and last.labels[0] in gone:
            block.instructions[-1] = replace(last, operands=(), labels=last.labels[1:])
        block.instructions[:] = [_without(one, gone) if one.opcode == "phi" else one for one in block.instructions]
    _drop_offsets(function)


def _without(phi: l.Instruction, gone: Collection[str]) -> l.Instruction:
    kept = [(value, label) for value, label in zip(phi.operands, phi.labels, strict=True) if label not in gone]
    return replace(phi, operands=tuple(value for value, _ in kept), labels=tuple(label for _, label in kept))


def _drop_offsets(function: l.FunctionDefinition) -> None:
    """What only told whether there is an argument in a register."""
    while True:
        used = {one.name for each in function.instructions() for one in each.operands if isinstance(one, l.Local)}
        dropped = 0
        for block in function.blocks.values():
            kept = [one for one in block.instructions if one.result in used or not _is_offset(one)]
            dropped += len(block.instructions) - len(kept)
            block.instructions[:] = kept
        if not dropped:
            return


def _is_offset(instruction: l.Instruction) -> bool:
    name = instruction.result or ""
    return instruction.opcode == "and" or (instruction.opcode != "alloca" and name.startswith(_OFFSETS))


# --- calls ----------------------------------------------------------------------------------------------------------


class _Calls:
    """Those of one function."""

    def __init__(
        self,
        module: l.Module,
        function: l.FunctionDefinition,
        reading: Collection[str],
        pointed: Collection[tuple[l.Type, ...]],
    ) -> None:
        self._module = module
        self._function = function
        self._reading = reading
        self._pointed = pointed  # the types of parameters of functions that may be called through pointers
        self._layout = Layout(module.bits)
        self._word = l.IntType(module.bits)
        self._count = 0
        self._rooms: list[l.Instruction] = []

    def rewrite(self) -> None:
        for block in self._function.blocks.values():
            block.instructions[:] = [new for old in block.instructions for new in self._rewritten(old)]
        if self._rooms:
            first = next(iter(self._function.blocks.values()))
            first.instructions[:0] = self._rooms

    def _rewritten(self, instruction: l.Instruction) -> list[l.Instruction]:
        if instruction.opcode != "call":
            return [instruction]
        name = self._named(instruction)
        if name.startswith(_START):
            return self._set(instruction, instruction.operands[0], l.Local(_REST, l.POINTER))
        if name.startswith(_END):
            return []
        if name.startswith(_COPY):
            to, source = instruction.operands
            place, where = self._place(instruction, source)
            value = l.Local(self._name("copied"), l.POINTER)
            load = self._made(instruction, "load", value, l.POINTER, (where,), alignment=self._layout.pointer)
            return [*place, load, *self._set(instruction, to, value)]
        signature = instruction.signature
        if signature is None or isinstance(instruction.callee, l.InlineAssembly):
            return [instruction]
        if name:
            if name not in self._reading:
                return [instruction]
            return self._call(instruction, self._module.functions[name].type.parameters)
        if signature.variadic and signature.parameters in self._pointed:
            return self._call(instruction, signature.parameters)
        return [instruction]

    def _named(self, instruction: l.Instruction) -> str:
        callee = instruction.callee
        while isinstance(callee, l.GlobalRef) and callee.name in self._module.aliases:
            callee = self._module.aliases[callee.name]
        return callee.name if isinstance(callee, l.GlobalRef) else ""

    def _call(self, call: l.Instruction, parameters: tuple[l.Type, ...]) -> list[l.Instruction]:
        """The call of a function with these parameters, and the stores of the other arguments."""
        byval = (*call.byval, *(None,) * (len(call.operands) - len(call.byval)))
        count = len(parameters)
        if len(call.operands) < count:
            return [call]
        size, made = 0, []
        room = l.Local(self._name(_REST), l.POINTER)
        for value, passed in zip(call.operands[count:], byval[count:], strict=True):
            type = passed or value.type
            alignment = max(self._layout.pointer, self._layout.alignment(type) if self._module.bits == 64 else 0)
            size = -(-size // alignment) * alignment
            made += self._store(call, room, size, value, passed)
            size += -(-self._layout.size(type) // self._layout.pointer) * self._layout.pointer
        self._rooms.append(
            self._made(
                call, "alloca", room, l.POINTER, (self._number(1),), source=l.ArrayType(size, _BYTE), alignment=16
            )
        )
        assert call.signature is not None
        signature = l.FunctionType(
            call.signature.result, (*parameters, l.POINTER), variadic=not isinstance(call.callee, l.GlobalRef)
        )
        operands = (*call.operands[:count], room)
        return [*made, replace(call, operands=operands, byval=(*byval[:count], None), signature=signature)]

    def _store(
        self, call: l.Instruction, room: l.Local, at: int, value: l.Value, passed: l.Type | None
    ) -> list[l.Instruction]:
        where = l.Local(self._name("argument"), l.POINTER)
        first = self._step(call, where, room, at)
        if passed is None:
            alignment = min(self._layout.pointer, self._layout.alignment(value.type))
            return [first, self._made(call, "store", None, l.VOID, (value, where), alignment=alignment)]
        size = self._number(self._layout.size(passed))
        signature = l.FunctionType(l.VOID, (l.POINTER, l.POINTER, self._word, l.IntType(1)))
        name = f"{COPY}.i{self._module.bits}"
        self._module.functions.setdefault(name, l.FunctionDefinition(name=name, type=signature))
        copied = (where, value, size, l.ConstInt(l.IntType(1), 0))
        copy = self._made(call, "call", None, l.VOID, copied)
        return [first, replace(copy, callee=l.GlobalRef(name), signature=signature, byval=(None,) * 4)]

    def _set(self, at: l.Instruction, variable: l.Value, value: l.Value) -> list[l.Instruction]:
        """A ``va_list`` points there."""
        place, where = self._place(at, variable)
        return [*place, self._made(at, "store", None, l.VOID, (value, where), alignment=self._layout.pointer)]

    def _place(self, at: l.Instruction, variable: l.Value) -> tuple[list[l.Instruction], l.Value]:
        if self._module.bits == 32:
            return [], variable
        where = l.Local(self._name("list"), l.POINTER)
        return [self._step(at, where, variable, _PLACE)], where

    def _step(self, at: l.Instruction, result: l.Local, base: l.Value, distance: int) -> l.Instruction:
        return self._made(at, "getelementptr", result, l.POINTER, (base, self._number(distance)), source=_BYTE)

    def _made(
        self,
        at: l.Instruction,
        opcode: str,
        result: l.Local | None,
        type: l.Type,
        operands: tuple[l.Value, ...],
        *,
        source: l.Type | None = None,
        alignment: int = 1,
    ) -> l.Instruction:
        return l.Instruction(
            opcode=opcode,
            result=None if result is None else result.name,
            type=type,
            operands=operands,
            source=source,
            alignment=alignment,
            debug=at.debug,
            location=at.location,
        )

    def _name(self, hint: str) -> str:
        self._count += 1
        return f".{hint}.{self._count}"

    def _number(self, value: int) -> l.ConstInt:
        return l.ConstInt(self._word, value)
