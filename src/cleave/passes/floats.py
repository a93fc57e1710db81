"""Operators on floating-point numbers written with those of bit vectors, for readers that know no others.

    b := ((_ fp.eq 8 24) x y)     b := (and (not (= ((_ extract 30 23) x) ...

A certificate and a program in Boogie's language are written so. No statement is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from cleave.ir.program import Block, Clause, Procedure, Program, Statement
from cleave.logic.floats.operations import FLOATING
from cleave.logic.floats.text import without_floats
from cleave.logic.terms import Term
from cleave.logic.walk import postorder
from cleave.passes.rename import rename_statement


def floats_to_bits(program: Program) -> Program:
    memo: dict[Term, Term] = {}
    procedures = {name: _procedure(one, memo) for name, one in program.procedures.items()}
    axioms = tuple(without_floats(axiom, memo) for axiom in program.axioms)
    return replace(program, procedures=procedures, axioms=axioms)


def _procedure(procedure: Procedure, memo: dict[Term, Term]) -> Procedure:
    def clauses(old: tuple[Clause, ...]) -> tuple[Clause, ...]:
        return tuple(replace(clause, condition=without_floats(clause.condition, memo)) for clause in old)

    blocks = {label: _block(block, memo) for label, block in procedure.blocks.items()}
    return replace(procedure, requires=clauses(procedure.requires), ensures=clauses(procedure.ensures), blocks=blocks)


def _block(block: Block, memo: dict[Term, Term]) -> Block:
    return replace(block, statements=tuple(_statement(statement, memo) for statement in block.statements))


def _statement(statement: Statement, memo: dict[Term, Term]) -> Statement:
    found = [node for node in postorder(_terms(statement)) if node.op in FLOATING]
    return rename_statement(statement, {node: without_floats(node, memo) for node in found}) if found else statement


def _terms(statement: Statement) -> Iterator[Term]:
    for one in fields(statement):
        value = getattr(statement, one.name)
        yield from (part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, Term))
