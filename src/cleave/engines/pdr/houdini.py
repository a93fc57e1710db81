"""Of many formulas that may hold, the largest set that is inductive (Houdini).

    candidates   P: x >= 0, x < 10, y = x        rules   P(0, y)             drops y = x
                                                         P(x + 1, y) :- P(x, y)   drops x < 10, keeps x >= 0

A rule is checked under all candidates of its body that are left; those of its head that do not follow are dropped,
until nothing changes. What the solver can't decide within its limit of work does not follow. So the result depends on
nothing but the arguments. It is not trusted: see `validate.invariant`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from cleave.engines.pdr.learning import Candidates
from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj_all, disj_all, eq, implies, neg, var
from cleave.logic.walk import substitute
from cleave.passes.horn.relevant import parameters
from cleave.smt.solver import Answer
from cleave.smt.z3 import DEFAULT, Z3Solver

_QUESTION_COST = 200_000


def inductive(
    system: HornSystem, candidates: Candidates, *, cost_limit: int, halt: threading.Event
) -> dict[str, list[Term]] | None:
    """Those of the candidates that all rules preserve; None if that takes too much work, or ``halt`` is set."""
    return _Houdini(system, candidates, cost_limit, halt).run()


class _Houdini:
    def __init__(self, system: HornSystem, candidates: Candidates, cost_limit: int, halt: threading.Event) -> None:
        self._rules = system.rules()
        self._parameters = {name: parameters(system, name) for name in system.predicates}
        self._left = {name: list(candidates.get(name, ())) for name in system.predicates}
        self._cost_limit = cost_limit
        self._halt = halt
        self._uses: dict[str, list[int]] = {name: [] for name in system.predicates}
        for number, rule in enumerate(self._rules):
            for name in dict.fromkeys(atom.predicate for atom in rule.body):
                self._uses[name].append(number)

    def run(self) -> dict[str, list[Term]] | None:
        waiting = dict.fromkeys(range(len(self._rules)))
        cost = 0
        while waiting:
            if cost > self._cost_limit or self._halt.is_set():
                return None
            number = next(iter(waiting))
            del waiting[number]
            rule = self._rules[number]
            assert rule.head is not None
            name = rule.head.predicate
            kept, spent = self._kept(rule, rule.head)
            cost += spent
            if len(kept) < len(self._left[name]):
                self._left[name] = kept
                waiting.update(dict.fromkeys(self._uses[name]))
        return self._left

    def _kept(self, rule: Clause, head: Atom) -> tuple[list[Term], int]:
        """The candidates of the head that follow, and what it took to find out."""
        candidates = self._left[head.predicate]
        wanted = {candidate: self._instance(candidate, head) for candidate in candidates}
        open_ = {candidate: instance for candidate, instance in wanted.items() if not instance.is_true}
        if not open_ or rule.constraint.is_false:
            return candidates, 0
        solver = Z3Solver(profile=DEFAULT)
        try:
            body = [self._instance(formula, atom) for atom in rule.body for formula in self._left[atom.predicate]]
            solver.add(conj_all([rule.constraint, *body]))
            failing = _Sieve(solver, open_).failing()
            return [candidate for candidate in candidates if candidate not in failing], solver.cost()
        finally:
            solver.close()

    def _instance(self, formula: Term, atom: Atom) -> Term:
        return substitute(formula, dict(zip(self._parameters[atom.predicate], atom.arguments, strict=True)))


class _Sieve:
    """Tells which of some formulas follow from what the solver was told."""

    def __init__(self, solver: Z3Solver, formulas: Mapping[Term, Term]) -> None:
        self._solver = solver
        self._names = {key: var(f"holds~{number}", BOOL) for number, key in enumerate(formulas)}
        self._questions = 0
        for key, formula in formulas.items():
            solver.add(eq(self._names[key], formula))

    def failing(self) -> set[Term]:
        """One model often tells of many formulas that they do not follow."""
        left = dict(self._names)
        while left:
            answer = self._ask(left.values())
            if answer is Answer.UNSAT:
                break
            model = self._solver.model() if answer is Answer.SAT else None
            false = [key for key, name in left.items() if model is not None and not model.is_true(name)]
            if not false:  # each by itself, then
                false = [key for key, name in left.items() if self._ask([name]) is not Answer.UNSAT]
                left = {key: name for key, name in left.items() if key not in false}
                break
            for key in false:
                del left[key]
        return self._names.keys() - left.keys()

    def _ask(self, names: Iterable[Term]) -> Answer:
        """Whether one of them can be false."""
        self._questions += 1
        asked = var(f"asked~{self._questions}", BOOL)
        self._solver.add(implies(asked, disj_all(neg(name) for name in names)))
        return self._solver.check([asked], cost_limit=_QUESTION_COST)
