"""Contracts of a program with threads, as statements.

    proc p(x) requires x > g; ensures g > old(g)           proc p(x) { g'1 := g; ...; assert g > g'1; return }
    call p(e)                                              assert e > g; call p(e)
    call b(e) -> (r)    of a procedure without a body      atomic begin; assert ...; havoc ...; assume ...; atomic end

Other threads may run between a check and what follows it, so nothing is assumed that was only checked before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.rewriting import begun, ended, read_terms, rewritten, with_statements
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables, substitute


class Contracts:
    def __init__(self, procedures: Mapping[str, ir.Procedure], names: Names) -> None:
        self._procedures = procedures
        self._names = names

    def procedure(self, procedure: ir.Procedure, *, is_entry: bool) -> ir.Procedure:
        """Without a contract; what the entry requires is assumed."""
        made: list[Term] = []
        blocks = with_statements(procedure, lambda one: self._statement(one, made))
        plain = replace(procedure, blocks=blocks, requires=(), ensures=(), modifies=())
        plain = ended(plain, (_checked(clause, "postcondition") for clause in procedure.ensures))
        terms = [term for statement in plain.statements() for term in read_terms(statement)]
        kept: dict[Term, Term] = {}
        for variable in sorted((v for v in free_variables(*terms) if ir.is_old(v)), key=lambda v: v.name):
            kept[variable] = self._local(_current(variable), made)
        if kept:
            blocks = with_statements(plain, lambda one: (rewritten(one, lambda term: substitute(term, kept)),))
            plain = replace(plain, blocks=blocks)
        assumed = [ir.Assume(c.condition, c.location) for c in procedure.requires if c.free or is_entry]
        first: list[ir.Statement] = list(assumed)
        if kept:
            first.append(ir.Assign(tuple(kept.values()), tuple(map(_current, kept))))
        return replace(begun(plain, first), locals=(*procedure.locals, *made))

    def _statement(self, statement: ir.Statement, made: list[Term]) -> Iterator[ir.Statement]:
        callee = self._procedures.get(statement.procedure) if isinstance(statement, ir.Call) else None
        if callee is None or not isinstance(statement, ir.Call):
            yield statement
            return
        bindings = dict(zip(callee.parameters, statement.arguments, strict=True))
        checked = [_required(clause, bindings, statement) for clause in callee.requires if not clause.free]
        if callee.has_body:
            yield from checked
            yield statement
        else:
            yield ir.AtomicBegin(statement.location)
            yield from checked
            yield from self._anything(callee, statement, bindings, made)
            yield ir.AtomicEnd(statement.location)

    def _anything(
        self, callee: ir.Procedure, call: ir.Call, bindings: dict[Term, Term], made: list[Term]
    ) -> Iterator[ir.Statement]:
        """What a procedure without a body may do, in one step."""
        place = call.location
        for clause in callee.requires:
            if clause.free:
                yield ir.Assume(substitute(clause.condition, bindings), place)
        conditions = [clause.condition for clause in callee.ensures]
        for variable in sorted((v for v in free_variables(*conditions) if ir.is_old(v)), key=lambda v: v.name):
            bindings[variable] = self._local(_current(variable), made)
            yield ir.Assign((bindings[variable],), (_current(variable),), place)
        for parameter, argument in list(bindings.items()):
            if parameter in callee.parameters and not argument.is_value:
                bindings[parameter] = self._local(parameter, made)
                yield ir.Assign((bindings[parameter],), (argument,), place)
        returned = tuple(self._local(v, made) for v in callee.returns)
        bindings.update(zip(callee.returns, returned, strict=True))
        changed = (*callee.modifies, *returned)
        if changed:
            yield ir.Havoc(changed, place)
        for condition in conditions:
            yield ir.Assume(substitute(condition, bindings), place)
        if returned:
            yield ir.Assign(call.results, returned, place)

    def _local(self, like: Term, made: list[Term]) -> Term:
        made.append(t.var(self._names.fresh(like.name), like.sort))
        return made[-1]


def _current(variable: Term) -> Term:
    """The global that an old variable speaks of."""
    return t.var(variable.name[4:-1], variable.sort)


def _checked(clause: ir.Clause, message: str) -> ir.Statement:
    if clause.free:
        return ir.Assume(clause.condition, clause.location)
    return ir.Assert(clause.condition, clause.message or message, clause.location)


def _required(clause: ir.Clause, bindings: dict[Term, Term], call: ir.Call) -> ir.Statement:
    condition = substitute(clause.condition, bindings)
    return ir.Assert(condition, clause.message or f"precondition of {call.procedure}", call.location)
