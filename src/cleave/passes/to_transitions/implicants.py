"""Conjunctions of literals that imply a formula, found from its models.

x = (ite (< y 0) 1 y) and (or (< x 3) (< 7 x))      a model with y = 8:   not y < 0,  x = y,  7 < x
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import TRUE, Op, Term, eq, lt, neg
from cleave.logic.walk import rebuild
from cleave.smt.solver import Model


def implicant(formulas: Iterable[Term], model: Model) -> list[Term]:
    """Literals that hold in ``model``, from which all of ``formulas`` follow; of alternatives, the first."""
    found: dict[Term, None] = {}
    stack = [(formula, True) for formula in reversed(list(formulas))]
    seen: set[tuple[Term, bool]] = set()
    while stack:
        formula, holds = stack.pop()
        if (formula, holds) in seen:
            continue
        seen.add((formula, holds))
        match formula.op:
            case Op.NOT:
                stack.append((formula.args[0], not holds))
            case Op.AND | Op.OR if (formula.op is Op.AND) is holds:
                stack += [(arg, holds) for arg in reversed(formula.args)]
            case Op.AND | Op.OR:
                stack.append((next(arg for arg in formula.args if model.is_true(arg) is holds), holds))
            case Op.IMPLIES:
                stack += _implication(formula, holds, model)
            case Op.ITE:
                condition, then, other = formula.args
                chosen = model.is_true(condition)
                stack += [(then if chosen else other, holds), (condition, chosen)]
            case Op.DISTINCT:
                stack += [(part, True) for part in reversed(_differences(formula, holds, model))]
            case Op.EQ if formula.args[0].sort is BOOL and not _is_simple(formula):
                stack += [(arg, model.is_true(arg)) for arg in reversed(formula.args)]
            case _:
                literal, conditions = without_cases(formula, model)
                stack += reversed(conditions)
                found[_ordered(literal, holds, model)] = None
    found.pop(TRUE, None)
    return list(found)


def _implication(formula: Term, holds: bool, model: Model) -> list[tuple[Term, bool]]:
    left, right = formula.args
    if not holds:
        return [(right, False), (left, True)]
    return [(right, True)] if model.is_true(right) else [(left, False)]


def _differences(formula: Term, holds: bool, model: Model) -> list[Term]:
    pairs = [eq(a, b) for place, a in enumerate(formula.args) for b in formula.args[:place]]
    return [neg(pair) for pair in pairs] if holds else [next(pair for pair in pairs if model.is_true(pair))]


def _is_simple(equation: Term) -> bool:
    """Between Boolean variables, which is a row as it is."""
    return all((arg.args[0] if arg.op is Op.NOT else arg).op is Op.VAR for arg in equation.args)


def _ordered(atom: Term, holds: bool, model: Model) -> Term:
    """The literal; that numbers differ is said by their order."""
    if holds:
        return atom
    if atom.op is Op.EQ and (atom.args[0].sort is INT or atom.args[0].sort is REAL):
        left, right = atom.args
        return lt(left, right) if model.is_true(lt(left, right)) else lt(right, left)
    return neg(atom)


def without_cases(atom: Term, model: Model) -> tuple[Term, list[tuple[Term, bool]]]:
    """The term with the branches that the model chooses, and the conditions of these, with their truth."""
    results: dict[Term, Term] = {}
    conditions: dict[Term, bool] = {}
    stack = [atom]
    while stack:
        node = stack[-1]
        if node in results:
            stack.pop()
            continue
        if node.op is Op.ITE:
            condition, then, other = node.args
            holds = conditions.setdefault(condition, model.is_true(condition))
            below: tuple[Term, ...] = (then if holds else other,)
        else:
            below = node.args
        waiting = [arg for arg in below if arg not in results]
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        made = tuple(results[arg] for arg in below)
        results[node] = made[0] if node.op is Op.ITE else rebuild(node, made)
    return results[atom], list(conditions.items())
