"""Corral's ``var {:thread_local} x``: one for each thread, in a map.

    x := x + 1                       x := x[self := x[self] + 1]

A thread begins with any value in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.rewriting import begun, read_terms, rewritten, with_statements
from cleave.frontends.boogie.threads.starting import NUMBER
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import array
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables, substitute


class ThreadLocals:
    def __init__(self, variables: list[Term], names: Names) -> None:
        self.maps = {v: t.var(v.name, array(NUMBER, v.sort)) for v in variables}
        self._names = names

    def procedure(self, procedure: ir.Procedure) -> ir.Procedure:
        if not self.maps or not any(self._mentions(s) for s in procedure.statements()):
            return procedure
        number = t.var(self._names.fresh("self"), NUMBER)
        made = [number]
        own = {v: t.select(m, number) for v, m in self.maps.items()}
        blocks = with_statements(procedure, lambda one: self._statement(one, own, number, made))
        changed = replace(procedure, blocks=blocks, locals=(*procedure.locals, *made))
        return begun(changed, (ir.Self(number),))

    def _mentions(self, statement: ir.Statement) -> bool:
        read = free_variables(*read_terms(statement))
        return any(v in read or v in _targets(statement) for v in self.maps)

    def _statement(
        self, statement: ir.Statement, own: Mapping[Term, Term], number: Term, made: list[Term]
    ) -> Iterator[ir.Statement]:
        statement = rewritten(statement, lambda term: substitute(term, dict(own)))
        changed = [v for v in _targets(statement) if v in self.maps]
        if not changed:
            yield statement
            return
        place = statement.location
        if isinstance(statement, ir.Assign):
            pairs = zip(statement.targets, statement.values, strict=True)
            stored = [(self.maps.get(v, v), self._stored(v, e, number)) for v, e in pairs]
            yield ir.Assign(tuple(v for v, _ in stored), tuple(e for _, e in stored), place)
            return
        copies = {v: t.var(self._names.fresh(v.name), v.sort) for v in changed}
        made += copies.values()
        if isinstance(statement, ir.Havoc):
            yield replace(statement, targets=tuple(copies.get(v, v) for v in statement.targets))
        elif isinstance(statement, ir.Call):
            yield replace(statement, results=tuple(copies.get(v, v) for v in statement.results))
        targets = tuple(self.maps[v] for v in copies)
        yield ir.Assign(targets, tuple(self._stored(v, e, number) for v, e in copies.items()), place)

    def _stored(self, variable: Term, value: Term, number: Term) -> Term:
        return t.store(self.maps[variable], number, value) if variable in self.maps else value


def _targets(statement: ir.Statement) -> tuple[Term, ...]:
    match statement:
        case ir.Assign() | ir.Havoc():
            return statement.targets
        case ir.Call():
            return statement.results
        case _:
            return ()
