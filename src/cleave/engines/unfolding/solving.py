"""Which solver decides the formulas of a program: the one that was asked for; by default MiniSat, which is quicker (see
docs/design/threads.md), or Bitwuzla where MiniSat is not installed or arrays are written. Z3 has those with unbounded
numbers.

It is the same one for all parts of a search, so that it is known which one has to confirm it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from cleave.engines.unfolding.code import Cell
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.options import AUTO, BITWUZLA, MINISAT
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
TITLES = {"bitwuzla": "Bitwuzla", "minisat": "MiniSat", "glucose": "Glucose", "cadical": "CaDiCaL", "z3": "Z3"}
"""What people call them."""
_NUMBERS = frozenset((SortKind.INT, SortKind.REAL))
_BITS = frozenset((SortKind.BOOL, SortKind.BITVEC))


def check_solver(wanted: str) -> None:
    """That it is there, before a search begins."""
    if wanted not in (AUTO, BITWUZLA):
        sat.require_installed(wanted)


def chosen(unfolded: Unfolded, wanted: str) -> str:
    """Who decides: one of `SOLVERS`, or Z3."""
    name = _fitting(unfolded, wanted)
    _log.info("the solver is %s", name)
    return name


def has_numbers(nodes: Iterable[Term]) -> bool:
    """Whether there are unbounded ones, for which there are no bits."""
    return any(_NUMBERS & {node.sort.kind, node.sort.index.kind, node.sort.element.kind} for node in nodes)


def _fitting(unfolded: Unfolded, wanted: str) -> str:
    nodes = list(postorder(unfolded.terms()))
    if has_numbers(nodes):
        if wanted not in (AUTO, BITWUZLA):
            raise UsageError(f"the program has unbounded numbers, which {wanted} does not handle")
        return Z3
    if wanted != AUTO:
        return wanted
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


def size(formulas: Iterable[Term], solver: Solver) -> dict[str, int]:
    """Variables and clauses after bit-blasting, where the solver tells; and nodes of the formulas."""
    nodes = sum(1 for _ in postorder(formulas))
    return {"nodes": nodes, **(solver.size() if isinstance(solver, BitwuzlaSolver | SatSolver) else {})}
