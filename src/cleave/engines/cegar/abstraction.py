"""Cartesian predicate abstraction: which predicates hold after a transition from an abstract state.

    state      x = 0 holds, y > 5 does not              {x = 0}
    guard      x < 10, and then x := x + 1
    after it   x > 0 follows, x = 0 does not            {x > 0}

A predicate holds after the transition if the state and the guard imply it. The solver's answers are kept and sent to
other workers (`knowledge`), so that later questions often need no solver; the answers do not depend on what was asked
before.

A question that the solver leaves open is put once more to a fresh one, with a larger limit on the cost; if that one
can't decide either, the predicate does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.cegar import costs
from cleave.engines.cegar.interruption import InterruptedSearchError
from cleave.engines.cegar.knowledge import Found, Knowledge
from cleave.engines.cegar.messages import Fact
from cleave.engines.cegar.options import USUAL, CegarOptions
from cleave.engines.cegar.witnesses import Witness, members
from cleave.ir.transition_system import TransitionSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj_all, implies, neg, var
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, PLAIN, Z3Solver

INFEASIBLE = None
"""What there is after a transition that can't be taken."""


class Abstraction:
    """``queries`` counts the solver's answers. Whoever ``is_alone`` has no news for others."""

    def __init__(self, system: TransitionSystem, options: CegarOptions = USUAL, *, is_alone: bool = False) -> None:
        self._system = system
        self._options = options
        self._account = costs.Account()
        self._knowledge = Knowledge(system, self._account, options.most_witnesses, is_alone=is_alone)
        self._solver = Z3Solver(profile=PLAIN, counts_checks=True)
        self._fresh: Z3Solver | None = None
        self._fresh_cost = 0
        self.queries = 0

    def learn(self, location: int, predicate: Term) -> None:
        self._knowledge.learn(location, predicate)

    def news(self) -> tuple[Fact, ...]:
        """What the solver said since the last time."""
        return self._knowledge.news()

    def tell(self, facts: Iterable[Fact]) -> None:
        """Takes in what other workers found, before an order is looked at."""
        self._account.spent += costs.ORDER
        self._knowledge.tell(facts)

    def close(self) -> None:
        self._solver.close()

    def interrupt(self) -> None:
        """From any thread."""
        self._solver.interrupt()
        fresh = self._fresh
        if fresh is not None:
            fresh.interrupt()

    def cost(self) -> int:
        return self._solver.cost() + self._fresh_cost + self._account.spent

    def post(self, number: int, bits: int, since: int = 0) -> int | None:
        """The predicates of the target, from number ``since`` on, that hold after transition ``number`` from a state
        with ``bits``; `INFEASIBLE` if it can't be taken."""
        if self._knowledge.is_blocked(number, bits):
            return INFEASIBLE
        target = self._system.transitions[number].target
        found = self._knowledge.look_up(number, bits, range(since, len(self._knowledge.predicates[target])))
        if found.is_possible and not found.open:
            return found.held
        return self._ask(number, bits, found)

    # --- the solver ---------------------------------------------------------------------------------------------------

    def _ask(self, number: int, bits: int, known: Found) -> int | None:
        self._account.spent += costs.ASK + (0 if self._knowledge.is_met(number) else costs.FIRST)
        transition = self._system.transitions[number]
        after = self._knowledge.after_terms(number)
        names = {one: var(f"holds.{one}", BOOL) for one in members(bits)}
        broken = {one: var(f"broken.{one}", BOOL) for one in known.open}
        source = self._knowledge.predicates[transition.source].terms
        held, open_ = known.held, known.open
        self._solver.push()
        try:
            self._solver.add(transition.guard)
            for one, name in names.items():
                self._solver.add(implies(name, source[one]))
            for one, name in broken.items():
                self._solver.add(implies(name, neg(after[one])))
            if not known.is_possible:
                found = self._refute(number, names, bits, None)
                if isinstance(found, int):
                    self._knowledge.add_core(number, None, found)
                    return INFEASIBLE
                open_ = _still_open(found, open_)
            while open_:
                one, *open_ = open_
                found = self._refute(number, {**names, -1: broken[one]}, bits, after[one])
                if isinstance(found, int):
                    self._knowledge.add_core(number, one, found)
                    held |= 1 << one
                else:
                    open_ = _still_open(found, open_)
            return held
        finally:
            self._solver.pop()

    def _refute(self, number: int, assumed: dict[int, Term], bits: int, after: Term | None) -> int | Witness | None:
        """The predicates of the source with which the transition can't be taken so that ``after`` fails; or a witness
        that it can; or None, for nobody knows."""
        self.queries += 1
        answer = self._solver.check(tuple(assumed.values()), cost_limit=self._options.question_cost)
        if answer is Answer.SAT:
            return self._knowledge.add_witness(number, bits, self._solver.model())
        if answer is Answer.UNKNOWN:
            return bits if self._refuted_afresh(number, bits, after) else None
        core = set(self._solver.core())
        return sum(1 << one for one, name in assumed.items() if one >= 0 and name in core)

    def _refuted_afresh(self, number: int, bits: int, after: Term | None) -> bool:
        if self._solver.reason_unknown() == "interrupted":
            raise InterruptedSearchError
        transition = self._system.transitions[number]
        source = self._knowledge.predicates[transition.source].terms
        self._fresh = Z3Solver(profile=DEFAULT)
        try:
            failing = [] if after is None else [neg(after)]
            self._fresh.add(conj_all((transition.guard, *(source[one] for one in members(bits)), *failing)))
            answer = self._fresh.check(cost_limit=self._options.fresh_cost)
            self._fresh_cost += self._fresh.cost()
            if answer is Answer.UNKNOWN and self._fresh.reason_unknown() == "interrupted":
                raise InterruptedSearchError
            return answer is Answer.UNSAT
        finally:
            self._fresh.close()
            self._fresh = None


def _still_open(witness: Witness | None, open_: list[int]) -> list[int]:
    """Without what a witness of the state refutes."""
    return open_ if witness is None else [one for one in open_ if not witness.refutes(one)]
