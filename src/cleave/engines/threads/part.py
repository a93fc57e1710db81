"""The search of one part of the schedules, for one number of contexts.

    part = Part(unfolded, contexts=5, name="10", options)
    for _ in part.run(slice_cost, last=True): ...     # looks up after each slice; returns the answer

First: is there a violation? If not, and this is the last number of contexts to try: did a bound take part? That of
loops did if an execution within the others is stopped by it; that of contexts did if an execution needs one more. Only
if neither is possible, no bound took part.
"""

from __future__ import annotations

from collections.abc import Generator

from cleave.engines.findings import Empty, GivenUp, Violation
from cleave.engines.threads.encode import Formula, encode
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.partition import Decision, Space
from cleave.engines.threads.schedule import schedule_of
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.options import AUTO
from cleave.engines.unfolding.solving import chosen, make_solver, size
from cleave.errors import UnsupportedError
from cleave.ir.schedule import Schedule
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, Term, disj, neg, var
from cleave.smt.sat.solver import SatSolver
from cleave.smt.solver import Answer, Solver

_QUESTION = "question"
_SLICES = 4  # when a search has gone on for long, it is looked at again after this part of its cost
# What the question whether a bound took part may cost, besides as much as the search did: in conflicts, or in what
# Bitwuzla counts, of which there are about ten times as many.
_BOUND_CONFLICTS, _BOUND_COST = 2_000, 20_000


Outcome = Violation[Schedule] | Empty | GivenUp
Slices = Generator[None, None, Outcome]


class Part:
    def __init__(self, unfolded: Unfolded, contexts: int, name: str, options: ThreadsOptions) -> None:
        self._unfolded = unfolded
        self._contexts = contexts
        self._options = options
        self.name = name
        self._decisions = () if options.rounds else Space.of(unfolded).decisions(contexts)
        self._facts = Space.of(unfolded).facts(name, contexts)
        self._formula = encode(unfolded, contexts, self._facts, rounds=options.rounds)
        self._solver_name = chosen(unfolded, options.solver)
        self._solver = make_solver(self._solver_name, options.seed)
        self._spent = 0  # by solvers that are gone
        self._searching = True  # for a violation

    # --- as others see it ---------------------------------------------------------------------------------------------

    def cost(self) -> int:
        return self._spent + self._solver.cost()

    def size(self) -> dict[str, int]:
        return size((*self._formula.constraints, self._formula.violation), self._solver)

    def interrupt(self) -> None:
        self._solver.interrupt()

    @property
    def can_split(self) -> bool:
        return self._searching and len(self.name) < len(self._decisions)

    def split(self) -> Decision | None:
        """Leaves out the schedules with the next bit set, and says which bit; None if there is none to decide."""
        if not self.can_split:
            return None
        decision = self._decisions[len(self.name)]
        self.name += "0"
        self._facts[decision] = False
        self._solver.add(neg(var(decision.variable, BOOL)))
        return decision

    # --- the search ---------------------------------------------------------------------------------------------------

    def run(self, slice_cost: int, *, last: bool) -> Slices:
        """``last``: of the numbers of contexts to try; only then it matters which bounds took part."""
        try:
            return (yield from self._search(slice_cost, last=last))
        except UnsupportedError as error:  # there are too many clauses
            if self._options.solver != AUTO:
                raise
            return GivenUp(str(error))

    def _search(self, slice_cost: int, *, last: bool) -> Slices:
        self._add(self._formula)
        answer = yield from self._ask("violation", self._formula.violation, slice_cost)
        if answer is Answer.SAT:
            return Violation(schedule_of(self._unfolded, self._formula, self._solver.model()))
        if answer is Answer.UNKNOWN:
            return GivenUp(self._solver.reason_unknown())
        if not last:
            return Empty(frozenset(("contexts",)))
        self._searching = False
        bounds = set()
        limit = self.cost() + (_BOUND_CONFLICTS if isinstance(self._solver, SatSolver) else _BOUND_COST)
        if (yield from self._may_be("cut", self._formula.cut, slice_cost, limit)):
            bounds.add("unwind")
        if (yield from self._needs_more(slice_cost, limit)):
            bounds.add("rounds" if self._options.rounds else "contexts")
        return Empty(frozenset(bounds))

    def _add(self, formula: Formula) -> None:
        for constraint in formula.constraints:
            self._solver.add(constraint)

    def _ask(self, question: str, formula: Term, slice_cost: int, limit: int = 0) -> Generator[None, None, Answer]:
        """Whether the formula can be true. With a limit, the answer may be that this takes too long to find out."""
        if formula is FALSE:
            return Answer.UNSAT
        asked = var(f"{_QUESTION}:{question}", BOOL)
        self._solver.add(disj(neg(asked), formula))
        began, end = self.cost(), self.cost() + limit
        while True:
            # A solver that is stopped loses some of its work: slices grow with what was done.
            cost_limit = max(slice_cost, (self.cost() - began) // _SLICES)
            answer = self._solver.check((asked,), cost_limit=cost_limit)
            if answer is not Answer.UNKNOWN or self._solver.reason_unknown() != "cost":
                return answer
            if limit and self.cost() >= end:
                return answer
            yield

    def _may_be(self, question: str, formula: Term, slice_cost: int, limit: int) -> Generator[None, None, bool]:
        """Whether the formula can be true; also where it takes too long, or too many clauses, to find out."""
        try:
            return (yield from self._ask(question, formula, slice_cost, limit)) is not Answer.UNSAT
        except UnsupportedError:
            return True

    def _needs_more(self, slice_cost: int, limit: int) -> Generator[None, None, bool]:
        """Whether an execution may go on after the last context."""
        if len(self._unfolded.threads) == 1:
            return False
        if self._options.rounds:
            return True
        self._spent += self._solver.cost()
        longer: Formula = encode(self._unfolded, self._contexts + 1, self._facts)
        self._solver = _closed(self._solver, make_solver(self._solver_name, self._options.seed))
        try:
            self._add(longer)
        except UnsupportedError:
            return True
        return (yield from self._may_be("longer", longer.moves[-1], slice_cost, limit))


def _closed(old: Solver, new: Solver) -> Solver:
    close = getattr(old, "close", None)
    if close is not None:
        close()
    return new
