"""Formulas whose variables have become constants: computing them without a solver, as far as that goes.

(and (= y (+ 1 2)) (< y x))         determined:   (< 3 x)
(bvult #x01 #x02)                   holds:        True
"""

from __future__ import annotations

from cleave.logic.operators import OPERATORS
from cleave.logic.terms import FALSE, TRUE, Op, Term
from cleave.logic.values import as_term
from cleave.logic.walk import free_variables, postorder, rebuild, substitute
from cleave.validate.semantics.evaluate import UNDETERMINED, World, evaluate

_ROUNDS = 100
EVALUATED = {*OPERATORS, *(Op.VALUE, Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.ITE, Op.VAR, Op.FORALL, Op.EXISTS)}
_NEVER_FOLDED = (Op.DIV, Op.MOD, Op.REAL_DIV)  # by zero, they have no value of their own


def constant(term: Term) -> Term:
    """``term`` with operators on constants computed; the constructors leave those on bit vectors as they are."""
    made: dict[Term, Term] = {}
    for node in postorder((term,)):
        rebuilt = rebuild(node, tuple(made[argument] for argument in node.args)) if node.args else node
        made[node] = computed(rebuilt)
    return made[term]


def computed(node: Term) -> Term:
    """``node`` itself computed, if its arguments are constants."""
    operator = OPERATORS.get(node.op)
    if operator is None or node.op in _NEVER_FOLDED or not node.args or not all(one.is_value for one in node.args):
        return node
    value = evaluate(node, _no_variable, World())
    found = None if value is UNDETERMINED else as_term(value, node.sort)
    return node if found is None else found


def determined(formula: Term) -> Term:
    """An equivalent of "``formula`` for some values of its variables", without the variables that an equation with a
    ground term determines."""
    for _ in range(_ROUNDS):
        known = _solved(formula)
        if not known:
            break
        formula = constant(substitute(formula, known))
    return formula


def _solved(formula: Term) -> dict[Term, Term]:
    conjuncts = formula.args if formula.op is Op.AND else (formula,)
    known: dict[Term, Term] = {}
    for one in conjuncts:
        if one.is_var:
            known.setdefault(one, TRUE)
        elif one.op is Op.NOT and one.args[0].is_var:
            known.setdefault(one.args[0], FALSE)
        elif one.op is Op.EQ:
            left, right = one.args if one.args[0].is_var else one.args[::-1]
            if left.is_var and not free_variables(right):
                known.setdefault(left, right)
    return known


def holds(formula: Term) -> bool | None:
    """The truth of a ground formula; None if it has variables, data types or quantifiers that stay undetermined."""
    if formula.is_value:
        return formula.is_true
    if free_variables(formula) or not all(node.op in EVALUATED for node in postorder((formula,))):
        return None
    value = evaluate(formula, _no_variable, World())
    return None if value is UNDETERMINED else bool(value)


def _no_variable(variable: Term) -> bool:
    raise AssertionError(f"{variable.name} is not ground")
