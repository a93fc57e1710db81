"""Whether a path can be taken: values for its states, or constraints that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.engines.cegar.refinement.budget import Budget
from cleave.engines.cegar.refinement.linear import is_linear
from cleave.engines.cegar.refinement.path_formula import PathFormula
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, implies, var
from cleave.passes.horn.step import as_term, has_values
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, PLAIN, Z3Solver


@dataclass(frozen=True, slots=True)
class States:
    """Ground values of the variables after each step."""

    values: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Core:
    """Constraints, with their steps, none of which can be left out."""

    parts: tuple[tuple[int, Term], ...]


def feasibility(formula: PathFormula, budget: Budget) -> States | Core | str:
    """A string says why nobody knows."""
    switches = [var(f"constraint {number}", BOOL) for number in range(len(formula.constraints))]
    reason = ""
    for profile in (PLAIN, DEFAULT):
        solver = Z3Solver(profile=profile)
        try:
            for switch, (_, part) in zip(switches, formula.constraints, strict=True):
                solver.add(implies(switch, part))
            answer = budget.check(solver, switches)
            if answer is Answer.UNSAT:
                return _core(formula, solver, switches, budget)
            if answer is Answer.SAT:
                return _states(formula, solver, switches, budget)
            reason = solver.reason_unknown() or "cost"
        finally:
            solver.close()
    return f"the solver can't tell whether a path can be taken: {reason}"


def _core(formula: PathFormula, solver: Z3Solver, switches: Sequence[Term], budget: Budget) -> Core:
    """What has cases or is beyond arithmetic is left out first, if possible."""
    numbers = {switch: number for number, switch in enumerate(switches)}
    kept = sorted(numbers[switch] for switch in solver.core())
    for number in sorted(kept, key=lambda n: is_linear(formula.constraints[n][1])):
        if number in kept:
            others = [switches[other] for other in kept if other != number]
            if budget.check(solver, others) is Answer.UNSAT:
                kept = sorted(numbers[switch] for switch in solver.core())
    return Core(tuple(formula.constraints[number] for number in kept))


def _states(formula: PathFormula, solver: Z3Solver, switches: Sequence[Term], budget: Budget) -> States | str:
    if not all(has_values(variable.sort) for state in formula.states for variable in state):
        return "a state of a path that can be taken can't be written down"
    for definition in formula.others:
        solver.add(definition)
    if formula.others and budget.check(solver, switches) is not Answer.SAT:
        return "a path can be taken, but the solver does not find all values"
    model = solver.model()
    return States(tuple(tuple(as_term(model.value(v), v.sort) for v in state) for state in formula.states[1:]))
