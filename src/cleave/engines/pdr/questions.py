"""Questions to one solver, whose cost is counted in the unit of all strategies: what Z3 counts.

questions = Questions.about_anything()     Z3
questions = Questions.about_bits()         CaDiCaL on Cleave's own bit-blasting, or Bitwuzla where PySAT is missing
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.engines.pdr.levels import making_cost
from cleave.ir.horn import HornSystem
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Term
from cleave.logic.walk import postorder
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

if TYPE_CHECKING:
    from cleave.smt.bitwuzla.solver import BitwuzlaSolver
    from cleave.smt.sat.solver import SatSolver

_CONFLICT = 200
"""What a conflict of a SAT solver costs: it finds some ten thousand in a second, and Z3 counts some million units."""


class Questions:
    def __init__(self, solver: Z3Solver | SatSolver | BitwuzlaSolver, unit: int = 1) -> None:
        """``unit`` is what one of the solver's own units costs."""
        self.solver = solver
        self._unit = unit
        self.made = 0  # what making formulas cost, ...
        self.asked = 0  # ... and what questions did

    @classmethod
    def about_anything(cls) -> Questions:
        return cls(Z3Solver(profile=DEFAULT))

    @classmethod
    def about_bits(cls) -> Questions:
        from cleave.smt.sat import solver as sat

        if sat.is_installed():
            return cls(sat.SatSolver("cadical"), _CONFLICT)
        from cleave.smt.bitwuzla.solver import BitwuzlaSolver

        return cls(BitwuzlaSolver())

    def cost(self) -> int:
        return self.asked + self.made

    def add(self, formula: Term) -> None:
        self.made += making_cost(formula)
        self.solver.add(formula)

    def check(self, cost_limit: int) -> Answer:
        answer = self.solver.check(cost_limit=max(1, cost_limit // self._unit))
        self.asked = self.solver.cost() * self._unit
        return answer

    def close(self) -> None:
        self.solver.close()


def is_about_bits(system: HornSystem) -> bool:
    """Whether the clauses have Booleans and bit vectors only, as hardware does."""
    arguments = (argument for clause in system.clauses for atom in clause.atoms() for argument in atom.arguments)
    constraints = (clause.constraint for clause in system.clauses)
    return all(node.sort.kind in _BITS for node in postorder((*constraints, *arguments)))


_BITS = frozenset((SortKind.BOOL, SortKind.BITVEC))
