"""Clauses without quantifiers, which SPACER refuses: each quantified formula becomes a variable that may be anything.

    P(x) :- Q(x), forall y. f(y) < x          P(x) :- Q(x), any

The new clauses derive all that the old ones do, and more: what holds of all their facts holds of those of the old ones.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.horn import Clause, HornSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term, var
from cleave.logic.walk import has_quantifier, postorder, substitute

_QUANTIFIERS = (Op.FORALL, Op.EXISTS)


def without_quantifiers(system: HornSystem) -> HornSystem:
    return replace(system, clauses=tuple(_weaker(clause) for clause in system.clauses))


def _weaker(clause: Clause) -> Clause:
    constraint, number = clause.constraint, 0
    while has_quantifier(constraint):  # once for each level of nesting
        unknown: dict[Term, Term] = {}
        for node in postorder((constraint,)):
            if node.op in _QUANTIFIERS:
                number += 1
                unknown[node] = var(f"any~{number}", BOOL)
        constraint = substitute(constraint, unknown)
    return clause if constraint is clause.constraint else replace(clause, constraint=constraint)
