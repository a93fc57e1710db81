"""Facts that clauses derive, a few for each predicate: what may be an invariant holds of them.

    Inv(0, 0)                     Inv: (0, 0), (1, 2), (2, 4), ...
    Inv(x + 1, y + 2) :- Inv(x, y)

From each fact, each rule is asked for some more, breadth first. They depend on nothing but the clauses and the cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from cleave.errors import UnsupportedError
from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.terms import Term, conj_all, eq, neg, var
from cleave.logic.walk import has_quantifier
from cleave.passes.horn.step import as_term, has_values
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_MOST_FACTS = 40  # of a predicate
_EACH = 2  # facts that a rule is asked for, from the same ones, ...
_FIRST = 6  # ... and from none: inputs have many values
_QUESTION_COST = 50_000

Fact = tuple[Term, ...]


class Samples:
    """`step` until it `is_over`; then the ``facts`` are as many as there will be."""

    def __init__(self, system: HornSystem, cost_limit: int) -> None:
        self._rules = [rule for rule in system.rules() if not has_quantifier(rule.constraint)]
        self._cost_limit = cost_limit
        self._solver = Z3Solver(profile=DEFAULT)
        self.facts: dict[str, dict[Fact, None]] = {name: {} for name in system.predicates}
        self._waiting: deque[tuple[str, Fact]] = deque()
        self._begun = False

    @property
    def is_over(self) -> bool:
        return self._begun and (not self._waiting or self.cost() >= self._cost_limit)

    def step(self) -> None:
        """What follows from nothing or, later, from one more fact."""
        if not self._begun:
            self._begun = True
            for rule in self._rules:
                if not rule.body:
                    self._apply(rule, conj_all(()))
            return
        predicate, fact = self._waiting.popleft()
        for rule in self._rules:
            for place, atom in enumerate(rule.body):
                if atom.predicate == predicate and self.cost() < self._cost_limit:
                    given = self._given(rule, place, fact)
                    if given is not None:
                        self._apply(rule, given)

    def _given(self, rule: Clause, place: int, fact: Fact) -> Term | None:
        """That the rule is applied to the fact and, where it needs others, to the latest ones."""
        parts: list[Term] = []
        for number, atom in enumerate(rule.body):
            known = self.facts[atom.predicate]
            if number != place and not known:
                return None
            values = fact if number == place else next(reversed(known))
            parts += _equal(atom, values)
        return conj_all(parts)

    def _apply(self, rule: Clause, given: Term) -> None:
        head = rule.head
        assert head is not None
        found = self.facts[head.predicate]
        if len(found) >= _MOST_FACTS or not all(has_values(one.sort) for one in head.arguments):
            return
        for fact in self._heads(rule, head, given):
            if fact not in found and len(found) < _MOST_FACTS:
                found[fact] = None
                self._waiting.append((head.predicate, fact))

    def _heads(self, rule: Clause, head: Atom, given: Term) -> Iterator[Fact]:
        arguments = [var(f"head {number}", one.sort) for number, one in enumerate(head.arguments)]
        self._solver.push()
        try:
            self._solver.add(conj_all((rule.constraint, given, *map(eq, arguments, head.arguments))))
            for _ in range(_EACH if rule.body else _FIRST):
                if self._solver.check(cost_limit=_QUESTION_COST) is not Answer.SAT:
                    return
                model = self._solver.model()
                fact = tuple(as_term(model.value(one), one.sort) for one in arguments)
                yield fact
                self._solver.add(neg(conj_all(map(eq, arguments, fact))))
        except UnsupportedError:
            return  # a value that has no finite form
        finally:
            self._solver.pop()

    def cost(self) -> int:
        return self._solver.cost()

    def close(self) -> None:
        self._solver.close()


def _equal(atom: Atom, fact: Fact) -> Iterator[Term]:
    return (eq(argument, value) for argument, value in zip(atom.arguments, fact, strict=True))
