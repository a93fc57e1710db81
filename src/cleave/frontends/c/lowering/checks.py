"""The properties that are checked, and the assertions that they become.

    x / y       assert y != 0 "division by zero" check division 3

Checks are numbered when the whole program is lowered, in the order of the source. A check that constants and types
decide leaves nothing in the program; it counts as checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from cleave.errors import UsageError
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import ASSERTIONS
from cleave.frontends.c.properties.property import Property
from cleave.frontends.c.properties.registry import chosen
from cleave.ir.program import Assert, Assume, Block, Check, Location, Procedure, Statement
from cleave.logic.terms import TRUE, Term
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering


@dataclass(frozen=True, slots=True)
class At:
    """The place in a function that is being lowered, for one property: a `properties.property.Place`."""

    asked: str
    lowering: FunctionLowering

    @property
    def function(self) -> str:
        return self.lowering.function.name

    def called(self, instruction: l.Instruction) -> str | None:
        callee = self.lowering.context.facts.resolve(instruction.callee)
        return callee.name if isinstance(callee, l.GlobalRef) else None

    def defines(self, name: str) -> bool:
        found = self.lowering.context.module.functions.get(name)
        return found is not None and bool(found.blocks) and not is_ours(found)

    def term(self, value: l.Value) -> Term:
        return self.lowering.term(value)

    def check(self, condition: Term, message: str, *values: Term) -> None:
        self.lowering.check(self.asked, condition, message, values)


class Checks:
    """What is asked of one program."""

    def __init__(self, options: COptions) -> None:
        self.properties: tuple[Property, ...] = chosen(options.checks)
        self.by_default = options.checks is None
        self.before = [(one.name, one.before) for one in self.properties if one.before is not None]
        self._names = frozenset(one.name for one in self.properties)
        self._decided: Counter[str] = Counter()

    def wants(self, property: str) -> bool:
        return property in self._names

    def places(
        self, property: str, condition: Term, message: str, location: Location | None, values: tuple[Term, ...] = ()
    ) -> Iterable[Assert]:
        """The assertion; none where the condition is known to hold."""
        if condition is TRUE:
            self._decided[property] += 1
            return ()
        return (assertion(property, condition, message, location, values),)

    def numbered(self, procedures: Mapping[str, Procedure]) -> tuple[dict[str, Procedure], dict[str, int]]:
        """The procedures with numbers for their checks, and how many checks each property has."""
        places = sorted(_places(procedures), key=lambda one: one[:5])
        numbers: dict[tuple[str, str, int], Check] = {}
        counts = Counter({one.name: 0 for one in self.properties})
        for property, _, _, _, _, where in places:
            counts[property] += 1
            numbers[where] = Check(property, counts[property])
        made = {name: _renumbered(procedure, numbers) for name, procedure in procedures.items()}
        return made, {name: count + self._decided[name] for name, count in counts.items()}


def assertion(
    property: str, condition: Term, message: str, location: Location | None, values: tuple[Term, ...] = ()
) -> Assert:
    """A check that has no number yet."""
    return Assert(condition, message, location, Check(property, 0), values)


def only_these(
    procedures: Mapping[str, Procedure], checked: Mapping[str, int], only: Collection[str]
) -> tuple[dict[str, Procedure], dict[str, int]]:
    """Other checks become assumptions: where one of them fails, an execution ends."""
    known = {check.name: check for one in procedures.values() for s in one.statements() if (check := _check(s))}
    missing = [name for name in only if name not in known]
    if missing:
        raise UsageError(f"--only {missing[0]}: the program has no such check; --each lists all of them")
    counts = Counter(known[name].property for name in dict.fromkeys(only))

    def kept(statement: Statement) -> Statement:
        check = _check(statement)
        if not isinstance(statement, Assert) or (check is not None and check.name in only):
            return statement
        return Assume(statement.condition, statement.location)

    return _with_statements(procedures, kept), {name: counts[name] for name in checked if counts[name]}


def _with_statements(
    procedures: Mapping[str, Procedure], change: Callable[[Statement], Statement]
) -> dict[str, Procedure]:
    def changed(block: Block) -> Block:
        return replace(block, statements=tuple(map(change, block.statements)))

    return {
        name: replace(one, blocks={label: changed(block) for label, block in one.blocks.items()})
        for name, one in procedures.items()
    }


def _check(statement: Statement) -> Check | None:
    return statement.check if isinstance(statement, Assert) else None


_Where = tuple[str, str, int]  # a procedure, a block, a position


def _places(procedures: Mapping[str, Procedure]) -> Iterable[tuple[str, str, int, int, int, _Where]]:
    """All checks: property, file, line, column, order, and where it is in the program."""
    order = 0
    for name, procedure in procedures.items():
        for label, block in procedure.blocks.items():
            for position, statement in enumerate(block.statements):
                if isinstance(statement, Assert):
                    order += 1
                    property = statement.check.property if statement.check is not None else ASSERTIONS
                    place = statement.location or Location("", 0)
                    yield property, place.file, place.line, place.column, order, (name, label, position)


def _renumbered(procedure: Procedure, numbers: Mapping[_Where, Check]) -> Procedure:
    def numbered(label: str, block: Block) -> Block:
        checks = (numbers.get((procedure.name, label, position)) for position in range(len(block.statements)))
        return replace(block, statements=tuple(map(_named, block.statements, checks)))

    if not any(isinstance(statement, Assert) for statement in procedure.statements()):
        return procedure
    return replace(procedure, blocks={label: numbered(label, block) for label, block in procedure.blocks.items()})


def _named(statement: Statement, check: Check | None) -> Statement:
    return replace(statement, check=check) if isinstance(statement, Assert) else statement
