"""Arguments that say nothing are dropped.

    P(x, 7) :- x = 0                          P(x) :- x = 0
    P(x + 1, k) :- P(x, k)       becomes      P(x + 1) :- P(x)
    false :- P(x, k), x > k                   false :- P(x), x > 7

An argument is *constant* if every clause gives it the same value, or hands it on from an atom of the same predicate.
It comes back as an equation in the interpretation, and as that value in facts.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Predicate, Relation, Step
from cleave.logic.terms import Term, conj, eq, var
from cleave.logic.walk import substitute
from cleave.passes.fresh import FreshNames
from cleave.passes.horn.step import Pass
from cleave.passes.horn.tidy import tidied

Constants = dict[str, dict[int, Term]]


def drop_arguments(system: HornSystem) -> Pass:
    constants = _constants(system)
    if not constants:
        return Pass(system, lambda found: found, lambda found: found)
    predicates = {
        name: Predicate(name, _kept(predicate.sorts, constants.get(name, {})))
        for name, predicate in system.predicates.items()
    }
    clauses = tuple(_without(clause, constants) for clause in system.clauses)

    def interpretation(found: Interpretation) -> Interpretation:
        return {
            name: _widened(system.predicates[name], relation, constants[name]) if name in constants else relation
            for name, relation in found.items()
        } | {name: _only(system.predicates[name], constants[name]) for name in constants if name not in found}

    def derivation(found: Derivation) -> Derivation:
        return Derivation(tuple(_full(step, constants) for step in found.steps))

    def forward(found: Interpretation) -> Interpretation:
        return {name: _narrowed(relation, constants.get(name, {})) for name, relation in found.items()}

    return Pass(replace(system, predicates=predicates, clauses=clauses), interpretation, derivation, forward)


def _constants(system: HornSystem) -> Constants:
    found: Constants = {}
    heads: dict[str, list[Clause]] = {name: [] for name in system.predicates}
    for clause in system.clauses:
        if clause.head is not None:
            heads[clause.head.predicate].append(clause)
    for name, clauses in heads.items():
        for place in range(len(system.predicates[name].sorts)):
            value = _constant(clauses, name, place)
            if value is not None:
                found.setdefault(name, {})[place] = value
    return found


def _constant(clauses: list[Clause], name: str, place: int) -> Term | None:
    values: set[Term] = set()
    for clause in clauses:
        assert clause.head is not None
        argument = clause.head.arguments[place]
        handed_on = any(atom.predicate == name and atom.arguments[place] is argument for atom in clause.body)
        if argument.is_value:
            values.add(argument)
        elif not handed_on:
            return None
    return values.pop() if len(values) == 1 else None


def _kept(items: tuple, constants: dict[int, Term]) -> tuple:  # type: ignore[type-arg]
    return tuple(item for place, item in enumerate(items) if place not in constants)


def _without(clause: Clause, constants: Constants) -> Clause:
    """The values of a body's arguments are known from the predicate; those of the head need no proof again."""
    known = [
        eq(atom.arguments[place], value)
        for atom in clause.body
        for place, value in constants.get(atom.predicate, {}).items()
    ]
    body = tuple(_shorter(atom, constants) for atom in clause.body)
    head = None if clause.head is None else _shorter(clause.head, constants)
    return tidied(Clause(head, body, conj(clause.constraint, *known), clause.location))


def _shorter(atom: Atom, constants: Constants) -> Atom:
    return Atom(atom.predicate, _kept(atom.arguments, constants.get(atom.predicate, {})))


def _widened(predicate: Predicate, relation: Relation, constants: dict[int, Term]) -> Relation:
    kept = iter(relation.parameters)
    names = FreshNames(parameter.name for parameter in relation.parameters)  # the pass may have been made twice
    extra = {place: var(names.like("constant"), value.sort) for place, value in constants.items()}
    parameters = tuple(extra[place] if place in extra else next(kept) for place in range(len(predicate.sorts)))
    known = [eq(extra[place], value) for place, value in constants.items()]
    return Relation(parameters, conj(relation.formula, *known))


def _narrowed(relation: Relation, constants: dict[int, Term]) -> Relation:
    known = {relation.parameters[place]: value for place, value in constants.items()}
    return Relation(_kept(relation.parameters, constants), substitute(relation.formula, known))


def _only(predicate: Predicate, constants: dict[int, Term]) -> Relation:
    parameters = tuple(var(f"a{place}", sort) for place, sort in enumerate(predicate.sorts))
    return Relation(parameters, conj(*(eq(parameters[place], value) for place, value in constants.items())))


def _full(step: Step, constants: Constants) -> Step:
    known = constants.get(step.predicate or "", {})
    if not known:
        return step
    kept = iter(step.arguments)
    count = len(step.arguments) + len(known)
    arguments = tuple(known[place] if place in known else next(kept) for place in range(count))
    return replace(step, arguments=arguments)
