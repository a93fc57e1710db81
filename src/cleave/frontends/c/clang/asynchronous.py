"""Statements that run in a thread of their own, as CBMC has them: those with a label ``__CPROVER_ASYNC_…``.

    __CPROVER_ASYNC_1: work(n);      work's call becomes a function main.async.1(n), and the statement starts a thread:
                                     __cleave_spawn(main.async.1, n)

Where the statement ends can't be seen in what the compiler makes of it: `with_ends` puts a label there before. The new
thread has copies of the locals that it uses, except those whose address is taken: these it shares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from cleave.frontends.c.analysis.pointed import SPAWN
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.records import dataclass

_LABEL = "__CPROVER_ASYNC_"
_END = "__cleave_end_of_"
_START = re.compile(rb"\b(?P<label>__CPROVER_ASYNC_\w+)\s*:")
_TOKEN = re.compile(rb"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[(){};]""", re.DOTALL)


def with_ends(content: bytes) -> bytes:
    """The same lines, with a label after each statement that runs in a thread of its own.

    >>> with_ends(b"int main() { __CPROVER_ASYNC_1: f(); g(); }")
    b'int main() { {__CPROVER_ASYNC_1: f(); __cleave_end_of___CPROVER_ASYNC_1:;} g(); }'
    """
    made, last = [], 0
    for start in _START.finditer(content):
        end = _end_of_statement(content, start.end())
        if start.start() >= last and end is not None:
            made += [content[last : start.start()], b"{", content[start.start() : end]]
            made.append(b" " + _END.encode() + start["label"] + b":;}")
            last = end
    return b"".join((*made, content[last:]))


def _end_of_statement(content: bytes, start: int) -> int | None:
    """Behind the semicolon or brace that ends it."""
    depth = 0
    for token in _TOKEN.finditer(content, start):
        if token[0] in (b"(", b"{"):
            depth += 1
        elif token[0] in (b")", b"}"):
            depth -= 1
        if depth < 0:
            return None
        if depth == 0 and token[0] in (b";", b"}"):
            return token.end()
    return None


def outline_threads(module: l.Module, *, deadlocks: bool) -> None:
    """Changes ``module``: such statements become functions, and start threads that run them."""
    pending = [(f, label) for f in module.functions.values() for label in f.blocks if label.startswith(_LABEL)]
    while pending:
        function, label = pending.pop()
        if label not in function.blocks:
            continue  # it is in a statement that was outlined, and so in another function now
        if deadlocks:
            raise unsupported("deadlocks are looked for only where threads start in pthread_create", function.location)
        made = _Statement(function, label, len(module.functions)).outlined()
        module.functions[made.name] = made
        pending += [(made, other) for other in made.blocks if other.startswith(_LABEL) and other != label]


@dataclass(frozen=True, slots=True)
class _Used:
    """A local of the function that the statement uses, and how: its own alone, by a copy, or shared."""

    alloca: l.Instruction
    is_own: bool
    is_copied: bool

    @property
    def name(self) -> str:
        assert self.alloca.result is not None
        return self.alloca.result

    @property
    def parameter(self) -> l.Parameter:
        type = self.alloca.source if self.is_copied else l.POINTER
        assert type is not None
        return l.Parameter(name=f"{self.name}.given" if self.is_copied else self.name, type=type)


class _Statement:
    def __init__(self, function: l.FunctionDefinition, label: str, number: int) -> None:
        self._function = function
        self._label = label
        self._end = _END + label
        self._name = f"{function.name}.async.{number}"
        first = function.blocks[label].instructions[0]
        self._place = first.location or function.location
        self._region = self._blocks()

    def outlined(self) -> l.FunctionDefinition:
        used = [self._use(alloca) for alloca in self._locals()]
        given = [one for one in used if not one.is_own]
        parameters = tuple(one.parameter for one in given)
        body = {block.label: block for block in self._region}
        start = [*self._own(used), l.Instruction(opcode="br", labels=(self._label,), location=self._place)]
        end = [l.Instruction(opcode="ret", location=self._place)]
        made = l.FunctionDefinition(
            name=self._name,
            type=l.FunctionType(l.VOID, tuple(parameter.type for parameter in parameters)),
            parameters=parameters,
            blocks={"async.start": l.BasicBlock("async.start", start), **body, self._end: l.BasicBlock(self._end, end)},
            internal=True,
            names={one.name: self._function.names[one.name] for one in used if one.name in self._function.names},
            location=self._place,
        )
        for block in self._region:
            del self._function.blocks[block.label]
        self._function.blocks[self._label] = l.BasicBlock(self._label, list(self._spawn(given)))
        return made

    def _blocks(self) -> list[l.BasicBlock]:
        """From the label to the end, which is left out."""
        found: dict[str, l.Instruction] = {}  # the last instruction of each
        pending = [self._label]
        while pending:
            label = pending.pop()
            if label in found or label == self._end:
                continue
            found[label] = last = self._function.blocks[label].instructions[-1]
            pending += last.labels
        blocks = self._function.blocks
        crossed = any(self._crosses(block, found) for block in blocks.values())
        if self._end not in blocks or crossed or any(last.opcode == "ret" for last in found.values()):
            what = "a statement that runs in a thread of its own must not be entered or left by goto or return"
            raise unsupported(what, self._place)
        return [block for block in blocks.values() if block.label in found]

    def _crosses(self, block: l.BasicBlock, inside: Collection[str]) -> bool:
        """Whether it leads into the statement, or back to its beginning."""
        labels = block.instructions[-1].labels
        if block.label in inside:
            return self._label in labels
        return any(label in inside and label != self._label for label in labels)

    def _locals(self) -> list[l.Instruction]:
        """Where the function's locals are allocated that the statement uses; nothing else is alive at a statement."""
        inside = [instruction for block in self._region for instruction in block.instructions]
        made = {instruction.result for instruction in inside}
        names = {value.name for one in inside for value in _locals_of(one)} - made
        allocas = [one for one in self._function.instructions() if one.opcode == "alloca" and one.result in names]
        if len(allocas) < len(names):
            raise unsupported("this statement can't run in a thread of its own", self._place)
        return allocas

    def _use(self, alloca: l.Instruction) -> _Used:
        inside = {id(instruction) for block in self._region for instruction in block.instructions}
        uses = [one for one in self._function.instructions() if any(v.name == alloca.result for v in _locals_of(one))]
        is_own = all(id(use) in inside for use in uses)
        return _Used(alloca, is_own, not is_own and all(_is_plain(use, alloca) for use in uses))

    def _own(self, used: list[_Used]) -> Iterator[l.Instruction]:
        for one in used:
            if one.is_own or one.is_copied:
                yield replace(one.alloca)
            if one.is_copied:
                given = l.Local(one.parameter.name, one.parameter.type)
                place = l.Local(one.name, l.POINTER)
                yield l.Instruction(opcode="store", operands=(given, place), location=self._place)

    def _spawn(self, given: list[_Used]) -> Iterator[l.Instruction]:
        values: list[l.Value] = []
        for one in given:
            place, value = l.Local(one.name, l.POINTER), l.Local(f"{one.name}.{self._label}", one.parameter.type)
            if one.is_copied:
                yield l.Instruction(
                    opcode="load", result=value.name, type=value.type, operands=(place,), location=self._place
                )
            values.append(value if one.is_copied else place)
        number = l.Local(f"thread.{self._label}", l.IntType(32))
        operands: tuple[l.Value, ...] = (l.GlobalRef(self._name), *values)
        yield l.Instruction(
            opcode="call",
            result=number.name,
            type=number.type,
            operands=operands,
            callee=l.GlobalRef(SPAWN),
            signature=l.FunctionType(number.type, tuple(operand.type for operand in operands)),
            location=self._place,
        )
        yield l.Instruction(opcode="br", labels=(self._end,), location=self._place)


def _locals_of(instruction: l.Instruction) -> list[l.Local]:
    return [value for value in (*instruction.operands, instruction.callee) if isinstance(value, l.Local)]


def _is_plain(use: l.Instruction, alloca: l.Instruction) -> bool:
    """Whether the whole variable is read or written there, and its address goes nowhere."""
    if use.opcode == "load":
        return use.type == alloca.source
    if use.opcode == "store":
        value, place = use.operands[0], use.operands[1]
        at_it = isinstance(place, l.Local) and place.name == alloca.result
        return (
            at_it and value.type == alloca.source and not (isinstance(value, l.Local) and value.name == alloca.result)
        )
    return False
