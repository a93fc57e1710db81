"""Values for what a program leaves open: mostly small ones, and those that it compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol

from cleave.engines.executions.code import Code, Compiler, Stretch
from cleave.ir.program import Assume, Program
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value, default_value

_SMALL = 4
_WILD = (0.0, 0.1, 0.5, 0.9)
_WILD_AT_FIRST = 0.1
_REPEATS = 0.3  # of executions in which all inputs of a sort are the same
_KINDS = (SortKind.BITVEC, SortKind.BOOL, SortKind.INT)


class Source(Protocol):
    """Where an execution has its values from."""

    def __call__(self, thread: int, variable: Term, is_retry: bool = False) -> Value:
        """For an input; another one if it is asked for again."""

    def first(self, thread: int, code: Code) -> list[Value]:
        """For variables of a frame that have not been assigned to."""

    def one_of(self, successors: Sequence[Stretch]) -> Stretch: ...


class Values:
    """Of one execution; how often a value is not the usual one, which is zero, is its own."""

    def __init__(self, compiler: Compiler, pinned: Mapping[Term, Value], random: Random) -> None:
        self._compiler = compiler
        self._pinned = pinned
        self._random = random
        self._wild = random.choice(_WILD)
        self._wild_at_first = random.random() < _WILD_AT_FIRST
        self._repeats = random.random() < _REPEATS
        self._last: dict[Sort, Value] = {}

    def __call__(self, thread: int, variable: Term, is_retry: bool = False) -> Value:
        pinned = self._pinned.get(variable)
        if pinned is not None:
            return pinned
        sort = variable.sort
        if sort.kind not in _KINDS or (not is_retry and self._random.random() >= self._wild):
            return default_value(sort)
        if not self._repeats:
            return self._unusual(sort)
        if is_retry or sort not in self._last:
            self._last[sort] = self._unusual(sort)
        return self._last[sort]

    def first(self, thread: int, code: Code) -> list[Value]:
        """Mostly the usual ones: few programs depend on them."""
        return [self(thread, variable) for variable in code.fresh] if self._wild_at_first else list(code.defaults)

    def one_of(self, successors: Sequence[Stretch]) -> Stretch:
        return self._random.choice(successors)

    def _unusual(self, sort: Sort) -> Value:
        random = self._random
        if sort.kind is SortKind.BOOL:
            return random.random() < 0.5
        modulus = 1 << sort.width if sort.width else 0
        constants = list(self._compiler.constants.get(sort, ()))
        match random.randrange(4):
            case 0:
                value = random.randrange(_SMALL)
            case 1 if modulus:
                value = random.randrange(modulus)
            case _ if constants:
                value = random.choice(constants) + random.randrange(-1, 2)
            case _:
                value = random.randrange(-_SMALL, _SMALL)
        return value % modulus if modulus else value


class Recorded:
    """The values of another execution, as far as they fit."""

    def __init__(self, values: Mapping[int, Sequence[tuple[str, Value]]]) -> None:
        self._left = {thread: list(reversed(own)) for thread, own in values.items()}

    def __call__(self, thread: int, variable: Term, is_retry: bool = False) -> Value:
        left = self._left.get(thread)
        if left and left[-1][0] == variable.name:
            return left.pop()[1]
        return default_value(variable.sort)

    def first(self, thread: int, code: Code) -> list[Value]:
        return [self(thread, variable) for variable in code.fresh]

    def one_of(self, successors: Sequence[Stretch]) -> Stretch:
        return successors[0]


def pinned(program: Program, entry: str) -> dict[Term, Value]:
    """The values that the entry's first block demands: a front end says so where an argument is."""
    found: dict[Term, Value] = {}
    procedure = program.procedures[entry]
    inputs = {*procedure.parameters, *program.constants}
    for statement in procedure.entry.statements:
        if isinstance(statement, Assume):
            condition = statement.condition
            for part in condition.args if condition.op is Op.AND else (condition,):
                if part.op is Op.EQ:
                    for variable, value in (part.args, part.args[::-1]):
                        if variable in inputs and value.op is Op.VALUE:
                            found[variable] = value.value
    return found
