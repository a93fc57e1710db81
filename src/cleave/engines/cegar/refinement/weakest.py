"""Predicates from the end of a path: what must not hold before a step, lest the rest of the path can be taken.

    1 loop -> loop: a := store(a, i, 0); i := i + 1
    2 loop -> error: assume select(a, i - 1) > 0         before 2:  not select(a, i - 1) > 0
                                                         before 1:  not select(store(a, i, 0), i + 1 - 1) > 0

Only those parts of the guards are taken without which the path could be taken. The inputs of the steps are replaced by
what equations say that they are; if others are left, there is no answer.
"""

from __future__ import annotations

from functools import partial

from cleave.engines.cegar.refinement.path_formula import PathFormula
from cleave.logic.terms import FALSE, TRUE, Op, Term, conj_all, neg
from cleave.logic.walk import free_variables, substitute
from cleave.passes.horn.equations import solve


def weakest_preconditions(formula: PathFormula, core: frozenset[tuple[int, Term]]) -> list[Term] | None:
    """A formula about each state from 1 on to the last but one. ``core`` are parts of guards, with their steps, that
    exclude the path together with the updates."""
    found: list[Term] = []
    rest: Term = TRUE
    for number in reversed(range(1, len(formula.steps))):
        guard = [part for part in formula.guards[number] if (number, part) in core]
        updates = dict(_definition(part) for part in formula.updates[number])
        state = frozenset(formula.states[number])
        rest = conj_all([*guard, substitute(rest, updates)])
        rest, _ = solve(rest, (), partial(_is_other, state))
        if not free_variables(rest) <= state:
            return None
        found.append(neg(rest))
    return found[::-1]


def _is_other(state: frozenset[Term], variable: Term) -> bool:
    return variable not in state


def _definition(update: Term) -> tuple[Term, Term]:
    """The variable and its value in the equation of an update, which is shorter for the values of Booleans."""
    if update.op is Op.EQ:
        return update.args[0], update.args[1]
    return (update.args[0], FALSE) if update.op is Op.NOT else (update, TRUE)
