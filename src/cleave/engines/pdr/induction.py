"""Proofs by k-induction: ``false`` is never k rules away, if nothing good was.

    level 0     x0 is bad                                          can be
    level 1     x1 is not bad, and a rule gives x0 from x1         can be
    level 2     x2 is not bad, and a rule gives x1 from x2         can't: no derivation has so many rules

One solver keeps the last steps of a derivation, backwards from the queries; that there is none with fewer rules is
`unrolling`'s to find. Where SPACER blocks one obligation after the other, in protocols above all, this is one question.
The invariant says that no rules lead to a query soon:

    good for 0 steps:  not bad(x)            good for k steps:  not bad(x), and what a rule gives is good for k - 1

It has quantifiers, over what a rule gives. Bound variables are called like those of the rule, with a number, so that
a check of a clause finds their instances (`validate.clauses.instances`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from cleave.engines.pdr.levels import applied, facts, passed
from cleave.engines.pdr.questions import Questions
from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Relation
from cleave.logic.terms import TRUE, Op, Term, conj_all, disj_all, eq, forall, implies, neg, var
from cleave.logic.walk import substitute
from cleave.smt.solver import Answer

_MOST_FORMULAS = 200  # copies of rules in an invariant


class Induction:
    """Of linear clauses without quantifiers."""

    def __init__(self, system: HornSystem, ask: Questions) -> None:
        self._system = system
        self._ask = ask
        self.depth = 0
        self._queries = [n for n, clause in enumerate(system.clauses) if clause.head is None and clause.body]
        self._rules = [n for n, clause in enumerate(system.clauses) if clause.head is not None and clause.body]

    def close(self) -> None:
        self._ask.close()

    def cost(self) -> int:
        return self._ask.cost()

    def extend(self) -> None:
        """One more step, further back."""
        if not self.depth:
            self._ask.add(disj_all(applied(self._system, number, 0, 0) for number in self._queries))
        ways: dict[str, list[Term]] = {name: [] for name in self._system.predicates}
        for number in self._rules:
            head = self._system.clauses[number].head
            assert head is not None
            ways[head.predicate].append(applied(self._system, number, self.depth + 1, self.depth))
        for name, found in ways.items():
            self._ask.add(implies(passed(name, self.depth), disj_all(found)))
        self.depth += 1
        for number in self._queries:
            query = self._system.clauses[number]
            self._ask.add(implies(passed(query.body[0].predicate, self.depth), self._is_good(query)))

    def check(self, cost_limit: int) -> Answer:
        """UNSAT: no derivation has more than ``depth`` rules before its query."""
        return self._ask.check(cost_limit)

    def _is_good(self, query: Clause) -> Term:
        """That a fact of the last level is not bad, if that can be said without quantifiers."""
        bad, others, _ = _over(facts(self._system, query.body[0].predicate, self.depth), query, "")
        return TRUE if others else neg(bad)

    # --- the invariant ------------------------------------------------------------------------------------------------

    def interpretation(self) -> Interpretation | None:
        """None if it would be too large."""
        numbers = count()
        try:
            return {
                name: Relation(parameters, self._good(name, parameters, self.depth - 1, numbers))
                for name, predicate in self._system.predicates.items()
                for parameters in (tuple(var(f"p!{n}", sort) for n, sort in enumerate(predicate.sorts)),)
            }
        except _TooLargeError:
            return None

    def _good(self, name: str, held: Sequence[Term], steps: int, numbers: Iterator[int]) -> Term:
        """That from a fact of a predicate there is no way to a query within so many steps."""
        parts: list[Term] = []
        for clause in self._system.clauses:
            if [atom.predicate for atom in clause.body] != [name] or (clause.head is not None and steps <= 0):
                continue
            number = next(numbers)
            if number >= _MOST_FORMULAS:
                raise _TooLargeError
            holds, others, head = _over(held, clause, f"?{number}")
            after = neg(holds)
            if head is not None:
                after = implies(holds, self._good(head.predicate, head.arguments, steps - 1, numbers))
            parts.append(forall(others, after) if others else after)
        return conj_all(parts)


class _TooLargeError(Exception):
    pass


def _over(held: Sequence[Term], clause: Clause, suffix: str) -> tuple[Term, tuple[Term, ...], Atom | None]:
    """That the clause can be applied to the facts ``held``; its variables that these do not say; and what it gives."""
    said: dict[Term, Term] = {}
    equations: list[tuple[Term, Term]] = []
    for argument, fact in zip(clause.body[0].arguments, held, strict=True):
        if argument.op is Op.VAR and argument not in said:
            said[argument] = fact
        else:
            equations.append((argument, fact))
    others = sorted(clause.variables().difference(said), key=lambda variable: variable.name)
    own = {v: var(v.name + suffix, v.sort) for v in others}
    memo: dict[Term, Term] = {}

    def put(term: Term) -> Term:
        return substitute(term, said | own, memo)

    holds = conj_all((put(clause.constraint), *(eq(put(argument), fact) for argument, fact in equations)))
    head = None if clause.head is None else Atom(clause.head.predicate, tuple(map(put, clause.head.arguments)))
    return holds, tuple(own.values()), head
