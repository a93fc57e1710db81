"""Known facts about a place of a program are assumed there.

    p returns:    r > old(g)             proc p() -> (r) ...        free ensures r > old(g)
    p at h:       x <= 10       gives      h: assume x <= 10; ...

A fact about the return of a procedure is a free ``ensures``, so a caller may use it whether it looks into the body or
not. The result is like the program in all else: it has no contracts, as `contracts_to_statements` was applied to it.

The caller answers for its facts: a wrong one hides executions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cleave.errors import InputError
from cleave.ir.path import WayBack
from cleave.ir.program import Assume, Block, Clause, Procedure, Program
from cleave.logic.terms import Term
from cleave.passes.contracts import contracts_to_statements
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """``condition`` holds whenever execution reaches the start of block ``label`` of the procedure; or (None) when the
    procedure returns. It may speak of values at the entry: ``old`` of globals and, at a block, of parameters."""

    procedure: str
    label: str | None
    condition: Term


def assume_known(program: Program, facts: Iterable[Known]) -> tuple[Program, WayBack]:
    facts = tuple(facts)
    if not facts:
        return program, WayBack()
    procedures = dict(program.procedures)
    for fact in facts:
        procedure = procedures.get(fact.procedure)
        if procedure is None or (fact.label is not None and fact.label not in procedure.blocks):
            raise InputError(f"a fact about {fact.procedure}, block {fact.label}, which the program does not have")
        procedures[fact.procedure] = _with(procedure, fact)
    return contracts_to_statements(replace(program, procedures=procedures))


def _with(procedure: Procedure, fact: Known) -> Procedure:
    if fact.label is None:
        return replace(procedure, ensures=(*procedure.ensures, Clause(fact.condition, free=True)))
    block = procedure.blocks[fact.label]
    assumed: Block = replace(block, statements=(Assume(fact.condition), *block.statements))
    return replace(procedure, blocks={**procedure.blocks, fact.label: assumed})
