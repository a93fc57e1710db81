"""Names for what a formula claims to exist, so that a model gives their values.

    (exists ((i Int)) (p i))               (p |i(7)|)
    (not (forall ((i Int)) (p i)))         (not (p |i(7)|))

Only quantifiers below ``and``, ``or``, ``=>`` and ``not`` are opened; others stay. The result has a model exactly when
the formula has one.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.logic.terms import Op, Term, conj_all, disj_all, implies, neg
from cleave.logic.walk import has_quantifier, substitute

_DEPTH = 30  # of connectives; what is deeper stays as it is


def with_witnesses(term: Term, fresh: Callable[[Term], Term]) -> Term:
    """``term`` with each opened bound variable replaced by ``fresh(variable)``."""
    return _open(term, True, fresh, _DEPTH)


def _open(term: Term, positive: bool, fresh: Callable[[Term], Term], depth: int) -> Term:
    if depth == 0 or not has_quantifier(term):
        return term
    match term.op:
        case Op.NOT:
            return neg(_open(term.args[0], not positive, fresh, depth - 1))
        case Op.AND:
            return conj_all([_open(arg, positive, fresh, depth - 1) for arg in term.args])
        case Op.OR:
            return disj_all([_open(arg, positive, fresh, depth - 1) for arg in term.args])
        case Op.IMPLIES:
            left, right = term.args
            return implies(_open(left, not positive, fresh, depth - 1), _open(right, positive, fresh, depth - 1))
        case Op.EXISTS | Op.FORALL if (term.op is Op.EXISTS) == positive:
            body = substitute(term.args[0], {variable: fresh(variable) for variable in term.value.variables})
            return _open(body, positive, fresh, depth - 1)
        case _:
            return term
