"""Which solver decides the formulas of a program: the one that was asked for; by default MiniSat, which is quicker (see
docs/threads.md), or Bitwuzla where MiniSat is not installed or arrays are written. Z3 has those with unbounded numbers.

It is the same one for all parts of a search, so that it is known who has to confirm it.
"""

from __future__ import annotations

import logging

from cleave.engines.threads.code import Cell
from cleave.engines.threads.encode import Formula
from cleave.engines.threads.instances import Unfolded
from cleave.engines.threads.options import AUTO, BITWUZLA, MINISAT, ThreadsOptions
from cleave.errors import UsageError
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.sat import solver as sat
from cleave.smt.sat.solver import SatSolver
from cleave.smt.solver import Solver
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_log = logging.getLogger(__name__)

Z3 = "z3"
_NUMBERS = frozenset((SortKind.INT, SortKind.REAL))
_BITS = frozenset((SortKind.BOOL, SortKind.BITVEC))


def check_solver(options: ThreadsOptions) -> None:
    """That it is there, before a search begins."""
    if options.solver not in (AUTO, BITWUZLA):
        sat.require_installed(options.solver)


def chosen(unfolded: Unfolded, options: ThreadsOptions) -> str:
    """Who decides: one of `SOLVERS`, or Z3."""
    name = _fitting(unfolded, options)
    _log.info("the solver is %s", name)
    return name


def _fitting(unfolded: Unfolded, options: ThreadsOptions) -> str:
    nodes = list(postorder(unfolded.terms()))
    if any(_NUMBERS & {node.sort.kind, node.sort.index.kind, node.sort.element.kind} for node in nodes):
        if options.solver not in (AUTO, BITWUZLA):
            raise UsageError(f"the program has unbounded numbers, which {options.solver} does not handle")
        return Z3
    if options.solver != AUTO:
        return options.solver
    simple = all(map(_is_simple, nodes)) and not any(map(_is_array, unfolded.shared.cells))
    return MINISAT if simple and sat.is_installed() else BITWUZLA


def _is_simple(node: Term) -> bool:
    """Bits; or an array that is only read. With others, MiniSat was not measured, nor does it handle them all."""
    if node.op is Op.EQ and node.args[0].sort.is_array:
        return False
    return node.sort.kind in _BITS or (node.is_var and node.sort.is_array and node.sort.element.kind in _BITS)


def _is_array(cell: Cell) -> bool:
    return cell.index is None and cell.variable.sort.is_array


def make_solver(name: str, seed: int = 0) -> Solver:
    """``name`` is whom `chosen` names."""
    if name == Z3:
        return Z3Solver(profile=DEFAULT, seed=seed)
    return BitwuzlaSolver(seed=seed) if name == BITWUZLA else SatSolver(name)


def size(formula: Formula, solver: Solver) -> dict[str, int]:
    """Variables and clauses after bit-blasting, where the solver tells; and nodes of the formula."""
    nodes = sum(1 for _ in postorder((*formula.constraints, formula.violation)))
    return {"nodes": nodes, **(solver.size() if isinstance(solver, BitwuzlaSolver | SatSolver) else {})}
