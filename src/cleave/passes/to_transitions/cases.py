"""A guard and updates, case by case: in each, the guard is a conjunction of literals and the updates have no cases.

    assume x < 0 or x > 5; y := (ite (< x 9) x 0)           assume x < 0;              y := x
                                                            assume x > 5 and x < 9;    y := x
                                                            assume x > 5 and x >= 9;   y := 0

The cases are found one after the other from models of what they leave out, so only those that can happen are made; what
has too many stays as it is. They may overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term, boolean, conj_all, neg
from cleave.logic.walk import postorder
from cleave.passes.to_transitions.disjuncts import disjuncts
from cleave.passes.to_transitions.implicants import implicant, without_cases
from cleave.smt.solver import Answer, Model
from cleave.smt.z3 import PLAIN, Z3Solver

_COST = 3_000_000  # of the solver, for each clause

_CHOICES = (Op.OR, Op.ITE, Op.IMPLIES, Op.DISTINCT)


class Case(NamedTuple):
    guard: Term
    updates: tuple[Term, ...]


def cases(guard: Term, updates: Sequence[Term], most: int) -> list[Case]:
    """At most ``most``, that are together the same transition."""
    whole = Case(guard, tuple(updates))
    if any(node.sort.is_bitvec for node in postorder((guard, *updates))):
        return [Case(way, whole.updates) for way in disjuncts(guard, most)]  # what is made of bits is left to the bits
    if not _has_choices((guard, *updates)):
        return [whole]
    return _from_models(whole, most, with_updates=True) or _from_models(whole, most, with_updates=False) or [whole]


def _has_choices(terms: Sequence[Term]) -> bool:
    return any(node.op in _CHOICES or (node.op is Op.EQ and node.args[0].sort is BOOL) for node in postorder(terms))


def _from_models(whole: Case, most: int, *, with_updates: bool) -> list[Case]:
    """None at all if there are too many, or if the solver can't tell."""
    solver = Z3Solver(profile=PLAIN)
    try:
        solver.add(whole.guard)
        found: list[Case] = []
        while (answer := solver.check(cost_limit=_COST)) is Answer.SAT and solver.cost() < _COST:
            if len(found) == most:
                return []
            found.append(_case(whole, solver.model(), with_updates=with_updates))
            solver.add(neg(found[-1].guard))
        return found if answer is Answer.UNSAT else []
    finally:
        solver.close()


def _case(whole: Case, model: Model, *, with_updates: bool) -> Case:
    """The one that the model belongs to."""
    conditions: list[Term] = []
    updates: list[Term] = []
    for update in whole.updates:
        if not with_updates or not _has_choices((update,)):
            updates.append(update)
        elif update.sort is BOOL:
            holds = model.is_true(update)
            updates.append(boolean(holds))
            conditions.append(update if holds else neg(update))
        else:
            chosen, why = without_cases(update, model)
            updates.append(chosen)
            conditions += (condition if holds else neg(condition) for condition, holds in why)
    return Case(conj_all(implicant([whole.guard, *conditions], model)), tuple(updates))
