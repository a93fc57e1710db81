"""A guard and updates, case by case: in each, the guard is a conjunction of literals and the updates have no cases.

    assume x < 0 or x > 5; y := (ite (< x 9) x 0)           assume x < 0;              y := x
                                                            assume x > 5 and x < 9;    y := x
                                                            assume x > 5 and x >= 9;   y := 0

The cases are found one after the other from models of what they leave out, so only those that can happen are made; what
has too many stays as it is. They may overlap.

A caller that can do without some cases uses `first_cases`. Those of small numbers come first: where arithmetic wraps
around, they are the ones that matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import Op, Term, boolean, conj, conj_all, integer, le, neg
from cleave.logic.walk import free_variables, postorder
from cleave.passes.to_transitions.disjuncts import disjuncts
from cleave.passes.to_transitions.implicants import implicant, without_cases
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import PLAIN, Z3Solver

_COST = 3_000_000  # of the solver, for each clause
_SMALL = 10_000  # numbers up to this are tried first

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
    return _all_cases(whole, most, with_updates=True) or _all_cases(whole, most, with_updates=False) or [whole]


def first_cases(guard: Term, updates: Sequence[Term], most: int) -> list[Case]:
    """At most ``most``, each of them a part of the transition."""
    whole = Case(guard, tuple(updates))
    if not _has_choices((guard, *updates)):
        return [whole]
    solver = Z3Solver(profile=PLAIN)
    try:
        solver.add(guard)
        solver.push()
        for variable in sorted(free_variables(guard, *updates), key=lambda variable: variable.name):
            if variable.sort is INT:
                solver.add(conj(le(integer(-_SMALL), variable), le(variable, integer(_SMALL))))
        found, _ = _from_models(solver, whole, most, with_updates=True)
        solver.pop()
        for case in found:
            solver.add(neg(case.guard))
        return found + _from_models(solver, whole, most - len(found), with_updates=True)[0]
    finally:
        solver.close()


def _has_choices(terms: Sequence[Term]) -> bool:
    return any(node.op in _CHOICES or (node.op is Op.EQ and node.args[0].sort is BOOL) for node in postorder(terms))


def _all_cases(whole: Case, most: int, *, with_updates: bool) -> list[Case]:
    """None at all if there are too many, or if the solver can't tell."""
    solver = Z3Solver(profile=PLAIN)
    try:
        solver.add(whole.guard)
        found, are_all = _from_models(solver, whole, most, with_updates=with_updates)
        return found if are_all else []
    finally:
        solver.close()


def _from_models(solver: Z3Solver, whole: Case, most: int, *, with_updates: bool) -> tuple[list[Case], bool]:
    """At most ``most`` of what the solver knows to be left, and whether there are no others."""
    found: list[Case] = []
    while (answer := solver.check(cost_limit=_COST)) is Answer.SAT and len(found) < most and solver.cost() < _COST:
        found.append(_case(whole, solver.model(), with_updates=with_updates))
        solver.add(neg(found[-1].guard))
    return found, answer is Answer.UNSAT


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
