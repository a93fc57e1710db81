"""Looks for short derivations by unrolling: level k is what k rules give, one after the other.

    level 0     Inv@0(x0)  with  x0 = 0                            false?  Inv@0 and x0 > 2     no
    level 1     Inv@1(x1)  with  Inv@0, x1 = x0 + 1                false?  Inv@1 and x1 > 2     no
    ...                                                            level 3: yes, and a model has the facts

One solver keeps all levels. ``Inv@1`` is a Boolean that says "the derivation passes Inv at level 1"; it implies that
one of the rules for Inv gives its arguments from level 0. SPACER blocks one obligation after the other, and where a
short derivation needs many (arrays above all), this is faster by far. Where levels have none, `induction` may prove
that no level has. It is for linear clauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleave.engines.pdr.induction import Induction
from cleave.engines.pdr.levels import applied, facts, passed
from cleave.engines.pdr.options import USUAL, PdrOptions
from cleave.engines.pdr.questions import Questions, is_about_bits
from cleave.engines.pdr.spacer.run import Answered, Event, Lemma, NoAnswer, Paused, SafeAnswer, UnsafeAnswer
from cleave.errors import UnsupportedError
from cleave.ir.horn import Clause, Derivation, HornSystem, Step
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, disj_all, implies, var
from cleave.logic.walk import has_quantifier
from cleave.passes.horn.step import as_term, has_values
from cleave.records import dataclass
from cleave.smt.solver import Answer, Model


@dataclass(frozen=True, slots=True)
class _Use:
    """A clause at a level: ``chosen`` says that the derivation has it there."""

    clause: int
    chosen: Term


class Unrolling:
    """A run as `job.Run` wants it. It ends without an answer when it has cost more than ``cost_limit`` (0: never).
    With ``bits`` it is for clauses about Booleans and bit vectors, and asks a SAT solver."""

    def __init__(
        self, system: HornSystem, *, cost_limit: int = 0, options: PdrOptions = USUAL, bits: bool = False
    ) -> None:
        self._system = system
        self._cost_limit = cost_limit
        start = Questions.about_bits if bits else Questions.about_anything
        self._ask = start()
        self._levels: list[dict[str, list[_Use]]] = []
        self._queries: list[_Use] = []
        self._first_cost = self._question_cost = options.unroll_cost
        self._longest_question = options.most_unroll_cost
        unfit = _unfit(system, bits)
        self._induction = Induction(system, start()) if unfit is None else None
        self._answer: Answered | None = None if unfit is None else NoAnswer(unfit)

    def resume(self, imports: Sequence[Lemma] = ()) -> Event:
        """Asks about one level, for a limited cost."""
        if self._answer is None:
            try:
                self._answer = self._step()
            except UnsupportedError as error:
                self._answer = NoAnswer(str(error))
        return self._answer or Paused((), len(self._levels), self.cost())

    def stop(self) -> None:
        self._answer = self._answer or NoAnswer("stopped")
        self._ask.close()
        if self._induction is not None:
            self._induction.close()

    def cost(self) -> int:
        inducted = self._induction.cost() if self._induction is not None else 0
        return self._ask.cost() + inducted

    def counts(self) -> Mapping[str, int]:
        return {}

    def _step(self) -> Answered | None:
        if self._cost_limit and self.cost() >= self._cost_limit:
            return NoAnswer(f"no derivation of less than {len(self._levels)} rules within the cost")
        if not self._queries:
            proof = self._induct()
            if proof is not None:
                return proof
            if not self._extend():
                return NoAnswer(f"no derivation has more than {len(self._levels)} rules")
        if not self._queries:
            return None
        answer = self._ask.check(self._question_cost)
        match answer:
            case Answer.SAT:
                return UnsafeAnswer(self._derivation(self._ask.solver.model()))
            case Answer.UNSAT:
                self._ask.solver.pop()
                self._queries, self._question_cost = [], self._first_cost
            case Answer.UNKNOWN:
                if self._ask.solver.reason_unknown() != "cost":
                    return NoAnswer(self._ask.solver.reason_unknown())
                self._question_cost = min(2 * self._question_cost, self._longest_question)
        return None

    def _induct(self) -> SafeAnswer | None:
        """Nothing was found at the levels so far: whether that is a proof, if it can be told at no more cost."""
        induction = self._induction
        most = self._ask.asked + min(self._ask.made, self._longest_question) + self._first_cost
        if induction is None or induction.depth >= len(self._levels) or induction.cost() > most:
            return None
        induction.extend()
        if induction.check(most) is not Answer.UNSAT:
            return None
        found = induction.interpretation()
        return None if found is None else SafeAnswer(found)

    # --- formulas -----------------------------------------------------------------------------------------------------

    def _extend(self) -> bool:
        """One more level, and its queries in a scope of their own; whether there is anything at the level."""
        level = len(self._levels)
        below = self._levels[-1] if self._levels else None
        uses: dict[str, list[_Use]] = {}
        for number, clause in enumerate(self._system.clauses):
            if clause.head is not None and _fits(clause, below):
                chosen = var(f"rule {number}@{level}", BOOL)
                self._ask.add(implies(chosen, applied(self._system, number, level - 1, level)))
                uses.setdefault(clause.head.predicate, []).append(_Use(number, chosen))
        for name, found in uses.items():
            self._ask.add(implies(passed(name, level), disj_all(use.chosen for use in found)))
        self._levels.append(uses)
        for number, clause in enumerate(self._system.clauses):
            if clause.head is None and (clause.body[0].predicate in uses if clause.body else level == 0):
                self._queries.append(_Use(number, var(f"query {number}@{level}", BOOL)))
        if self._queries:
            self._ask.solver.push()
            for use in self._queries:
                self._ask.add(implies(use.chosen, applied(self._system, use.clause, level, level)))
            self._ask.add(disj_all(use.chosen for use in self._queries))
        return bool(uses or self._queries)

    # --- the derivation -----------------------------------------------------------------------------------------------

    def _derivation(self, model: Model) -> Derivation:
        use = next(use for use in self._queries if model.value(use.chosen) is True)
        steps: list[tuple[int, str | None, tuple[Term, ...]]] = [(use.clause, None, ())]
        level = len(self._levels) - 1
        while self._system.clauses[steps[-1][0]].body:
            predicate = self._system.clauses[steps[-1][0]].body[0].predicate
            use = next(use for use in self._levels[level][predicate] if model.value(use.chosen) is True)
            found = facts(self._system, predicate, level)
            steps.append((use.clause, predicate, tuple(as_term(model.value(fact), fact.sort) for fact in found)))
            level -= 1
        steps.reverse()
        return Derivation(
            tuple(
                Step(clause, predicate, arguments, (number - 1,) if number else ())
                for number, (clause, predicate, arguments) in enumerate(steps)
            )
        )


def _unfit(system: HornSystem, bits: bool) -> str | None:
    if bits and not is_about_bits(system):
        return "not all is made of bits"
    if any(len(clause.body) > 1 for clause in system.clauses):
        return "only linear clauses are unrolled"
    if any(has_quantifier(clause.constraint) for clause in system.clauses):
        return "clauses with quantifiers are not unrolled"
    if not all(has_values(sort) for predicate in system.predicates.values() for sort in predicate.sorts):
        return "values of some sort can't be written down"
    return None


def _fits(clause: Clause, below: Mapping[str, Sequence[_Use]] | None) -> bool:
    """Whether the rule can be used on the level ``below``: facts at the first level only, other rules after it."""
    if below is None:
        return not clause.body
    return bool(clause.body) and clause.body[0].predicate in below
