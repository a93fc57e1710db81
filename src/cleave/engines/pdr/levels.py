"""A derivation from linear clauses, level by level, as formulas: what `unrolling` and `induction` ask a solver about.

Inv@1           a Boolean: the derivation passes the predicate Inv at level 1
Inv@1 0         its first argument there
"""

from __future__ import annotations

from cleave.ir.horn import HornSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj_all, eq, var
from cleave.logic.walk import postorder, substitute

NODE_COST = 10  # to make and translate a node of a formula: Python's work, which the solver does not count


def passed(predicate: str, level: int) -> Term:
    return var(f"{predicate}@{level}", BOOL)


def facts(system: HornSystem, predicate: str, level: int) -> list[Term]:
    return [var(f"{predicate}@{level} {place}", sort) for place, sort in enumerate(system.predicates[predicate].sorts)]


def applied(system: HornSystem, number: int, below: int, level: int) -> Term:
    """That the clause gives the facts of ``level`` from those ``below``."""
    clause = system.clauses[number]
    own = {v: var(f"{v.name}@{level} in {number}", v.sort) for v in clause.variables()}
    memo: dict[Term, Term] = {}
    parts = [substitute(clause.constraint, own, memo)]
    parts += [passed(atom.predicate, below) for atom in clause.body]
    for atom, at in (*((atom, below) for atom in clause.body), (clause.head, level)):
        if atom is not None:
            held = zip(facts(system, atom.predicate, at), atom.arguments, strict=True)
            parts += [eq(fact, substitute(argument, own, memo)) for fact, argument in held]
    return conj_all(parts)


def making_cost(formula: Term) -> int:
    return NODE_COST * sum(1 for _ in postorder((formula,)))
