"""The search of one part of the executions, within one set of bounds.

    part = Part(unfolded, questions, options, facts)
    for _ in part.run(): ...            # looks up after each slice; returns the outcome

First: is there a violation? The checks are asked for in the order of the program, a few at a time and each time for a
little: what is proved of an iteration helps with the next one. Then those that are open, all at once. If none can fail:
which bounds can an execution of the part go beyond? An answer that takes too long counts as yes. If there is none, no
bound took part."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from cleave.engines.bmc.formula import Formula, formula_of, only_thread
from cleave.engines.bmc.options import BmcOptions
from cleave.engines.bmc.questions import Questions
from cleave.engines.findings import Empty, GivenUp, Violation
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.reading import Values, choices_made
from cleave.ir.schedule import Context, Schedule
from cleave.logic.terms import FALSE, Term, disj_all
from cleave.logic.walk import postorder
from cleave.smt.solver import Answer

_GROUPS = 64  # of checks that are asked for together
_CHECK_COST = 1_000  # for each group

Outcome = Violation[Schedule] | Empty | GivenUp
Slices = Generator[None, None, Outcome]


class Part:
    """``facts`` hold in all executions of the part. More can be added while it is searched."""

    def __init__(self, unfolded: Unfolded, questions: Questions, options: BmcOptions, facts: Sequence[Term]) -> None:
        self._unfolded = unfolded
        self._questions = questions
        self._options = options
        self._began = questions.cost()
        self.formula: Formula = formula_of(unfolded)
        self._nodes = sum(1 for _ in postorder(self.formula.terms()))
        self.facts = list(facts)
        self.searching = True  # for a violation

    def cost(self) -> int:
        return self._questions.cost() - self._began

    def size(self) -> dict[str, int]:
        """Of the formula, and of what was made of all formulas so far."""
        return {"nodes": self._nodes, **self._questions.size()}

    def run(self) -> Slices:
        answer, left = Answer.UNSAT, list[Term]()
        for group in self._groups():
            answer = yield from self._ask(disj_all(group), _CHECK_COST)
            if answer is Answer.SAT or self._is_stopped(answer):
                break
            left += group if answer is Answer.UNKNOWN else ()
        else:
            answer = yield from self._ask(disj_all(left))
        if answer is Answer.SAT:
            return Violation(self._schedule())
        if answer is Answer.UNKNOWN:
            return GivenUp(self._questions.reason_unknown())
        self.searching = False
        return Empty((yield from self._beyond()))

    def _groups(self) -> Iterator[Sequence[Term]]:
        """Of the checks, in the order of the program."""
        checks = self.formula.violations
        size = -(-len(checks) // _GROUPS)
        return (checks[first : first + size] for first in range(0, len(checks), size or 1))

    def _is_stopped(self, answer: Answer) -> bool:
        """By something else than the cost of the question."""
        return answer is Answer.UNKNOWN and self._questions.reason_unknown() != "cost"

    def _ask(self, formula: Term, limit: int = 0) -> Generator[None, None, Answer]:
        """Facts that come while it is asked are for the next slices: a smaller part has no more executions."""
        return (yield from self._questions.ask(formula, self.facts, self._options.slice_cost, limit))

    def _beyond(self) -> Generator[None, None, frozenset[str]]:
        """One model may go beyond several bounds; the next one is asked to go beyond another."""
        found: set[str] = set()
        limit = self.cost() + self._options.bound_cost
        while True:
            left = {name: term for name, term in self.formula.cuts.items() if name not in found and term is not FALSE}
            answer = yield from self._ask(disj_all(left.values()), limit)
            if answer is Answer.UNSAT:
                return frozenset(found)
            if answer is Answer.UNKNOWN:
                return frozenset((*found, *left))
            values = Values(self._questions.model(), left.values())
            found |= {name for name, term in left.items() if values.is_true(term)}

    def _schedule(self) -> Schedule:
        thread = only_thread(self._unfolded)
        values = Values(self._questions.model(), (self.formula.violation, *self.facts))
        opened, successors = choices_made(thread, values)
        steps = sum(one.steps for one in thread.stretches if values.is_true(one.guard))
        return Schedule((Context(0, steps),), {0: opened}, {0: successors})
