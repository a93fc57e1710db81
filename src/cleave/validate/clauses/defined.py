"""Predicates that get no relation of their own: they mean what their clauses derive, and nothing more.

    0  Step(x, y)  :- y = x + k, k > 0              Inv(p) := p >= 0, and nothing about Step
    1  Inv(y)      :- Inv(x), Step(x, y)
    2  false       :- Inv(x), x < 0

    1 is asked as     x >= 0 and y = x + k and k > 0 and not (y >= 0)        Step(x, y) is unfolded

If such predicates do not depend on themselves, then for any relations of the others there is exactly one smallest
choice for them, and all clauses that derive them hold. In the bodies of the other clauses they are unfolded. This is
as good as any relations: where some make all clauses hold, the smallest ones do, since an atom in a body only asks for
less then. And it spares solvers the quantifiers that those relations may need (``exists k``), and formulas that repeat
a large part of the system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field

from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Relation
from cleave.logic.binding import fresh_variables, names
from cleave.logic.sorts import BOOL
from cleave.logic.terms import TRUE, Term, conj_all, disj_all, eq, exists, implies, neg, var
from cleave.logic.walk import has_quantifier, substitute
from cleave.records import dataclass

_MOST_UNFOLDED = 2_000
"""Atoms of one clause, with those of the clauses that were put in for others."""


def instance(atom: Atom, relations: Interpretation) -> Term:
    """What the relation of the atom's predicate says about its arguments; no relation says nothing."""
    relation = relations.get(atom.predicate)
    if relation is None:
        return TRUE
    return substitute(relation.formula, dict(zip(relation.parameters, atom.arguments, strict=True)))


class Defined:
    """Those of the ``wanted`` predicates of a system that can do without a relation. ``relations`` are for the others,
    and bind variables that occur nowhere else, if they bind any."""

    def __init__(self, system: HornSystem, wanted: Collection[str], relations: Interpretation) -> None:
        self._system = system
        self._clauses: dict[str, list[Clause]] = {name: [] for name in _independent(system, wanted)}
        for clause in system.clauses:
            if clause.head is not None and clause.head.predicate in self._clauses:
                self._clauses[clause.head.predicate].append(clause)
        self._relations = {name: relation for name, relation in relations.items() if name not in self._clauses}
        self._fresh = fresh_variables(_all_names(system, self._relations) if self._clauses else set())

    def __bool__(self) -> bool:
        return bool(self._clauses)

    def hold_for(self, clause: Clause) -> bool:
        """Whether the clause holds because of what its head's predicate means."""
        return clause.head is not None and clause.head.predicate in self._clauses

    def violation(self, clause: Clause) -> Term | None:
        """What has a model if and only if the clause does not hold, if it isn't one that holds anyway; None if that
        would be too large."""
        unfolding = _Unfolding(self._clauses, self._relations, self._fresh)
        unfolding.put(TRUE, clause.body, clause.constraint)
        while unfolding.waiting:
            if unfolding.count > _MOST_UNFOLDED:
                return None
            unfolding.unfold(*unfolding.waiting.pop())
        head = TRUE if clause.head is None else neg(instance(clause.head, self._relations))
        return conj_all([*unfolding.parts, head])

    def all_relations(self) -> dict[str, Relation]:
        """What every predicate means; that of these has quantifiers, and is for people and other checkers."""
        found = dict(self._relations)
        for name, clauses in self._clauses.items():
            sorts = self._system.predicates[name].sorts
            parameters = tuple(var(f"a{place}", sort) for place, sort in enumerate(sorts))
            found[name] = Relation(parameters, disj_all(self._derived(clause, parameters, found) for clause in clauses))
        return {name: found[name] for name in self._system.predicates if name in found}

    def _derived(self, clause: Clause, parameters: tuple[Term, ...], relations: Interpretation) -> Term:
        """That the clause derives the ``parameters``."""
        body, constraint, left = _applied(clause, parameters, self._fresh)
        return exists(left, conj_all([constraint, *(instance(atom, relations) for atom in body)]))


def _terms(clause: Clause) -> list[Term]:
    return [clause.constraint, *(argument for atom in clause.atoms() for argument in atom.arguments)]


def _all_names(system: HornSystem, relations: Interpretation) -> set[str]:
    terms = [term for clause in system.clauses for term in _terms(clause)]
    return names([*terms, *(relation.formula for relation in relations.values())])


def _independent(system: HornSystem, wanted: Collection[str]) -> list[str]:
    """The ``wanted`` predicates without quantifiers in their clauses, each after those of them that it depends on.
    Where some depend on themselves, one after the other is left out until none does."""
    quantified = {
        clause.head.predicate
        for clause in system.clauses
        if clause.head is not None and any(map(has_quantifier, _terms(clause)))
    }
    needs: dict[str, set[str]] = {
        name: set() for name in system.predicates if name in wanted and name not in quantified
    }
    users: dict[str, set[str]] = {name: set() for name in needs}
    for clause in system.clauses:
        if clause.head is not None and clause.head.predicate in needs:
            for atom in clause.body:
                if atom.predicate in needs:
                    needs[clause.head.predicate].add(atom.predicate)
                    users[atom.predicate].add(clause.head.predicate)
    order: list[str] = []
    ready = [name for name, needed in needs.items() if not needed]
    while needs:
        name = ready.pop() if ready else _in_a_circle(needs)
        if not needs.pop(name):
            order.append(name)
        for user in sorted(users[name] & needs.keys()):
            needs[user].discard(name)
            if not needs[user]:
                ready.append(user)
    return order


def _in_a_circle(needs: Mapping[str, set[str]]) -> str:
    """One that depends on itself, if each needs another one."""
    seen: set[str] = set()
    name = next(iter(needs))
    while name not in seen:
        seen.add(name)
        name = min(needs[name])
    return name


def _applied(
    clause: Clause, arguments: Sequence[Term], fresh: Callable[[Term], Term]
) -> tuple[list[Atom], Term, tuple[Term, ...]]:
    """What has to be true for the clause to derive ``arguments``: atoms, a constraint, and the variables in them, all
    fresh, that some values are to be found for."""
    assert clause.head is not None
    known: dict[Term, Term] = {}
    rest: list[tuple[Term, Term]] = []
    for pattern, argument in zip(clause.head.arguments, arguments, strict=True):
        if pattern.is_var and pattern not in known:
            known[pattern] = argument
        else:
            rest.append((pattern, argument))
    others = sorted(clause.variables() - known.keys(), key=lambda v: (v.name, repr(v.sort)))
    left = {variable: fresh(variable) for variable in others}
    renaming, memo = known | left, dict[Term, Term]()
    equations = [eq(substitute(pattern, renaming, memo), argument) for pattern, argument in rest]
    body = [Atom(a.predicate, tuple(substitute(t, renaming, memo) for t in a.arguments)) for a in clause.body]
    return body, conj_all([*equations, substitute(clause.constraint, renaming, memo)]), tuple(left.values())


@dataclass(slots=True)
class _Unfolding:
    """Conditions of the form "if this choice is made, then that holds", and atoms that are still to be unfolded, each
    with the choice that it belongs to. No recursion, as definitions may be stacked thousands high."""

    clauses: Mapping[str, Sequence[Clause]]
    relations: Interpretation
    fresh: Callable[[Term], Term]
    parts: list[Term] = field(default_factory=list)
    waiting: list[tuple[Term, Atom]] = field(default_factory=list)
    count: int = 0

    def put(self, choice: Term, body: Sequence[Atom], constraint: Term) -> None:
        self.parts.append(implies(choice, constraint))
        for atom in body:
            if atom.predicate in self.clauses:
                self.waiting.append((choice, atom))
            else:
                self.parts.append(implies(choice, instance(atom, self.relations)))

    def unfold(self, choice: Term, atom: Atom) -> None:
        self.count += 1
        clauses = self.clauses[atom.predicate]
        choices = [choice] if len(clauses) == 1 else [self.fresh(var("choice", BOOL)) for _ in clauses]
        if len(clauses) != 1:
            self.parts.append(implies(choice, disj_all(choices)))
        for chosen, clause in zip(choices, clauses, strict=True):
            body, constraint, _ = _applied(clause, atom.arguments, self.fresh)
            self.put(chosen, body, constraint)
