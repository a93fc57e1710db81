"""A program in parts, each a program of its own: in one part no execution enters a block, in the other one every
violating execution has entered it before.

    start: goto a, b                 part 0 of the choice a               part 1 of the choice a
    a: x := 1; goto c                a: assume false; ...                 a: entered'1 := true; x := 1; goto c
    b: x := 2; goto c
    c: assert x != 2                 c: assert x != 2                     c: assert (entered'1 ==> x != 2)
                                                                             assume x != 2

Whatever an execution does until it violates something, it has entered the block or it has not. So the parts of a choice
together have all violations of the program, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cleave.errors import UsageError
from cleave.ir.program import Assert, Assign, Assume, Block, Procedure, Program, Property, Statement
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Term, conj_all, implies, var
from cleave.passes.effects import callees
from cleave.passes.fresh import FreshNames, variable_names
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Whether an execution enters a block."""

    procedure: str
    label: str

    @property
    def meaning(self) -> bytes:
        return f"{self.procedure}\0{self.label}".encode()


Decisions = Sequence[tuple[Choice, bool]]
"""For each choice, whether the block is entered."""


def choices(program: Program, entry: str, number: int) -> list[Choice]:
    """As many as are wanted, or fewer if there are no more: blocks that others are an alternative to, those of the
    entry first, then those of the procedures that it calls."""
    found: list[Choice] = []
    for name in _reached(program, entry):
        blocks = program.procedures[name].blocks
        for block in blocks.values():
            if len(block.successors) > 1 and len(found) < number:
                chosen = Choice(name, block.successors[0])
                if chosen not in found and block.successors[0] != program.procedures[name].entry.label:
                    found.append(chosen)
    return found


def _reached(program: Program, entry: str) -> Iterator[str]:
    seen, waiting = {entry}, [entry]
    while waiting:
        name = waiting.pop(0)
        yield name
        for called in sorted(callees(program.procedures[name])):
            if called not in seen and called in program.procedures and program.procedures[called].has_body:
                seen.add(called)
                waiting.append(called)


def part(program: Program, entry: str, decisions: Decisions) -> Program:
    """The part in which the decisions hold."""
    if any(entry in callees(procedure) for procedure in program.procedures.values()):
        raise UsageError(f"the program calls its entry {entry!r} itself, so it can't be divided into parts")
    fresh = variable_names(program)
    entered = {choice: var(fresh.like("entered"), BOOL) for choice, reach in decisions if reach}
    avoided = {choice for choice, reach in decisions if not reach}
    procedures = {
        name: _procedure(procedure, entered, avoided, program.property, is_entry=name == entry)
        for name, procedure in program.procedures.items()
    }
    return replace(program, globals=(*program.globals, *entered.values()), procedures=procedures)


def _procedure(
    procedure: Procedure, entered: dict[Choice, Term], avoided: set[Choice], property: Property, *, is_entry: bool
) -> Procedure:
    blocks: dict[str, Block] = {}
    condition = conj_all(entered.values())
    if is_entry and entered:
        label = FreshNames(procedure.blocks).like("start")
        nothing = Assign(tuple(entered.values()), (FALSE,) * len(entered))
        blocks[label] = Block(label, (nothing,), (procedure.entry.label,), procedure.entry.location)
    for block in procedure.blocks.values():
        choice = Choice(procedure.name, block.label)
        first: list[Statement] = [Assume(FALSE)] if choice in avoided else []
        if choice in entered:
            first.append(Assign((entered[choice],), (TRUE,)))
        own = [one for statement in block.statements for one in _checked(statement, condition)]
        if is_entry and entered and property is Property.END_REACHABLE and not block.successors:
            own.append(Assume(condition))
        blocks[block.label] = replace(block, statements=(*first, *own))
    return replace(procedure, blocks=blocks, is_entry=is_entry)


def _checked(statement: Statement, condition: Term) -> tuple[Statement, ...]:
    """An assertion counts only where the blocks were entered. An execution that violates it ends here nevertheless, as
    in the whole program."""
    if condition.is_true or not isinstance(statement, Assert):
        return (statement,)
    counted = replace(statement, condition=implies(condition, statement.condition))
    return counted, Assume(statement.condition, statement.location)
