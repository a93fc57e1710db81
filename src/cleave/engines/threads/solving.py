"""Which solver a formula goes to: the one that was asked for; Z3 where there are unbounded numbers."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.threads.encode import Formula
from cleave.engines.threads.options import BITWUZLA, ThreadsOptions
from cleave.errors import UsageError
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Term
from cleave.logic.walk import postorder
from cleave.smt import sat
from cleave.smt.bitwuzla import BitwuzlaSolver
from cleave.smt.sat import SatSolver
from cleave.smt.solver import Solver
from cleave.smt.z3 import DEFAULT, Z3Solver

_NUMBERS = (SortKind.INT, SortKind.REAL)


def check_solver(options: ThreadsOptions) -> None:
    """That it is there, before a search begins."""
    if options.solver != BITWUZLA:
        sat.require_installed(options.solver)


def solver_for(formula: Formula, options: ThreadsOptions) -> Solver:
    """A solver that holds the constraints."""
    terms = (*formula.constraints, formula.violation, formula.cut)
    solver = _solver(options, numbers=has_numbers(terms))
    for constraint in formula.constraints:
        solver.add(constraint)
    return solver


def _solver(options: ThreadsOptions, *, numbers: bool) -> Solver:
    if options.solver != BITWUZLA:
        if numbers:
            raise UsageError(f"the program has unbounded numbers, which {options.solver} does not handle")
        return SatSolver(options.solver)
    return Z3Solver(profile=DEFAULT, seed=options.seed) if numbers else BitwuzlaSolver(seed=options.seed)


def has_numbers(terms: Iterable[Term]) -> bool:
    kinds = {
        kind for node in postorder(terms) for kind in (node.sort.kind, node.sort.index.kind, node.sort.element.kind)
    }
    return not kinds.isdisjoint(_NUMBERS)


def size(formula: Formula, solver: Solver) -> dict[str, int]:
    """Variables and clauses after bit-blasting, where the solver tells; and nodes of the formula."""
    nodes = sum(1 for _ in postorder((*formula.constraints, formula.violation)))
    return {"nodes": nodes, **(solver.size() if isinstance(solver, BitwuzlaSolver | SatSolver) else {})}
