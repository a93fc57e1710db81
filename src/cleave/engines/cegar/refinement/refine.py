"""Why a path to ``error`` can't be taken, as predicates; or how it can.

    0 start -> loop: assume true; x := 0
    1 loop -> loop: assume x < 10; x := x + 1         refine(system, (0, 1, 2))
    2 loop -> error: assume x > 10                    Refined(((), (x <= 10,)))

The predicates of a position and the next guard imply each of the predicates of the next position, and the last ones
exclude the last guard. Therefore an abstraction that has them doesn't take the path again, even though it looks at each
predicate on its own. The same path always gets the same answer: each call has solvers of its own, limits are counts of
steps, and no order depends on addresses or on hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from cleave.engines.cegar.options import USUAL
from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.candidates import (
    backward_sequences,
    bit_sequences,
    counts_rounds,
    cut_sequences,
    distinct,
    linear_sequences,
)
from cleave.engines.cegar.refinement.feasibility import States, feasibility
from cleave.engines.cegar.refinement.path_formula import PathFormula, path_formula
from cleave.ir.transition_system import TransitionSystem
from cleave.logic.terms import FALSE, TRUE, Term, conj_all, disj_all, neg
from cleave.logic.walk import postorder, substitute
from cleave.records import dataclass
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import CONJUNCTIVE, Z3Solver


@dataclass(frozen=True, slots=True)
class Feasible:
    """The path can be taken; ``states`` are ground values of the variables after each transition."""

    states: tuple[tuple[Term, ...], ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Refined:
    """The path can't be taken; ``predicates`` are formulas over the variables of the location after each transition
    but the last. Where there is ``false`` among them, the path is excluded already; what is behind excludes it, too."""

    predicates: tuple[tuple[Term, ...], ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Nobody knows."""

    reason: str
    cost: int


def unused_solver() -> Z3Solver:
    """Its first question is behind it, which takes longer than others."""
    solver = Z3Solver(profile=CONJUNCTIVE, counts_checks=True)
    solver.push()
    solver.check(cost_limit=USUAL.analysis_cost)
    solver.pop()
    return solver


def refine(
    system: TransitionSystem, path: Sequence[int], budget: Budget | None = None, unused: Z3Solver | None = None
) -> Feasible | Refined | Failed:
    """``path`` are the numbers of transitions from ``start`` to ``error``. Whoever brings an `unused_solver` closes it:
    to make and to free one takes as long as many questions."""
    budget = budget or Budget(USUAL.analysis_cost)
    if unused is not None:
        return _refine(path_formula(system, path), budget, unused)
    plain = unused_solver()
    try:
        return _refine(path_formula(system, path), budget, plain)
    finally:
        plain.close()


def _refine(formula: PathFormula, budget: Budget, plain: Z3Solver) -> Feasible | Refined | Failed:
    reasons = linear_sequences(formula, budget, plain)
    linear = [_best(formula, sequences, budget, plain) for sequences in reasons]
    found = _joined(formula, [predicates for predicates in linear if predicates is not None])
    if found is not None:
        return Refined(found, budget.spent)
    known = feasibility(formula, budget)
    if isinstance(known, str):
        return Failed(known, budget.spent)
    if isinstance(known, States):
        return Feasible(known.values, budget.spent)
    core = known.parts
    by_bits = chain(backward_sequences(formula, core), bit_sequences(formula, core, budget))
    for sequences in (cut_sequences(formula, core, budget, plain), by_bits):
        found = _best(formula, sequences, budget, plain)
        if found is not None:
            return Refined(found, budget.spent)
    return Failed("no predicates found that exclude a path", budget.spent)


# --- choice ---------------------------------------------------------------------------------------------------------


Predicates = tuple[tuple[Term, ...], ...]


def _best(
    formula: PathFormula, sequences: Iterable[Sequence[Sequence[Term]]], budget: Budget, solver: Solver
) -> Predicates | None:
    """Of those that keep the promise."""
    candidates = [_tidied(sequence) for sequence in sequences]
    for predicates in sorted(candidates, key=lambda each: _score(formula, each)):
        if _excludes(formula, predicates, budget, solver):
            return predicates
    return None


def _joined(formula: PathFormula, found: Sequence[Predicates]) -> Predicates | None:
    """All that exclude the path for a reason of their own: what is not needed now mostly is in another iteration. But
    those that only count how often a loop was taken, with another predicate at each visit, would never end."""
    if not found:
        return None
    best, *others = sorted(found, key=lambda each: _score(formula, each))
    joined = best
    for other in others:
        if not counts_rounds(formula, other) or len(distinct(formula, other)) <= len(distinct(formula, best)):
            joined = tuple(tuple(dict.fromkeys((*one, *more))) for one, more in zip(joined, other, strict=True))
    return joined


def _tidied(sequence: Sequence[Sequence[Term]]) -> Predicates:
    """Without what says nothing; nothing is needed behind ``false``."""
    tidied: list[tuple[Term, ...]] = []
    for predicates in sequence:
        if (FALSE,) in tidied:
            tidied.append(())
        elif FALSE in predicates:
            tidied.append((FALSE,))
        else:
            tidied.append(tuple(dict.fromkeys(p for p in predicates if p is not TRUE)))
    return tuple(tidied)


def _score(formula: PathFormula, predicates: Predicates) -> tuple[int, ...]:
    """Less is better: few different predicates, as what holds at each visit of a location may well be an invariant of
    it; then short ones, then small numbers."""
    found = distinct(formula, predicates)
    size, numbers = 0, 0
    for _, predicate in found:
        for node in postorder((predicate,)):
            size += 1
            if node.is_value and not node.sort.is_bool and not node.sort.is_bitvec:
                numbers += node.value.numerator.bit_length() + node.value.denominator.bit_length()
    return len(found), size, numbers


# --- the promise ----------------------------------------------------------------------------------------------------


def _excludes(formula: PathFormula, predicates: Predicates, budget: Budget, solver: Solver) -> bool:
    """Whether the abstraction with these predicates has no such path: no step leads from where the predicates before
    it hold to where one of those behind it does not. All steps are one question."""
    broken: list[Term] = []
    known: tuple[Term, ...] = ()
    for number, transition in enumerate(formula.transitions):
        wanted = predicates[number] if number < len(predicates) else (FALSE,)
        updates = dict(zip(formula.backs[number + 1].values(), transition.updates, strict=True))
        after = conj_all(substitute(predicate, updates) for predicate in wanted)
        broken.append(conj_all([*known, transition.guard, neg(after)]))
        if FALSE in wanted:
            break
        known = wanted
    solver.push()
    try:
        solver.add(disj_all(broken))
        return budget.check(solver) is Answer.UNSAT
    finally:
        solver.pop()
