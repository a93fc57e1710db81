"""A limit on the cost of a computation, counted in the solver's steps, so that it ends at the same point in every
run."""

from __future__ import annotations

from collections.abc import Sequence

from cleave.engines.cegar.interruption import InterruptedSearchError
from cleave.logic.terms import Term
from cleave.smt.solver import Answer, Solver


class Budget:
    """Once ``limit`` is spent, all answers are UNKNOWN; the last one before may cost as much once more. An interrupt
    ends the computation with an exception."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._is_interrupted = False
        self._running: Solver | None = None
        self.spent = 0

    def interrupt(self) -> None:
        """From any thread."""
        self._is_interrupted = True
        running = self._running
        if running is not None:
            running.interrupt()

    def check(self, solver: Solver, assumptions: Sequence[Term] = ()) -> Answer:
        if self.spent >= self._limit:
            return Answer.UNKNOWN
        before = solver.cost()
        self._running = solver
        if self._is_interrupted:
            raise InterruptedSearchError
        answer = solver.check(assumptions, cost_limit=self._limit)  # always the same: to change it takes time
        self._running = None
        self.spent += solver.cost() - before
        if self._is_interrupted:
            raise InterruptedSearchError
        return answer
