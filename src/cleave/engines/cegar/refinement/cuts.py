"""Interpolants of formulas with cases, one cut after the other.

    A:  x = 0 or x = 5          B:  x < -1 or x > 7           x >= -1 and x <= 7

Of the parts A and B of a path, cubes are found that cover all their models (`cubes`). For a cube of A, the interpolants
with the cubes of B all hold; for A, those of one of its cubes. Each cut's A is the interpolant of the cut before and
the step in between, so that the interpolants of all the cuts are inductive.

Cubes of integers that have a common solution only over the rationals are split there: above and below a value that is
no integer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.farkas import Direction, RowSolver, contradiction, refutation, weakest
from cleave.engines.cegar.refinement.linear import ONE, Linearizer, Relation, Row
from cleave.engines.cegar.refinement.path_formula import PathFormula
from cleave.engines.cegar.refinement.writing import as_formula
from cleave.logic.sorts import REAL
from cleave.logic.terms import FALSE, TRUE, Term, conj_all, disj_all, neg
from cleave.logic.walk import free_variables
from cleave.passes.to_transitions.implicants import implicant
from cleave.smt.solver import Answer, Solver
from cleave.smt.z3.solver import PLAIN, Z3Solver

_MOST_CUBES = 60
_MOST_SPLITS = 12


class NoInterpolantError(Exception):
    """The cubes are too many, not linear, or exclude each other only for a reason that is not found here."""


def cut_by_cut(
    formula: PathFormula, core: Sequence[tuple[int, Term]], budget: Budget, plain: Solver
) -> list[Term] | None:
    """A formula over the names of each state from 1 on to the last but one; ``core`` are constraints with their
    steps that exclude each other."""
    found: list[Term] = []
    before: Term = TRUE
    rows = RowSolver(budget, plain)
    linearizers = Linearizer("@left.."), Linearizer("@right..")
    try:
        for cut in range(1, len(formula.steps)):
            left = [part for step, part in core if step == cut - 1]
            right = [part for step, part in core if step >= cut]
            if left or not right or not free_variables(before).issubset(formula.states[cut]):
                order = {variable: place for place, variable in enumerate(formula.states[cut])}
                before = Cut(order, linearizers, rows, budget).interpolant([before, *left], right)
            found.append(before)
    except NoInterpolantError:
        return None
    finally:
        rows.close()
    return found


class Cut:
    """``order`` has the variables that both sides may have."""

    def __init__(
        self, order: Mapping[Term, int], linearizers: tuple[Linearizer, Linearizer], rows: RowSolver, budget: Budget
    ) -> None:
        self._order = order
        self._left, self._right = linearizers
        self._rows = rows
        self._budget = budget

    def interpolant(self, left: Sequence[Term], right: Sequence[Term]) -> Term:
        if not right or FALSE in left:
            return FALSE
        first, second = Z3Solver(profile=PLAIN), Z3Solver(profile=PLAIN)
        try:
            for formula in left:
                first.add(formula)
            for formula in right:
                second.add(formula)
            return self._cover(first, left, second, right)
        finally:
            first.close()
            second.close()

    def _cover(self, first: Z3Solver, left: Sequence[Term], second: Z3Solver, right: Sequence[Term]) -> Term:
        cases: list[Term] = []
        for cube in self._cubes(first, left, self._left):
            second.push()
            case: list[Term] = []
            for other in self._cubes(second, right, self._right):
                case.append(self._between(cube, other, [_MOST_SPLITS]))
                second.add(case[-1])
            second.pop()
            cases.append(conj_all(case))
            first.add(neg(cases[-1]))
        return disj_all(cases)

    def _cubes(self, solver: Z3Solver, formulas: Sequence[Term], linearizer: Linearizer) -> Iterator[list[Row]]:
        """As rows, until the solver, to which the caller adds, has no more models."""
        for _ in range(_MOST_CUBES):
            answer = self._budget.check(solver)
            if answer is Answer.UNSAT:
                return
            if answer is Answer.UNKNOWN:
                break
            rows: list[Row] = []
            for literal in implicant(formulas, solver.model()):
                of_literal = linearizer.rows(literal)
                if of_literal is None:
                    raise NoInterpolantError
                rows += of_literal
            yield rows
        raise NoInterpolantError

    def _between(self, left: list[Row], right: list[Row], splits: list[int]) -> Term:
        """An interpolant of two cubes; ``splits`` holds how many splits are still allowed."""
        rows = [*((0, row) for row in left), *((1, row) for row in right)]
        contradictory = contradiction(self._rows, rows)
        found = refutation(self._rows, rows, contradictory, Direction.EARLY) if contradictory else None
        if found is not None:
            (row,) = weakest(found, 2)
            return as_formula(row, self._order)
        split = _split(self._rows.solution([*left, *right]))
        if split is None or not splits[0]:
            raise NoInterpolantError
        splits[0] -= 1
        variable, below = split
        halves = (
            Row({variable: ONE}, -below, Relation.AT_MOST),
            Row({variable: -ONE}, below + 1, Relation.AT_MOST),
        )
        if any(variable in row.coefficients for row in left):
            return disj_all(self._between([*left, half], right, splits) for half in halves)
        return conj_all(self._between(left, [*right, half], splits) for half in halves)


def _split(solution: Mapping[Term, Fraction]) -> tuple[Term, Fraction] | None:
    """A variable that should be integral and is not, and the integer below its value."""
    for variable, value in solution.items():
        if variable.sort is not REAL and value.denominator != 1:
            return variable, Fraction(value.__floor__())
    return None
