"""Statements with other terms in them, and procedures with other statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from cleave.ir import program as ir
from cleave.logic.terms import Term

Change = Callable[[Term], Term]


def rewritten(statement: ir.Statement, change: Change) -> ir.Statement:
    """The statement with all terms changed that it reads."""
    match statement:
        case ir.Assume():
            return replace(statement, condition=change(statement.condition))
        case ir.Assert():
            return replace(statement, condition=change(statement.condition), values=())
        case ir.Assign():
            return replace(statement, values=tuple(map(change, statement.values)))
        case ir.Call() | ir.Spawn():
            return replace(statement, arguments=tuple(map(change, statement.arguments)))
        case ir.Join():
            return replace(statement, thread=change(statement.thread))
        case _:
            return statement


def read_terms(statement: ir.Statement) -> Iterator[Term]:
    match statement:
        case ir.Assume() | ir.Assert():
            yield statement.condition
        case ir.Assign():
            yield from statement.values
        case ir.Call() | ir.Spawn():
            yield from statement.arguments
        case ir.Join():
            yield statement.thread


def with_statements(
    procedure: ir.Procedure, change: Callable[[ir.Statement], Iterable[ir.Statement]]
) -> dict[str, ir.Block]:
    """The blocks with each statement replaced by others."""
    return {
        label: replace(block, statements=tuple(made for one in block.statements for made in change(one)))
        for label, block in procedure.blocks.items()
    }


def begun(procedure: ir.Procedure, first: Iterable[ir.Statement]) -> ir.Procedure:
    """The procedure with other statements before its first; nothing jumps to the first block of a body."""
    first = tuple(first)
    if not first:
        return procedure
    entry = procedure.entry
    block = replace(entry, statements=(*first, *entry.statements))
    return replace(procedure, blocks={**procedure.blocks, entry.label: block})


def ended(procedure: ir.Procedure, last: Iterable[ir.Statement]) -> ir.Procedure:
    """The procedure with other statements before each of its returns."""
    last = tuple(last)
    blocks = {
        label: block if block.successors else replace(block, statements=(*block.statements, *last))
        for label, block in procedure.blocks.items()
    }
    return replace(procedure, blocks=blocks)
