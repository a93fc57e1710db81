"""Which globals each procedure may read and write, itself or through what it calls.

The bodies decide. Only for a procedure without a body does its ``modifies`` count: nothing else is known of it.
Contracts count as reads, because calls assume and assert them.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.ir.program import Assert, Assign, Assume, Call, Havoc, Procedure, Program, is_old
from cleave.logic.terms import Term, var
from cleave.logic.walk import free_variables
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Effects:
    reads: frozenset[Term]
    writes: frozenset[Term]


def effects(program: Program) -> dict[str, Effects]:
    """The effects of every procedure, callees included."""
    global_set = frozenset(program.globals)
    reads: dict[str, set[Term]] = {}
    writes: dict[str, set[Term]] = {}
    callers: dict[str, set[str]] = {}
    for procedure in program.procedures.values():
        own_reads, own_writes, callees = _own_effects(procedure, global_set)
        reads[procedure.name], writes[procedure.name] = own_reads, own_writes
        for callee in callees:
            callers.setdefault(callee, set()).add(procedure.name)
    _close(reads, callers)
    _close(writes, callers)
    return {name: Effects(frozenset(reads[name]), frozenset(writes[name])) for name in program.procedures}


def _own_effects(procedure: Procedure, global_set: frozenset[Term]) -> tuple[set[Term], set[Term], set[str]]:
    written: list[Term] = list(procedure.modifies) if not procedure.has_body else []
    conditions: list[Term] = [clause.condition for clause in (*procedure.requires, *procedure.ensures)]
    callees: set[str] = set()
    for statement in procedure.statements():
        match statement:
            case Assume(condition) | Assert(condition):
                conditions.append(condition)
            case Assign(targets, values):
                written.extend(targets)
                conditions.extend(values)
            case Havoc(targets):
                written.extend(targets)
            case Call(callee, arguments, results):
                written.extend(results)
                conditions.extend(arguments)
                callees.add(callee)
    used = free_variables(*conditions)
    read = {*used, *(_current(v) for v in used if is_old(v))}
    return read & global_set, set(written) & global_set, callees


def _current(variable: Term) -> Term:
    """The global that an ``old`` variable speaks of."""
    return var(variable.name[4:-1], variable.sort)


def _close(sets: dict[str, set[Term]], callers: dict[str, set[str]]) -> None:
    """Adds each procedure's set to its callers', to the fixed point."""
    pending: list[str] = list(sets)
    waiting = set(pending)
    while pending:
        callee = pending.pop()
        waiting.discard(callee)
        for caller in callers.get(callee, ()):
            before = len(sets[caller])
            sets[caller] |= sets[callee]
            if len(sets[caller]) > before and caller not in waiting:
                waiting.add(caller)
                pending.append(caller)


def callees(procedure: Procedure) -> Iterable[str]:
    """The procedures that ``procedure`` calls, in the order of first call."""
    return dict.fromkeys(
        [s.procedure for block in procedure.blocks.values() for s in block.statements if isinstance(s, Call)]
    )
