"""The relation of a predicate that was inlined, from those of the others.

    Q(x + 1) :- P(x)                        what the definitions give:   exists x: a = x + 1 and P(x), that is P(a - 1)
    false    :- Q(y), y > 9                 what the uses allow:         not (a > 9)

The first is a disjunction over the definitions, the second a conjunction over the uses. `inline` says when which is
taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.ir.horn import Atom, Clause, HornSystem, Interpretation, Relation
from cleave.logic.terms import FALSE, TRUE, Term, conj, conj_all, disj_all, exists, implies, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.horn.equations import solve
from cleave.passes.horn.relevant import parameters
from cleave.passes.horn.step import equations
from cleave.records import dataclass


def count_atoms(clause: Clause, predicate: str) -> int:
    """The atoms of the predicate in the clause's body."""
    return sum(atom.predicate == predicate for atom in clause.body)


@dataclass(frozen=True)
class _Determined:
    """A definition or a use over the predicate's arguments, and those of its variables that they don't define."""

    condition: Term
    body: tuple[Atom, ...]
    head: Atom | None
    left: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Definition:
    """By its ``definitions``, or, if these are None, by its ``uses``."""

    parameters: tuple[Term, ...]
    definitions: tuple[_Determined, ...] | None
    uses: tuple[_Determined, ...]

    @property
    def has_quantifiers(self) -> bool:
        return any(found.left for found in self.definitions or ())

    def relation(self, found: Interpretation) -> Relation:
        if self.definitions is not None:
            given = [
                exists(d.left, conj(d.condition, *(_instance(atom, found) for atom in d.body)))
                for d in self.definitions
            ]
            return Relation(self.parameters, disj_all(given))
        allowed = []
        for use in self.uses:
            goal = FALSE if use.head is None else _instance(use.head, found)
            allowed.append(implies(conj(use.condition, *(_instance(atom, found) for atom in use.body)), goal))
        return Relation(self.parameters, conj_all(allowed))


def definition_of(system: HornSystem, predicate: str, definitions: Sequence[int], uses: Sequence[int]) -> Definition:
    names = parameters(system, predicate)
    own = tuple(var(f"{name.name}~p", name.sort) for name in names)
    given = tuple(_determined(clause, clause.head, clause.body, None, own) for clause in _clauses(system, definitions))
    if not any(definition.left for definition in given):
        return Definition(own, given, ())
    allowed = _allowed(system, predicate, uses, own)
    if allowed is not None:
        return Definition(own, None, allowed)
    return Definition(own, tuple(_bound(one, f"{predicate}~{place}") for place, one in enumerate(given)), ())


def _allowed(
    system: HornSystem, predicate: str, uses: Sequence[int], own: tuple[Term, ...]
) -> tuple[_Determined, ...] | None:
    """The uses, if each has one atom of the predicate, which determines all its variables."""
    allowed: list[_Determined] = []
    for clause in _clauses(system, uses):
        if count_atoms(clause, predicate) != 1:
            return None
        atom = next(atom for atom in clause.body if atom.predicate == predicate)
        rest = tuple(other for other in clause.body if other is not atom)
        found = _determined(clause, atom, rest, clause.head, own)
        if found.left:
            return None
        allowed.append(found)
    return tuple(allowed)


def _bound(definition: _Determined, mark: str) -> _Determined:
    """With variables that are called by whose they are: relations of other predicates, which bind their own, are put
    in later, and so is this one's into theirs."""
    renaming = {variable: var(f"{variable.name}~{mark}", variable.sort) for variable in definition.left}
    memo: dict[Term, Term] = {}
    body = tuple(Atom(a.predicate, tuple(substitute(t, renaming, memo) for t in a.arguments)) for a in definition.body)
    return _Determined(substitute(definition.condition, renaming, memo), body, None, tuple(renaming.values()))


def _clauses(system: HornSystem, indices: Sequence[int]) -> list[Clause]:
    return [system.clauses[index] for index in indices]


def _determined(
    clause: Clause, atom: Atom | None, body: tuple[Atom, ...], head: Atom | None, own: tuple[Term, ...]
) -> _Determined:
    """The clause with its variables replaced by what ``own``, the arguments of ``atom``, say."""
    assert atom is not None
    locals_ = clause.variables()
    goals = body if head is None else (*body, head)
    arguments = [argument for other in goals for argument in other.arguments]
    formula = conj(equations(own, atom.arguments), clause.constraint)
    condition, solved = solve(formula, arguments, locals_.__contains__)
    left = tuple(sorted(free_variables(condition, *solved) & locals_, key=lambda v: (v.name, repr(v.sort))))
    new = iter(solved)
    atoms = [Atom(other.predicate, tuple(next(new) for _ in other.arguments)) for other in goals]
    if head is None:
        return _Determined(condition, tuple(atoms), None, left)
    return _Determined(condition, tuple(atoms[:-1]), atoms[-1], left)


def _instance(atom: Atom, found: Interpretation) -> Term:
    relation = found.get(atom.predicate)
    if relation is None:
        return TRUE
    return substitute(relation.formula, dict(zip(relation.parameters, atom.arguments, strict=True)))
