"""Variables in the background: only ever chosen and constrained, never computed or branched on.

    alloc'1 := alloc; havoc alloc, p; assume p == alloc'1; assume alloc >= alloc'1 + size; ... if (p == 0) ...

The address that an allocator gives out next is the typical one: ``alloc`` here, and its copy. Each call constrains it,
so that a formula of a whole program has a chain of inequalities through all of it; few violations and hardly any proof
depend on them. What has no execution without these constraints has none with them, so a search may begin without.

A global is in the background if it is only havocked and no branch has a condition on it, a local if it only gets copies
of such globals and is read only where no branch is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.ir.program import Assign, Assume, Block, Havoc, Procedure, Program
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.passes.flow import reads, writes


def background(program: Program) -> frozenset[Term]:
    """The background variables of a program without contracts; names of locals that mean several things are not."""
    copies: dict[Term, set[Term]] = {}  # of locals: the globals that they hold
    global_set = set(program.globals)
    out: set[Term] = set()
    read: list[Term] = []  # other than by assuming something or by copying a global to a local
    for procedure in program.procedures.values():
        out.update(procedure.parameters, procedure.returns, free_variables(*_branch_conditions(procedure)))
        for statement in procedure.statements():
            match statement:
                case Assume():
                    pass
                case Havoc(targets):
                    out.update(v for v in targets if v not in global_set)
                case Assign(targets, values):
                    for target, value in zip(targets, values, strict=True):
                        if target not in global_set and value in global_set:
                            copies.setdefault(target, set()).add(value)
                        else:
                            out.add(target)
                            read.append(value)
                case _:
                    out.update(writes(statement))
                    read.extend(reads(statement))
    out |= free_variables(*read) - global_set
    found = {v for v in program.globals if v not in out}
    return frozenset(found | {v for v, held in copies.items() if v not in out and held <= found})


def without_background(program: Program) -> Program:
    """The program with any value in its background variables: it has the executions of ``program``, and more. If there
    is nothing to leave out, the program itself."""
    ignored = background(program)
    if not ignored:
        return program
    procedures = {
        name: replace(procedure, blocks={label: _without(block, ignored) for label, block in procedure.blocks.items()})
        for name, procedure in program.procedures.items()
    }
    return replace(program, procedures=procedures)


def _without(block: Block, ignored: frozenset[Term]) -> Block:
    kept = tuple(
        s for s in block.statements if not isinstance(s, Assume) or free_variables(s.condition).isdisjoint(ignored)
    )
    return block if len(kept) == len(block.statements) else replace(block, statements=kept)


def _branch_conditions(procedure: Procedure) -> Iterator[Term]:
    """What is assumed first in a block that is not the only successor of one that jumps to it."""
    chosen = {s for block in procedure.blocks.values() if len(block.successors) > 1 for s in block.successors}
    for label in chosen:
        for statement in procedure.blocks[label].statements:
            if not isinstance(statement, Assume):
                break
            yield statement.condition
