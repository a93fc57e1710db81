"""One solver for all questions about a program within one set of bounds: what was learned stays.

    solver = Questions("cadical", seed=0)
    answer = yield from solver.ask(formula, facts, slice_cost)        # looks up after each slice

Each question has a literal of its own, which is assumed while it is asked. A formula that was refuted without facts is
false for ever. Where the clauses are too many, or bit-blasting does not handle something, Bitwuzla is asked instead.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from cleave.engines.unfolding.options import BITWUZLA
from cleave.engines.unfolding.solving import make_solver
from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Term, disj, neg, var
from cleave.smt.bitwuzla.solver import BitwuzlaSolver
from cleave.smt.sat.solver import SatSolver
from cleave.smt.solver import Answer, Model, Solver

_SLICES = 4  # when a search has gone on for long, it is looked at again after this part of its cost

Asking = Generator[None, None, Answer]


class Questions:
    def __init__(self, name: str, seed: int = 0) -> None:
        self.solver_name = name
        self._seed = seed
        self._solver: Solver = make_solver(name, seed)
        self._spent = 0  # by solvers that are gone
        self._asked = 0

    def cost(self) -> int:
        return self._spent + self._solver.cost()

    def size(self) -> dict[str, int]:
        """Variables and clauses, where the solver tells."""
        return self._solver.size() if isinstance(self._solver, BitwuzlaSolver | SatSolver) else {}

    def interrupt(self) -> None:
        self._solver.interrupt()

    def model(self) -> Model:
        return self._solver.model()

    def reason_unknown(self) -> str:
        return self._solver.reason_unknown()

    def begin_level(self) -> None:
        """With other bounds most guards are others, too: the clauses of the bounds before would only be in the way."""
        self._spent += self._solver.cost()
        self._solver = make_solver(self.solver_name, self._seed)

    def ask(self, formula: Term, facts: Sequence[Term], slice_cost: int, limit: int = 0) -> Asking:
        """Whether the formula can be true where all facts are. With a limit on the cost, the answer may be that this
        takes too long to find out."""
        if formula is FALSE:
            return Answer.UNSAT
        try:
            answer = yield from self._ask(formula, facts, slice_cost, limit)
        except UnsupportedError:
            if not isinstance(self._solver, SatSolver):
                raise
            self._spent += self._solver.cost()
            self.solver_name, self._solver = BITWUZLA, make_solver(BITWUZLA, self._seed)
            answer = yield from self._ask(formula, facts, slice_cost, limit)
        if answer is Answer.UNSAT and not facts:
            self._solver.add(neg(formula))
        return answer

    def _ask(self, formula: Term, facts: Sequence[Term], slice_cost: int, limit: int) -> Asking:
        self._asked += 1
        asked = var(f"question:{self._asked}", BOOL)
        self._solver.add(disj(neg(asked), formula))
        began = self.cost()
        while True:
            # A solver that is stopped loses some of its work: slices grow with what was done.
            cost_limit = max(slice_cost, (self.cost() - began) // _SLICES)
            answer = self._solver.check((asked, *facts), cost_limit=cost_limit)
            if answer is not Answer.UNKNOWN or self._solver.reason_unknown() != "cost":
                return answer
            if limit and self.cost() - began >= limit:
                return answer
            yield
