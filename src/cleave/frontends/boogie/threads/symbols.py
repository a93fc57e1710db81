"""Functions and axioms of a program with threads, as constants and assumptions.

    function f(x: int): int;  axiom f(0) == 1;        const f: [int]int, and the entry begins with assume f[0] == 1

That means the same: a function is a map that nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.rewriting import read_terms
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import Sort, array
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import fold, functions, rebuild


class Symbols:
    """Of the functions that procedures use."""

    def __init__(self, procedures: Iterable[ir.Procedure], names: Names) -> None:
        terms = (term for p in procedures for statement in p.statements() for term in read_terms(statement))
        self._maps = {f: t.var(names.fresh(f.name), _sort(f)) for f in functions(*terms)}

    @property
    def constants(self) -> tuple[Term, ...]:
        return tuple(self._maps.values())

    def term(self, term: Term) -> Term:
        return fold(term, self._node) if self._maps and any(True for _ in functions(term)) else term

    def _node(self, node: Term, args: list[Term]) -> Term:
        if node.op is not Op.APPLY or node.value not in self._maps:
            return rebuild(node, tuple(args)) if args else node
        found = self._maps[node.value]
        for argument in args:
            found = t.select(found, argument)
        return found


def _sort(function: Function) -> Sort:
    found = function.result
    for argument in reversed(function.arguments):
        found = array(argument, found)
    return found
