"""Sequences of linear predicates that exclude a path, to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from cleave.engines.cegar.refinement.bits import joined
from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.cuts import cut_by_cut
from cleave.engines.cegar.refinement.decompose import decomposed
from cleave.engines.cegar.refinement.farkas import (
    Direction,
    RowSolver,
    Weighted,
    contradiction,
    refutation,
    strongest,
    weakest,
)
from cleave.engines.cegar.refinement.linear import Linearizer, Row, has_quotient, renamed
from cleave.engines.cegar.refinement.path_formula import PathFormula, conjuncts
from cleave.engines.cegar.refinement.weakest import weakest_preconditions
from cleave.engines.cegar.refinement.writing import as_formula
from cleave.errors import UnsupportedError
from cleave.logic.sorts import Sort
from cleave.logic.terms import FALSE, TRUE, Term, conj_all
from cleave.logic.walk import free_variables
from cleave.smt.bitwuzla.interpolants import interpolants
from cleave.smt.solver import Solver

Predicates: TypeAlias = tuple[Term, ...]
"""Of a location on the path."""

_MOST_ATTEMPTS = 3  # to find constraints that exclude a path and count no rounds

_MOST_QUESTIONS = 20_000
"""That Bitwuzla may ask; at most a few seconds for each of its steps between two of them."""


def linear_sequences(formula: PathFormula, budget: Budget, plain: Solver) -> list[list[Sequence[Predicates]]]:
    """From the linear constraints, if these exclude the path: those of each reason why they do. While all that are
    found count rounds, others are looked for that do without the constraint with which the counting begins."""
    rows = linear_rows(formula)
    solver = RowSolver(budget, plain)
    reasons: list[list[Sequence[Predicates]]] = []
    try:
        for _ in range(_MOST_ATTEMPTS):
            found = _refutations(solver, rows)
            reasons += (list(_from_factors(formula, one)) for one in found)
            if not found or not all(counts_rounds(formula, sequence) for reason in reasons for sequence in reason):
                break
            first = [(one[0].step, one[0].row) for one in found]
            rows = [each for each in rows if each not in first]
    finally:
        solver.close()
    return reasons


def _refutations(solver: RowSolver, rows: Sequence[tuple[int, Row]]) -> list[list[Weighted]]:
    contradictory = contradiction(solver, rows)
    if contradictory is None:
        return []
    found = [refutation(solver, rows, contradictory, direction) for direction in Direction]
    return [one for number, one in enumerate(found) if one and one not in found[:number]]


def distinct(formula: PathFormula, sequence: Sequence[Predicates]) -> dict[tuple[int, Term], None]:
    """The predicates with their locations."""
    return dict.fromkeys(
        (transition.target, predicate)
        for transition, there in zip(formula.transitions, sequence, strict=False)
        for predicate in there
        if predicate is not TRUE
    )


def counts_rounds(formula: PathFormula, sequence: Sequence[Predicates]) -> bool:
    """Whether a location has another predicate at another visit: a loop's rounds would be told apart, one by one."""
    places = [place for place, predicate in distinct(formula, sequence) if predicate is not FALSE]
    return len(places) > len(set(places))


def cut_sequences(
    formula: PathFormula, core: Sequence[tuple[int, Term]], budget: Budget, plain: Solver
) -> Iterator[list[tuple[Term, ...]]]:
    """From constraints with cases that exclude each other."""
    found = cut_by_cut(formula, core, budget, plain)
    if found is not None:
        yield in_parts(formula, found)


def backward_sequences(formula: PathFormula, core: Sequence[tuple[int, Term]]) -> Iterator[list[tuple[Term, ...]]]:
    """From any constraints that exclude each other."""
    found = weakest_preconditions(formula, frozenset(core))
    if found is not None:
        yield in_parts(formula, found)


def bit_sequences(
    formula: PathFormula, core: Sequence[tuple[int, Term]], budget: Budget
) -> Iterator[list[tuple[Term, ...]]]:
    """From constraints on bit vectors that exclude each other."""
    if not all(_has_bits(v.sort) for _, part in core for v in free_variables(part)):
        return
    steps = [conj_all(part for number, part in core if number == step) for step in range(len(formula.steps))]
    try:
        found = interpolants(steps, cost_limit=_MOST_QUESTIONS)
    except UnsupportedError:
        return
    budget.spent += found.cost
    if found.interpolants is not None:
        yield [joined(predicates) for predicates in in_parts(formula, found.interpolants)]


def _has_bits(sort: Sort) -> bool:
    while sort.is_array:
        if not _has_bits(sort.index):
            return False
        sort = sort.element
    return sort.is_bool or sort.is_bitvec


def in_parts(formula: PathFormula, sequence: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Formulas over the names of the states as predicates of the locations."""
    return [tuple(conjuncts(formula.at_location(state, part))) for state, part in enumerate(sequence, 1)]


def linear_rows(formula: PathFormula) -> list[tuple[int, Row]]:
    """Of the constraints that are linear."""
    found: list[tuple[int, Row]] = []
    for number, step in enumerate(formula.steps):
        linearizer = Linearizer(f"@{number}..")
        for constraint in step:
            rows = linearizer.rows(constraint) if has_quotient(constraint) else _rows(constraint)
            found += [(number, row) for row in rows or ()]
    return found


@lru_cache(maxsize=10_000)
def _rows(constraint: Term) -> list[Row] | None:
    """Of one without quotients. Paths have most of their constraints in common."""
    return Linearizer("").rows(constraint)


def _from_factors(formula: PathFormula, found: Sequence[Weighted]) -> Iterator[list[tuple[Term, ...]]]:
    """The same proof, told in several ways."""
    for interpolant in (strongest, weakest):
        sums = interpolant(found, len(formula.steps))
        yield _predicates(formula, [[renamed(row, formula.backs[cut])] for cut, row in enumerate(sums, 1)])
    for parts in decomposed(found, formula):
        yield _predicates(formula, parts)


def _predicates(formula: PathFormula, sequence: Sequence[Sequence[Row]]) -> list[tuple[Term, ...]]:
    return [tuple(as_formula(row, formula.orders[state]) for row in rows) for state, rows in enumerate(sequence, 1)]
