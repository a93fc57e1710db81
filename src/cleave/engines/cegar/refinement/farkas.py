"""Sequence interpolants of rows that have no common solution over the rationals.

    step 0:  x@1 = 0         times  1      after it:  x <= 0        or as well:  x <= 10
    step 1:  x@2 = x@1 + 1   times  1      after it:  x <= 1                     x <= 10 ...
    step 2:  11 <= x@2       times  1

By Farkas' lemma some rows, each times a factor that is not negative (any factor for an equation), add up to something
plainly wrong, such as ``1 <= 0``. The sum of those before a cut is an interpolant there: the variables that occur on
one side only have cancelled out. In a *minimal* set of rows without solution the factors are unique but for their
scale. The sums of the rows before the cuts are the strongest sequence for these factors; the negated sums of those
behind are the weakest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from enum import Enum
from fractions import Fraction

from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.linear import NOTHING, ONE, ZERO, Relation, Row, Sum, normal, rational
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, implies, var
from cleave.records import dataclass
from cleave.smt.solver import Answer, Solver


class Direction(Enum):
    """Which rows are tried to be done without first."""

    EARLY = "those of the first steps"
    LATE = "those of the last steps"


@dataclass(frozen=True, slots=True)
class Weighted:
    """A row of a minimal set with its step and factor."""

    step: int
    row: Row
    factor: Fraction


class RowSolver:
    """Decides over the rationals whether rows have a common solution. ``solver`` keeps the rows that it has seen until
    this is closed."""

    def __init__(self, budget: Budget, solver: Solver) -> None:
        self._budget = budget
        self._solver = solver
        self._solver.push()
        self._switches: dict[Term, Term] = {}

    def infeasible(self, rows: Sequence[Row], numbers: Sequence[int]) -> list[int] | None:
        """Some of the ``numbers`` of rows that have no common solution, in order; None if all have one (or nobody
        knows)."""
        switches = {self._switch(rows[number]): number for number in reversed(numbers)}
        if self._budget.check(self._solver, list(reversed(switches))) is not Answer.UNSAT:
            return None
        return sorted(switches[switch] for switch in self._solver.core())

    def solution(self, rows: Sequence[Row]) -> dict[Term, Fraction]:
        """A common solution of rows; empty if there is none."""
        switches = dict.fromkeys(self._switch(row) for row in rows)
        if self._budget.check(self._solver, list(switches)) is not Answer.SAT:
            return {}
        model = self._solver.model()
        variables = dict.fromkeys(variable for row in rows for variable in row.coefficients)
        return {variable: Fraction(model.value(rational(variable))) for variable in variables}

    def _switch(self, row: Row) -> Term:
        """A Boolean that says that the row holds."""
        found = self._switches.get(row.relaxed)
        if found is None:
            found = self._switches[row.relaxed] = var(f"row {len(self._switches)}", BOOL)
            self._solver.add(implies(found, row.relaxed))
        return found

    def close(self) -> None:
        self._solver.pop()


def contradiction(solver: RowSolver, steps_and_rows: Sequence[tuple[int, Row]]) -> list[int] | None:
    """The numbers of some rows without a common solution; None if all together have one."""
    rows = [row for _, row in steps_and_rows]
    return solver.infeasible(rows, range(len(rows)))


def refutation(
    solver: RowSolver, steps_and_rows: Sequence[tuple[int, Row]], found: Sequence[int], direction: Direction
) -> list[Weighted] | None:
    """A minimal set of rows without a common solution, with their factors. ``found`` are the numbers of some rows
    without one."""
    rows = [row for _, row in steps_and_rows]
    kept = _window(solver, steps_and_rows, found, direction)
    factors = weighted([steps_and_rows[number] for number in kept])
    for number in kept if direction is Direction.EARLY else kept[::-1]:
        if factors is not None:  # they are unique already, so that nothing but what has none can be left out
            return factors
        if number in kept:
            smaller = solver.infeasible(rows, [other for other in kept if other != number])
            if smaller is not None:
                kept = smaller
                factors = weighted([steps_and_rows[number] for number in kept])
    return factors


def _window(
    solver: RowSolver, steps_and_rows: Sequence[tuple[int, Row]], found: Sequence[int], direction: Direction
) -> list[int]:
    """Rows without a common solution of as few steps as possible, counted from the end; or of few of the first steps,
    counted from there. Mostly ``found`` has no more, so one step less is tried first, and then more and more: each
    answer names rows, whose steps are a better bound than the one asked for."""
    steps = [step for step, _ in steps_and_rows]
    rows = [row for _, row in steps_and_rows]

    def between(first: int, last: int) -> list[int] | None:
        return solver.infeasible(rows, [number for number, step in enumerate(steps) if first <= step <= last])

    kept, last = list(found), max(steps)
    if direction is Direction.LATE:
        low, last, stride = min(steps), steps[kept[-1]], 1
        while low < last:
            middle = max(low, last - stride)
            fewer = between(min(steps), middle)
            if fewer is None:
                low, stride = middle + 1, 1
            else:
                kept, last, stride = fewer, steps[fewer[-1]], 2 * stride
    first, high, stride = steps[kept[0]], last, 1
    while first < high:
        middle = min(high, first + stride)
        fewer = between(middle, last)
        if fewer is None:
            high, stride = middle - 1, 1
        else:
            kept, first, stride = fewer, steps[fewer[0]], 2 * stride
    return kept


def weighted(rows: Sequence[tuple[int, Row]]) -> list[Weighted] | None:
    """The factors of rows without solution if they are unique but for their scale, as they are if the set of rows is
    minimal; by elimination: for each variable, what the rows have of it must add up to nothing."""
    equations: dict[Term, dict[int, Fraction]] = {}
    for number, (_, row) in enumerate(rows):
        for variable, coefficient in row.coefficients.items():
            equations.setdefault(variable, {})[number] = coefficient
    solved = eliminate(list(equations.values()))
    free = [number for number in range(len(rows)) if number not in solved]
    if len(free) != 1:
        return None
    factors = {free[0]: ONE}
    for number in reversed(solved):
        factors[number] = -sum((c * factors[other] for other, c in solved[number].items()), ZERO)
    return _oriented([Weighted(step, row, factors[n]) for n, (step, row) in enumerate(rows) if factors[n]])


def eliminate(waiting: list[dict[int, Fraction]], late: Container[int] = frozenset()) -> dict[int, dict[int, Fraction]]:
    """For each solved unknown, in the order of solving, the factors of those that it is the negated sum of; these are
    solved later or never. Unknowns in ``late`` are solved for only if need be."""
    solved: dict[int, dict[int, Fraction]] = {}
    uses: dict[int, dict[int, None]] = {}  # which equations have an unknown
    for place, equation in enumerate(waiting):
        for unknown in equation:
            uses.setdefault(unknown, {})[place] = None
    is_open = dict.fromkeys(range(len(waiting)))
    while is_open:
        place = min(is_open, key=lambda p: len(waiting[p]))
        del is_open[place]
        equation = waiting[place]
        if not equation:
            continue
        pivot = min(equation, key=lambda unknown: (unknown in late, len(uses[unknown]), unknown))
        scale = equation.pop(pivot)
        solved[pivot] = definition = {unknown: c / scale for unknown, c in equation.items()}
        for unknown in definition:
            uses[unknown].pop(place, None)
        for other in uses.pop(pivot):
            if other == place:
                continue
            target = waiting[other]
            factor = target.pop(pivot)
            for unknown, c in definition.items():
                total = target.get(unknown, ZERO) - factor * c
                if total:
                    target[unknown] = total
                    uses[unknown][other] = None
                else:
                    target.pop(unknown, None)
                    uses[unknown].pop(other, None)
    return solved


def _oriented(found: list[Weighted]) -> list[Weighted] | None:
    """With the sign that makes the factors of inequations positive, or the sum of equations ``positive = 0``."""
    sign = next((w.factor for w in found if w.row.relation is not Relation.EQUAL), ZERO)
    if not sign:
        sign = sum((w.factor * w.row.constant for w in found), ZERO)
    if sign < 0:
        found = [Weighted(w.step, w.row, -w.factor) for w in found]
    if not sign or any(w.factor < 0 for w in found if w.row.relation is not Relation.EQUAL):
        return None
    return found


def strongest(found: Sequence[Weighted], cuts: int) -> list[Row]:
    """For each cut from 1 on, below ``cuts``: what the rows of the steps before it say about the others."""
    rows = deque(found)
    total, relation = NOTHING, Relation.EQUAL
    sums: list[Row] = []
    for cut in range(1, cuts):
        while rows and rows[0].step < cut:
            one = rows.popleft()
            total = total.plus(Sum(one.row.coefficients, one.row.constant), one.factor)
            relation = max(relation, one.row.relation)
        sums.append(normal(total, relation))
    return sums


def weakest(found: Sequence[Weighted], cuts: int) -> list[Row]:
    """The same for what the rows from the cut on exclude."""
    rows = deque(found)
    total, relation = NOTHING, Relation.BELOW
    sums: list[Row] = []
    for cut in reversed(range(1, cuts)):
        while rows and rows[-1].step >= cut:
            one = rows.pop()
            total = total.plus(Sum(one.row.coefficients, one.row.constant), -one.factor)
            relation = Relation.AT_MOST if one.row.relation is Relation.BELOW else relation
        sums.append(normal(total, relation))
    return sums[::-1]
