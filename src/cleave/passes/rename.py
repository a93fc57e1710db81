"""Variables replaced throughout statements: targets by variables, the rest by any terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
    Self,
    Spawn,
    Statement,
)
from cleave.logic.terms import Term
from cleave.logic.walk import substitute


def rename_statement(statement: Statement, mapping: Mapping[Term, Term]) -> Statement:
    def moved(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(substitute(term, mapping) for term in terms)

    match statement:
        case Assume(condition):
            return replace(statement, condition=substitute(condition, mapping))
        case Assert(condition, values=values):
            return replace(statement, condition=substitute(condition, mapping), values=moved(values))
        case Assign(targets, values):
            return replace(statement, targets=moved(targets), values=moved(values))
        case Havoc(targets):
            return replace(statement, targets=moved(targets))
        case Call(_, arguments, results):
            return replace(statement, arguments=moved(arguments), results=moved(results))
        case Spawn(_, arguments, result):
            result = substitute(result, mapping) if result is not None else None
            return replace(statement, arguments=moved(arguments), result=result)
        case Join(thread):
            return replace(statement, thread=substitute(thread, mapping))
        case Self(target):
            return replace(statement, target=substitute(target, mapping))
        case AtomicBegin() | AtomicEnd() | Fence():
            return statement


def rename_block(block: Block, mapping: Mapping[Term, Term]) -> Block:
    return replace(block, statements=tuple(rename_statement(s, mapping) for s in block.statements))
