"""The blocks of one procedure while they are written, and the values of registers between their use and their making.

    %0 = load i32, ptr %x       nothing is written: %0 stands for the term x until x changes
    store i32 1, ptr %x         if %0 is needed later: t := x, and %0 stands for t; then x := 1

So expressions stay expressions, and a trace shows the statements of the source rather than the registers of a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cleave.frontends.c.llvm import module as l
from cleave.ir.program import Assign, Assume, Block, Havoc, Location, Statement
from cleave.logic.sorts import Sort
from cleave.logic.terms import FALSE, Term, var
from cleave.logic.walk import free_variables

Terms = tuple[Term, ...]  # the scalars that make up one value


class Names:
    """Names that are given out once each; ``taken`` are those of an outer scope."""

    def __init__(self, taken: Callable[[str], bool] = lambda _: False) -> None:
        self._outer = taken
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken or self._outer(name)

    def fresh(self, hint: str) -> str:
        name = hint
        while name in self:
            self._counts[hint] = self._counts.get(hint, 1) + 1
            name = f"{hint}.{self._counts[hint]}"
        self._taken.add(name)
        return name


class Body:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.labels = Names()
        self.blocks: dict[str, Block] = {}
        self.locals: list[Term] = []
        self.location: Location | None = None  # of what is being lowered
        self._label = ""
        self._start: Location | None = None
        self._statements: list[Statement] = []

    def local(self, hint: str, sort: Sort) -> Term:
        made = var(self.names.fresh(hint), sort)
        self.locals.append(made)
        return made

    @property
    def statements(self) -> list[Statement]:
        """Of the block that is being written."""
        return self._statements

    def emit(self, statement: Statement) -> None:
        self._statements.append(statement)

    def start(self, label: str, location: Location | None = None) -> None:
        self._label, self._start, self._statements = label, location, []

    def finish(self, *successors: str) -> None:
        """Ends the block; without successors it returns."""
        self.blocks[self._label] = Block(self._label, tuple(self._statements), successors, self._start)

    def stop(self) -> None:
        """No execution goes on from here."""
        last = self._statements[-1] if self._statements else None
        if not isinstance(last, Assume) or last.condition is not FALSE:
            self.emit(Assume(FALSE, self.location))

    def any(self, hint: str, sort: Sort, function: str = "") -> Term:
        """Any value: a new local that is not known; ``function``: which would return it."""
        made = self.local(hint, sort)
        self.emit(Havoc((made,), self.location, function))
        return made

    def edge(self, condition: Term, target: str, hint: str) -> str:
        """A block of its own that goes to ``target`` where ``condition`` holds."""
        label = self.labels.fresh(hint)
        self.blocks[label] = Block(label, (Assume(condition, self.location),), (target,), self.location)
        return label


class Registers:
    """What the registers of one function stand for."""

    def __init__(self, body: Body, function: l.FunctionDefinition) -> None:
        self._body = body
        self._function = function
        self._pending: dict[str, Terms] = {}  # of the current block
        self._kept: dict[str, Terms] = {}  # in locals, or constant
        self._reserved: set[str] = set()
        self._last_use: dict[str, int] = {}
        self._position = 0
        self._crossing = _used_elsewhere(function)
        self._used = frozenset(name for instruction in function.instructions() for name in used(instruction))

    def enter(self, block: l.BasicBlock) -> None:
        self._pending.clear()
        self._last_use.clear()
        for position, instruction in enumerate(block.instructions):
            for name in used(instruction):
                self._last_use[name] = position
        end = len(block.instructions)
        for successor in block.instructions[-1].labels:
            for phi in phis(self._function.blocks[successor]):
                self._last_use.update(dict.fromkeys(used(phi), end))

    def is_used(self, name: str) -> bool:
        return name in self._used

    def at(self, position: int) -> None:
        self._position = position

    def accompany(self, name: str, other: str) -> None:
        """``name`` is needed as long as ``other``, of the same block."""
        self._last_use[name] = self._last_use.get(other, -1)

    def keep(self, name: str, terms: Terms) -> None:
        """For values that never change: parameters, constants, locals of their own."""
        self._kept[name] = terms

    def reserve(self, name: str, sorts: Iterable[Sort]) -> Terms:
        """Locals for the value of ``name``; whoever sets it later sets them. Blocks come in any order."""
        if name not in self._kept:
            self._kept[name] = tuple(self._body.local(_hint(name), sort) for sort in sorts)
            self._reserved.add(name)
        return self._kept[name]

    def define(self, name: str | None, terms: Terms) -> None:
        if name is None:
            return
        if name in self._reserved:
            self._body.emit(Assign(self._kept[name], terms, self._body.location))
        elif all(term.is_value for term in terms):
            self._kept[name] = terms
        elif name in self._crossing:
            self._body.emit(Assign(self.reserve(name, (t.sort for t in terms)), terms, self._body.location))
        else:
            self._pending[name] = terms

    def get(self, name: str, sorts: Iterable[Sort]) -> Terms:
        found = self._pending.get(name)
        return found if found is not None else self.reserve(name, sorts)

    def before_change(self, changes: Callable[[Term], bool]) -> None:
        """Saves the pending values that are needed later and depend on a variable that is about to change."""
        for name in list(self._pending):
            if self._last_use.get(name, -1) <= self._position:
                del self._pending[name]
                continue
            terms = self._pending[name]
            if any(changes(variable) for variable in free_variables(*terms)):
                saved = tuple(self._body.local(_hint(name), term.sort) for term in terms)
                self._body.emit(Assign(saved, terms, self._body.location))
                del self._pending[name]
                self._kept[name] = saved


def phis(block: l.BasicBlock) -> Iterable[l.Instruction]:
    for instruction in block.instructions:
        if instruction.opcode != "phi":
            return
        yield instruction


def used(instruction: l.Instruction) -> Iterable[str]:
    for operand in instruction.operands:
        if isinstance(operand, l.Local):
            yield operand.name
    if isinstance(instruction.callee, l.Local):
        yield instruction.callee.name


def _used_elsewhere(function: l.FunctionDefinition) -> frozenset[str]:
    """Registers that are used in another block than they are set in. A phi uses them where its edges start."""
    made: dict[str, str] = {}
    for block in function.blocks.values():
        for instruction in block.instructions:
            if instruction.result is not None:
                made[instruction.result] = block.label
    crossing: set[str] = set()
    for block in function.blocks.values():
        for instruction in block.instructions:
            if instruction.opcode != "phi":
                crossing.update(name for name in used(instruction) if made.get(name) != block.label)
                continue
            for operand, label in zip(instruction.operands, instruction.labels, strict=True):
                if isinstance(operand, l.Local) and made.get(operand.name) != label:
                    crossing.add(operand.name)
    return frozenset(crossing)


def _hint(name: str) -> str:
    return f"t{name}" if name.isdigit() else name
