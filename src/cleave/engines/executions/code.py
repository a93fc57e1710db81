"""A program as it is executed: each statement has a Python function, each block knows its successors.

A step that touches only the frame's own variables is *hidden*: no other thread can notice when it happens, so the
thread that runs is not interrupted before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum

from cleave.engines.executions.terms import Function, Source
from cleave.errors import UnsupportedError
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Fence,
    Havoc,
    Join,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
)
from cleave.logic.sorts import Sort
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value, default_value
from cleave.logic.walk import free_variables, postorder
from cleave.records import dataclass


def _nothing(own: list[Value], shared: list[Value]) -> None:
    """What needs no values."""


class Kind(IntEnum):
    ASSIGN = 0
    ASSUME = 1
    CALL = 2
    BEGIN = 3
    END = 4
    ASSERT = 5
    HAVOC = 6
    SPAWN = 7
    JOIN = 8
    SELF = 9


@dataclass(slots=True)
class Instruction:
    """A statement. Its function computes what it needs: assigns, or gives a condition, or a list of arguments."""

    kind: Kind
    hidden: bool
    number: int  # of the function
    targets: tuple[Target, ...] = ()
    procedure: str = ""
    variables: tuple[Term, ...] = ()  # those of the targets
    function: Function = _nothing
    width: int = 0  # of a thread's number, if that is a bit vector


@dataclass(frozen=True, slots=True)
class Target:
    """Where a value is put."""

    variable: Term
    is_global: bool
    index: int


@dataclass(slots=True)
class Stretch:
    """A block. ``conditions`` are those that each successor begins with, if it begins with one."""

    label: str
    instructions: list[Instruction]
    successors: list[Stretch] = field(default_factory=list)
    conditions: list[Function | None] = field(default_factory=list)


@dataclass(slots=True)
class Code:
    """A procedure. ``fresh`` are the returns and locals, which follow the parameters in a frame's list. Without a body,
    ``entry`` is None."""

    parameters: tuple[Term, ...]
    fresh: tuple[Term, ...]
    modifies: tuple[Target, ...]
    returns: tuple[int, ...]
    entry: Stretch | None
    defaults: tuple[Value, ...]


class Compiler:
    """Compiles procedures when they are first called."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._globals = {variable: index for index, variable in enumerate((*program.constants, *program.globals))}
        self._known: dict[str, Code] = {}
        self.constants: dict[Sort, dict[int, None]] = {}  # that occur in what was compiled

    @property
    def shared(self) -> tuple[Term, ...]:
        return tuple(self._globals)

    def code(self, name: str) -> Code:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _Procedure(self._program, self._globals, name).code()
            for statement in self._program.procedures[name].statements():
                self._note_constants(statement)
        return known

    def _note_constants(self, statement: Statement) -> None:
        for node in postorder(_terms(statement)):
            if node.op is Op.VALUE and isinstance(node.value, int):
                self.constants.setdefault(node.sort, {})[node.value] = None


def _terms(statement: Statement) -> tuple[Term, ...]:
    match statement:
        case Assume(condition) | Assert(condition):
            return (condition,)
        case Assign(_, values):
            return values
        case Call(_, arguments) | Spawn(_, arguments):
            return arguments
        case Join(thread):
            return (thread,)
    return ()


class _Procedure:
    def __init__(self, program: Program, shared: Mapping[Term, int], name: str) -> None:
        self._program = program
        self._shared = shared
        self._procedure: Procedure = program.procedures[name]
        own = (*self._procedure.parameters, *self._procedure.returns, *self._procedure.locals)
        self._own = {variable: index for index, variable in enumerate(own)}
        places = {variable: f"g[{index}]" for variable, index in shared.items()}
        places.update((variable, f"l[{index}]") for variable, index in self._own.items())
        self._source = Source(places)

    def code(self) -> Code:
        procedure = self._procedure
        stretches = {label: self._stretch(block) for label, block in procedure.blocks.items()}
        functions = self._source.compiled()
        for made in stretches.values():
            for instruction in made.instructions:
                instruction.function = functions[instruction.number]
        for label, block in procedure.blocks.items():
            made = stretches[label]
            made.successors = [stretches[successor] for successor in block.successors]
            made.conditions = [_condition(successor) for successor in made.successors]
        entry = stretches[procedure.entry.label] if procedure.has_body else None
        fresh = (*procedure.returns, *procedure.locals)
        returns = tuple(self._own[variable] for variable in procedure.returns)
        defaults = tuple(default_value(variable.sort) for variable in fresh)
        return Code(procedure.parameters, fresh, self._targets(procedure.modifies), returns, entry, defaults)

    def _stretch(self, block: Block) -> Stretch:
        return Stretch(block.label, [self._instruction(statement) for statement in block.statements])

    def _instruction(self, statement: Statement) -> Instruction:
        hidden = not any(variable in self._shared for term in _terms(statement) for variable in free_variables(term))
        match statement:
            case Assume(condition):
                return Instruction(Kind.ASSUME, hidden, self._source.value(condition))
            case Assert(condition):
                return Instruction(Kind.ASSERT, hidden, self._source.value(condition))
            case Assign(targets, values):
                hidden = hidden and all(target in self._own for target in targets)
                return Instruction(Kind.ASSIGN, hidden, self._source.assign(targets, values))
            case Havoc(targets):
                hidden = all(target in self._own for target in targets)
                return Instruction(
                    Kind.HAVOC, hidden, self._source.nothing(), self._targets(targets), variables=targets
                )
            case Call(name, arguments, results):
                return Instruction(Kind.CALL, hidden, self._source.values(arguments), self._targets(results), name)
            case Spawn(name, arguments, result):
                number = self._targets(() if result is None else (result,))
                return Instruction(Kind.SPAWN, False, self._source.values(arguments), number, name)
            case Join(thread):
                return Instruction(Kind.JOIN, False, self._source.value(thread), width=thread.sort.width)
            case Self(target):
                hidden = target in self._own
                return Instruction(Kind.SELF, hidden, self._source.nothing(), self._targets((target,)))
            case AtomicBegin():
                return Instruction(Kind.BEGIN, False, self._source.nothing())
            case AtomicEnd():
                return Instruction(Kind.END, False, self._source.nothing())
            case Fence():
                raise UnsupportedError("programs with store buffers are not executed")

    def _targets(self, variables: tuple[Term, ...]) -> tuple[Target, ...]:
        return tuple(
            Target(variable, False, self._own[variable])
            if variable in self._own
            else Target(variable, True, self._shared[variable])
            for variable in variables
        )


def _condition(stretch: Stretch) -> Function | None:
    first = stretch.instructions[0] if stretch.instructions else None
    return first.function if first is not None and first.kind is Kind.ASSUME else None
