"""How a search is confined to its decisions: by assumptions, or as in the paper by the solver's stack (Algorithm 5).

Popping a decision takes with it whatever was inlined since, and all that was learned; the stack asserts the former
again. It is here to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from cleave.logic.terms import Term
from cleave.smt.solver import Answer, Capabilities, Model, Solver, Template, Truths


class Stacked:
    """A solver whose stack holds decisions only."""

    def __init__(self, solver: Solver) -> None:
        self.capabilities: Capabilities = solver.capabilities
        self._solver = solver
        self._decisions: list[Term] = []
        self._since: list[list[Callable[[], None]]] = []  # per decision, what was asserted after it

    def confine(self, decisions: Sequence[Term]) -> None:
        """Makes these the decisions on the stack, popping and pushing as little as possible."""
        common = 0
        while common < min(len(decisions), len(self._decisions)) and decisions[common] is self._decisions[common]:
            common += 1
        while len(self._decisions) > common:
            self._decisions.pop()
            self._solver.pop()
            for assert_again in self._since.pop():
                self._do(assert_again)
        for decision in decisions[common:]:
            self._solver.push()
            self._solver.add(decision)
            self._decisions.append(decision)
            self._since.append([])

    def add(self, formula: Term) -> None:
        self._do(partial(self._solver.add, formula))

    def instantiate(self, template: Template, arguments: Sequence[Term]) -> None:
        self._do(partial(self._solver.instantiate, template, arguments))

    def _do(self, assertion: Callable[[], None]) -> None:
        assertion()
        if self._since:
            self._since[-1].append(assertion)

    def push(self) -> None:
        raise NotImplementedError("the stack is for decisions")

    def pop(self) -> None:
        raise NotImplementedError("the stack is for decisions")

    def template(self, parameters: Sequence[Term], formulas: Iterable[Term]) -> Template:
        return self._solver.template(parameters, formulas)

    def check(self, assumptions: Sequence[Term] = (), *, cost_limit: int = 0, seconds: float = 0.0) -> Answer:
        return self._solver.check(assumptions, cost_limit=cost_limit, seconds=seconds)

    def model(self) -> Model:
        return self._solver.model()

    def assignment(self) -> Truths:
        # What is decided on the stack is rewritten into the rest, so a solver's trail may not tell all.
        return self._solver.model()

    def core(self) -> list[Term]:
        return self._solver.core()

    def reason_unknown(self) -> str:
        return self._solver.reason_unknown()

    def interrupt(self) -> None:
        self._solver.interrupt()

    def cost(self) -> int:
        return self._solver.cost()
