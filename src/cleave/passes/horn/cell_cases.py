"""A clause about cells, one for each case: which of the cells that it reads are the head's.

    Inv(i+1, k, ite(k = i, d+1, c)) :-            Inv(i+1, i, d+1) :- Inv(i, i, d)
        Inv(i, k, c),                     becomes
        (k = i implies c = d)                     Inv(i+1, k, c) :- Inv(i, k, c), k != i

Conditions are gone then, and loops can make many rounds in one step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from cleave.ir.horn import Atom, Clause
from cleave.logic.terms import FALSE, TRUE, Op, Term, conj, neg
from cleave.logic.walk import postorder, substitute
from cleave.passes.horn.tidy import tidied

_MOST_CONDITIONS = 3  # that make cases


def split(clause: Clause, keys: Collection[Term]) -> Iterator[Clause]:
    """By the equations that say where ``keys`` are."""
    terms = (clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments))
    conditions = [node for node in postorder(terms) if node.op is Op.EQ and any(side in keys for side in node.args)]
    cases = [clause]
    for condition in conditions if len(conditions) <= _MOST_CONDITIONS else ():
        cases = [_assumed(case, condition, holds) for case in cases for holds in (True, False)]
    yield from (case for case in map(tidied, cases) if not case.constraint.is_false)


def _assumed(clause: Clause, condition: Term, holds: bool) -> Clause:
    known, memo = {condition: TRUE if holds else FALSE}, dict[Term, Term]()

    def told(atom: Atom) -> Atom:
        return Atom(atom.predicate, tuple(substitute(argument, known, memo) for argument in atom.arguments))

    constraint = conj(substitute(clause.constraint, known, memo), condition if holds else neg(condition))
    head = None if clause.head is None else told(clause.head)
    return replace(clause, head=head, body=tuple(map(told, clause.body)), constraint=constraint)
