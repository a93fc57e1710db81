"""A predicate that is not recursive goes: its definitions take the place of its uses.

    Q(x + 1) :- P(x)                                        false :- P(x), x + 1 > 9
    false    :- Q(y), y > 9             becomes

Only where the way back needs no solver to succeed. A *derivation* of the new clauses lacks the facts of Q: a model of
the clause that was used, with its premises, has them. For an *interpretation*, Q gets

    what its definitions give:   a = x + 1 and P(x), that is P(a - 1)               if they determine their variables
    or what its uses allow:      not (a > 9)                                        if those do
    or else the first, with      exists x: a = x + 1 and P(x)                       a quantifier

where "determine" means that equations define all their variables by the arguments of Q. The first is a disjunction over
the definitions, the second a conjunction over the uses. Solvers are bad at quantifiers, so a check of the
interpretation better unfolds Q again (`validate.clauses.defined`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Step
from cleave.logic.terms import Term, conj, conj_all, var
from cleave.logic.walk import free_variables, substitute
from cleave.passes.horn.equations import solve
from cleave.passes.horn.inlined_relation import count_atoms, definition_of
from cleave.passes.horn.step import Pass, equations, ground_values, has_values
from cleave.passes.horn.tidy import tidied
from cleave.records import dataclass

_MOST_SIZE = 4_000
"""Arguments and conjuncts of a clause that is made; larger ones cost SPACER more than the predicate did."""


@dataclass(frozen=True)
class _Join:
    """Where a new clause comes from: clause number ``use``, with definition ``definitions[i]`` in the place of the
    i-th atom of the predicate in its body. ``clause`` is the new one before it was tidied, ``parts`` the definitions
    with variables of their own."""

    use: int
    definitions: tuple[int, ...] = ()
    parts: tuple[Clause, ...] = ()
    clause: Clause | None = None


def inline(system: HornSystem, predicate: str, *, quantifiers: bool = True) -> Pass | None:
    """Without ``predicate``; None if it is recursive, if the clauses would become too many, or if the way back could
    fail, or would need ``quantifiers`` that are not wanted."""
    definitions = [i for i, clause in enumerate(system.clauses) if _head(clause) == predicate]
    uses = [i for i, clause in enumerate(system.clauses) if count_atoms(clause, predicate)]
    if not _is_cheap(system, predicate, definitions, uses):
        return None
    way_back = definition_of(system, predicate, definitions, uses)
    if way_back.has_quantifiers and not quantifiers:
        return None
    joins: list[_Join] = []
    clauses: list[Clause] = []
    changed = frozenset((*definitions, *uses))
    for index, clause in enumerate(system.clauses):
        for join in _joined(system, predicate, index, definitions) if index in changed else (_Join(index),):
            if not _can_fill(join):
                return None
            made = clause if join.clause is None else tidied(join.clause)
            if not made.constraint.is_false:
                joins.append(join)
                clauses.append(made)
    predicates = {name: p for name, p in system.predicates.items() if name != predicate}

    def derivation(found: Derivation) -> Derivation:
        return _filled(system, predicate, joins, found)

    new = replace(system, predicates=predicates, clauses=tuple(clauses))
    return Pass(new, lambda found: {**found, predicate: way_back.relation(found)}, derivation)


def _head(clause: Clause) -> str | None:
    return None if clause.head is None else clause.head.predicate


def _is_cheap(system: HornSystem, predicate: str, definitions: Sequence[int], uses: Sequence[int]) -> bool:
    if any(count_atoms(system.clauses[i], predicate) for i in definitions):
        return False
    occurrences = [count_atoms(system.clauses[i], predicate) for i in uses]
    after = sum(len(definitions) ** count for count in occurrences)
    if after > len(definitions) + len(uses):
        return False
    largest = max((_size(system.clauses[i]) for i in definitions), default=0)
    return all(_size(system.clauses[i]) + n * largest <= _MOST_SIZE for i, n in zip(uses, occurrences, strict=True))


def _size(clause: Clause) -> int:
    return (
        sum(len(atom.arguments) + 1 for atom in clause.atoms()) + len(clause.constraint.args) + len(clause.variables())
    )


def _joined(system: HornSystem, predicate: str, index: int, definitions: Sequence[int]) -> list[_Join]:
    """The clauses that clause number ``index``, which mentions the predicate, becomes."""
    clause = system.clauses[index]
    if _head(clause) == predicate:
        return []
    count = count_atoms(clause, predicate)
    return [_join(system, predicate, index, chosen) for chosen in product(definitions, repeat=count)]


def _join(system: HornSystem, predicate: str, index: int, chosen: tuple[int, ...]) -> _Join:
    use = system.clauses[index]
    taken = {variable.name for variable in use.variables()}
    parts: list[Clause] = []
    body: list[Atom] = []
    constraints = [use.constraint]
    for atom in use.body:
        if atom.predicate != predicate:
            body.append(atom)
            continue
        part = _apart(system.clauses[chosen[len(parts)]], taken)
        assert part.head is not None
        parts.append(part)
        body += part.body
        constraints += [part.constraint, equations(atom.arguments, part.head.arguments)]
    made = Clause(use.head, tuple(body), conj_all(constraints), use.location)
    return _Join(index, chosen, tuple(parts), made)


def _apart(clause: Clause, taken: set[str]) -> Clause:
    """With variables of its own, by names that are not ``taken``; they are from now on."""
    renaming: dict[Term, Term] = {}
    for variable in sorted(clause.variables(), key=lambda v: (v.name, repr(v.sort))):
        name, number = variable.name, 0
        while name in taken:
            number += 1
            name = f"{variable.name.partition('~')[0]}~{number}"
        taken.add(name)
        renaming[variable] = var(name, variable.sort)
    memo: dict[Term, Term] = {}

    def renamed(atom: Atom) -> Atom:
        return Atom(atom.predicate, tuple(substitute(a, renaming, memo) for a in atom.arguments))

    head = None if clause.head is None else renamed(clause.head)
    body = tuple(renamed(atom) for atom in clause.body)
    return Clause(head, body, substitute(clause.constraint, renaming, memo), clause.location)


# --- the way back: derivations ----------------------------------------------------------------------------------------


def _filled(system: HornSystem, predicate: str, joins: Sequence[_Join], found: Derivation) -> Derivation:
    """With the facts of ``predicate`` that the joined clauses left out."""
    steps: list[Step] = []
    places: list[int] = []
    for step in found.steps:
        join = joins[step.clause]
        premises = [places[premise] for premise in step.premises]
        if join.clause is not None:
            premises = _fill(system, predicate, join, step, premises, steps)
        places.append(len(steps))
        steps.append(Step(join.use, step.predicate, step.arguments, tuple(premises)))
    return Derivation(tuple(steps))


def _fill(
    system: HornSystem, predicate: str, join: _Join, step: Step, premises: Sequence[int], steps: list[Step]
) -> list[int]:
    """Adds the steps that derive the facts of ``predicate``; the premises of the original clause."""
    assert join.clause is not None
    facts = [join.clause.constraint]
    if join.clause.head is not None:
        facts.append(equations(join.clause.head.arguments, step.arguments))
    for atom, premise in zip(join.clause.body, premises, strict=True):
        facts.append(equations(atom.arguments, steps[premise].arguments))
    heads = [part.head for part in join.parts if part.head is not None]
    values = iter(ground_values(conj_all(facts), [argument for head in heads for argument in head.arguments]))
    waiting = iter(premises)
    parts = iter(zip(join.parts, join.definitions, strict=True))
    made = []
    for atom in system.clauses[join.use].body:
        if atom.predicate != predicate:
            made.append(next(waiting))
            continue
        part, index = next(parts)
        below = tuple(next(waiting) for _ in part.body)
        made.append(len(steps))
        steps.append(Step(index, predicate, tuple(next(values) for _ in atom.arguments), below))
    return made


def _can_fill(join: _Join) -> bool:
    """Whether the facts that were left out follow from the others by equations, as far as a solver's model could have
    values that can't be written as terms."""
    if join.clause is None:
        return True
    wanted = [a for part in join.parts if part.head is not None for a in part.head.arguments if not has_values(a.sort)]
    if not wanted:
        return True
    arguments = tuple(argument for atom in join.clause.atoms() for argument in atom.arguments)
    known = tuple(var(f"{place}~known", argument.sort) for place, argument in enumerate(arguments))
    variables = join.clause.variables() | free_variables(*wanted)
    _, solved = solve(conj(equations(known, arguments), join.clause.constraint), wanted, variables.__contains__)
    return not any(free_variables(term) & variables for term in solved)


def candidates(system: HornSystem) -> list[str]:
    """The predicates in the order in which to try them: those that are used least first."""
    uses = Counter(atom.predicate for clause in system.clauses for atom in clause.atoms())
    return sorted(system.predicates, key=lambda name: (uses[name], name))
