"""Which solver a formula goes to: Bitwuzla where everything is bits, Z3 where there are unbounded numbers."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.threads.encode import Formula
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Term
from cleave.logic.walk import postorder
from cleave.smt.bitwuzla import BitwuzlaSolver
from cleave.smt.solver import Solver
from cleave.smt.z3 import DEFAULT, Z3Solver

_NUMBERS = (SortKind.INT, SortKind.REAL)


def solver_for(formula: Formula, seed: int) -> Solver:
    """A solver that holds the constraints."""
    numbers = has_numbers((*formula.constraints, formula.violation, formula.cut))
    solver: Solver = Z3Solver(profile=DEFAULT, seed=seed) if numbers else BitwuzlaSolver(seed=seed)
    for constraint in formula.constraints:
        solver.add(constraint)
    return solver


def has_numbers(terms: Iterable[Term]) -> bool:
    kinds = {
        kind for node in postorder(terms) for kind in (node.sort.kind, node.sort.index.kind, node.sort.element.kind)
    }
    return not kinds.isdisjoint(_NUMBERS)


def size(formula: Formula, solver: Solver) -> dict[str, int]:
    """Variables and clauses after bit-blasting, where the solver tells; and nodes of the formula."""
    nodes = sum(1 for _ in postorder((*formula.constraints, formula.violation)))
    return {"nodes": nodes, **(solver.size() if isinstance(solver, BitwuzlaSolver) else {})}
