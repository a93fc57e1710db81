"""The analysis of counterexamples: whether a path can be executed, or predicates that exclude it; see `refine`."""

from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.refine import Failed, Feasible, Refined, refine, unused_solver

__all__ = ["Budget", "Failed", "Feasible", "Refined", "refine", "unused_solver"]
