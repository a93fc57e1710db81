"""Which variables a procedure may read before it has written them: only their first values matter.

proc p() { a: x := 1  goto b    b: y := x + z  return }         z
"""

from __future__ import annotations

from cleave.ir.program import Assume, Call, Procedure, Program, Spawn, Statement
from cleave.logic.terms import FALSE, Term
from cleave.logic.walk import free_variables
from cleave.passes.flow import reads, writes


def live_at_entry(program: Program, procedure: Procedure) -> frozenset[Term]:
    """At a call or a start of a thread, all globals count as read: nothing is known of what happens there."""
    everything = frozenset(program.globals)
    live: dict[str, frozenset[Term]] = {label: frozenset() for label in procedure.blocks}
    changed = True
    while changed:
        changed = False
        for label, block in reversed(list(procedure.blocks.items())):
            after: frozenset[Term] = frozenset().union(*(live[successor] for successor in block.successors))
            if not block.successors:
                after = everything | frozenset(procedure.returns)
            for statement in reversed(block.statements):
                after = _before(statement, after, everything)
            changed |= after != live[label]
            live[label] = after
    return live[procedure.entry.label]


def _before(statement: Statement, after: frozenset[Term], everything: frozenset[Term]) -> frozenset[Term]:
    if isinstance(statement, Assume) and statement.condition is FALSE:
        return frozenset()  # nothing comes after it
    found = (after - set(writes(statement))) | free_variables(*reads(statement))
    return found | everything if isinstance(statement, Call | Spawn) else found
