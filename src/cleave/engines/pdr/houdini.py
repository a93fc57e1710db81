"""Of many formulas that may hold, the largest set that is inductive (Houdini).

    candidates   P: x >= 0, x < 10, y = x        rules   P(0, y)             drops y = x
                                                         P(x + 1, y) :- P(x, y)   drops x < 10, keeps x >= 0

A rule is checked under all candidates of its body that are left; those of its head that do not follow are dropped,
until nothing changes. A candidate that the solver can't decide within its limit of work does not follow.

More candidates can come at any time: what is inductive stays so. What was dropped has a model that refutes it, of a
rule and what was left for its body; it is tried again if that is excluded by a new candidate, or by another one that is
tried again. All else would be dropped again: of what could stay, look at the one that was dropped first.

The result depends on nothing but the arguments. It is not trusted: see `validate.clauses.invariant`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping

from cleave.engines.pdr.learning import Candidates
from cleave.engines.pdr.levels import NODE_COST
from cleave.errors import UnsupportedError
from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, disj_all, implies, neg, var
from cleave.logic.walk import postorder, substitute
from cleave.passes.horn.relevant import parameters
from cleave.smt.solver import Answer, Model
from cleave.smt.z3.solver import DEFAULT, Z3Solver

_QUESTION_COST = 200_000
_SINGLE_COST = 50_000  # for one formula, after the solver gave up on all of them together
_MOST_SOLVERS = 500  # that are kept

_Formulas = dict[str, dict[Term, None]]  # by predicate, in the order in which they came


def inductive(
    system: HornSystem, candidates: Candidates, *, cost_limit: int, halt: threading.Event
) -> dict[str, list[Term]] | None:
    """Those of the candidates that all rules preserve; None if that takes too much work, or ``halt`` is set."""
    houdini = Houdini(system)
    try:
        houdini.add(candidates)
        while houdini.is_busy:
            if houdini.cost() > cost_limit or halt.is_set():
                return None
            houdini.step()
        return houdini.invariants()
    finally:
        houdini.close()


class Houdini:
    """`add` candidates, then `step` while it `is_busy`."""

    def __init__(self, system: HornSystem) -> None:
        self._system = system
        self._rules = system.rules()
        self._known: set[tuple[str, Term]] = set()
        self._new: list[tuple[str, Term]] = []  # that have not been in any round
        self._dropped: dict[tuple[str, Term], _Refutation] = {}
        self._inductive: _Formulas = {name: {} for name in system.predicates}
        self._left = self._inductive  # of the round under way
        self._waiting: dict[int, None] = {}  # rules to check in this round
        self._questions = _Questions(system)
        self._uses: dict[str, list[int]] = {name: [] for name in system.predicates}
        for number, rule in enumerate(self._rules):
            for name in dict.fromkeys(atom.predicate for atom in rule.body):
                self._uses[name].append(number)

    def add(self, candidates: Candidates) -> None:
        """They take part from the next round on."""
        for name, formulas in candidates.items():
            for formula in formulas:
                if (name, formula) not in self._known:
                    self._known.add((name, formula))
                    self._new.append((name, formula))

    @property
    def is_busy(self) -> bool:
        return bool(self._new or self._waiting)

    def step(self) -> bool:
        """Checks one rule; whether that ended a round, so that there may be more invariants."""
        if not self._waiting:
            self._begin()
        if self._waiting:
            self._check_next()
        if not self._waiting:
            self._inductive = self._left
        return not self._waiting

    def _check_next(self) -> None:
        number = min(self._waiting)  # facts and what follows from them first, mostly
        del self._waiting[number]
        head = self._rules[number].head
        assert head is not None
        left, proved = self._left[head.predicate], self._inductive[head.predicate]
        wanted = [formula for formula in left if formula not in proved]
        if not wanted:
            return
        failing = self._questions[self._rules[number]].failing(self._left, wanted)
        if failing:
            self._dropped |= {(head.predicate, formula): why for formula, why in failing.items()}
            self._left[head.predicate] = {formula: None for formula in left if formula not in failing}
            self._waiting.update(dict.fromkeys(self._uses[head.predicate]))

    def _begin(self) -> None:
        self._left = {name: dict(formulas) for name, formulas in self._inductive.items()}
        tried, self._new = self._new, []
        for name, formula in tried:  # which grows meanwhile
            self._left[name][formula] = None
            again = [key for key, refutation in self._dropped.items() if refutation.is_excluded(name, formula)]
            for key in again:
                del self._dropped[key]
            tried += again
        self._waiting = dict.fromkeys(range(len(self._rules)))

    def invariants(self) -> dict[str, list[Term]]:
        return {name: list(formulas) for name, formulas in self._inductive.items()}

    def excludes_queries(self) -> bool:
        """Whether no query can be derived from what the invariants allow."""
        return all(self._questions[query].is_excluded(self._inductive) for query in self._system.queries())

    def cost(self) -> int:
        return self._questions.cost()

    def close(self) -> None:
        self._questions.close()


class _Questions:
    """The clauses that were asked about, each with its solver; those asked longest ago are dropped if they are many."""

    def __init__(self, system: HornSystem) -> None:
        self._parameters = {name: parameters(system, name) for name in system.predicates}
        self._open: dict[Clause, _Question] = {}
        self._room = _Room()

    def __getitem__(self, clause: Clause) -> _Question:
        found = self._open.pop(clause, None) or _Question(clause, self._parameters, self._room)
        self._open[clause] = found
        if len(self._open) > _MOST_SOLVERS:
            self._open.pop(next(iter(self._open))).close()
        return found

    def cost(self) -> int:
        return self._room.cost()

    def close(self) -> None:
        for question in self._open.values():
            question.close()
        self._open.clear()
        self._room.close()


class _Room:
    """What all solvers of a system share: Z3's context, with the formulas in it, and the count of what they cost. The
    context is made for the first solver: many searches end before there is a lemma to ask about."""

    def __init__(self) -> None:
        self._meter: Z3Solver | None = None
        self._translated: set[Term] = set()
        self._made = self._asked = 0  # what making formulas and asking cost

    def solver(self) -> Z3Solver:
        self._meter = self._meter or Z3Solver(profile=DEFAULT)
        return Z3Solver(profile=DEFAULT, beside=self._meter)

    def charge(self, formula: Term) -> None:
        """For a formula that is made: each node is, once."""
        self._made += NODE_COST * sum(1 for _ in postorder((formula,), self._translated))

    def cost(self) -> int:
        return self._made + self._asked

    def note(self) -> None:
        """Something was asked."""
        self._asked = 0 if self._meter is None else self._meter.cost()

    def close(self) -> None:
        if self._meter is not None:
            self._meter.close()


class _Question:
    """What follows from a clause's constraint, and from formulas about its body that change."""

    def __init__(self, clause: Clause, parameters: Mapping[str, tuple[Term, ...]], room: _Room) -> None:
        self._clause = clause
        self._parameters = parameters
        self._room = room
        self._solver = room.solver()
        self._names: dict[Term, Term] = {}  # each implies its formula
        self._instances: dict[tuple[Term, Atom], Term] = {}
        self._add(clause.constraint)

    def _add(self, formula: Term) -> None:
        self._room.charge(formula)
        self._solver.add(formula)

    def close(self) -> None:
        self._solver.close()

    def is_excluded(self, known: _Formulas) -> bool:
        return self._check(self._support(known), _QUESTION_COST) is Answer.UNSAT

    def failing(self, known: _Formulas, wanted: Iterable[Term]) -> dict[Term, _Refutation]:
        """Those of the formulas about the head that do not follow."""
        head = self._clause.head
        assert head is not None
        left = {formula: self.instance(formula, head) for formula in wanted}
        left = {formula: instance for formula, instance in left.items() if not instance.is_true}
        failing: dict[Term, _Refutation] = {}
        if not left or self._clause.constraint.is_false:
            return failing
        support = self._support(known)
        while left:
            answer = self._ask(support, left.values())
            if answer is Answer.UNSAT:
                break
            model = self._solver.model() if answer is Answer.SAT else None
            false = [key for key, instance in left.items() if model is not None and _is(False, model, instance)]
            if not false:  # each by itself, then
                follows = {key for key, i in left.items() if self._ask(support, [i], _SINGLE_COST) is Answer.UNSAT}
                return failing | {key: _Refutation(self, None) for key in left if key not in follows}
            failing |= dict.fromkeys(false, _Refutation(self, model))
            left = {key: instance for key, instance in left.items() if key not in failing}
        return failing

    def _ask(self, support: list[Term], formulas: Iterable[Term], cost_limit: int = _QUESTION_COST) -> Answer:
        """Whether one of them can be false."""
        denied = disj_all(neg(formula) for formula in formulas)
        return self._check([*support, self._name(denied)], cost_limit)

    def _check(self, assumptions: list[Term], cost_limit: int) -> Answer:
        answer = self._solver.check(assumptions, cost_limit=cost_limit)
        self._room.note()
        return answer

    def _support(self, known: _Formulas) -> list[Term]:
        body = self._clause.body
        return [self._name(self.instance(formula, atom)) for atom in body for formula in known[atom.predicate]]

    def of_body(self, predicate: str, formula: Term) -> Iterator[Term]:
        """What the formula says about the predicate's atoms in the body."""
        return (self.instance(formula, atom) for atom in self._clause.body if atom.predicate == predicate)

    def _name(self, formula: Term) -> Term:
        name = self._names.get(formula)
        if name is None:
            name = self._names[formula] = var(f"holds~{len(self._names)}", BOOL)
            self._add(implies(name, formula))
        return name

    def instance(self, formula: Term, atom: Atom) -> Term:
        found = self._instances.get((formula, atom))
        if found is None:
            replaced = dict(zip(self._parameters[atom.predicate], atom.arguments, strict=True))
            found = self._instances[formula, atom] = substitute(formula, replaced)
        return found


class _Refutation:
    """Why a candidate was dropped: a model of a clause's body, or that the solver could not decide."""

    def __init__(self, question: _Question, model: Model | None) -> None:
        self._question = question
        self._model = model

    def is_excluded(self, predicate: str, formula: Term) -> bool:
        """Whether the formula does not hold in it."""
        model = self._model
        return model is not None and any(
            not _is(True, model, instance) for instance in self._question.of_body(predicate, formula)
        )


def _is(wanted: bool, model: Model, formula: Term) -> bool:
    try:
        return model.is_true(formula) is wanted
    except UnsupportedError:  # a value that has no finite form
        return False
