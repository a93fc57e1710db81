"""Clauses that can't take part in deriving ``false`` are dropped, and predicates that only they use.

P(x) :- U(x)          dropped if nothing derives U; U becomes false on the way back
D(x) :- P(x)          dropped if no query needs D; D becomes true
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.horn import Derivation, HornSystem, Interpretation, Relation, Step
from cleave.logic.terms import FALSE, TRUE, Term, var
from cleave.passes.horn.step import Pass


def keep_relevant(system: HornSystem) -> Pass:
    derivable, kept = relevant_clauses(system)
    clauses = tuple(system.clauses[index] for index in kept)
    used = {atom.predicate for clause in clauses for atom in clause.atoms()}
    predicates = {name: predicate for name, predicate in system.predicates.items() if name in used}

    def interpretation(found: Interpretation) -> Interpretation:
        dropped = {
            name: Relation(parameters(system, name), TRUE if name in derivable else FALSE)
            for name in system.predicates
            if name not in used
        }
        return {**found, **dropped}

    def derivation(found: Derivation) -> Derivation:
        return Derivation(tuple(Step(kept[s.clause], s.predicate, s.arguments, s.premises) for s in found.steps))

    return Pass(replace(system, predicates=predicates, clauses=clauses), interpretation, derivation)


def parameters(system: HornSystem, predicate: str) -> tuple[Term, ...]:
    sorts = system.predicates[predicate].sorts
    return tuple(var(f"a{place}", sort) for place, sort in enumerate(sorts))


def relevant_clauses(system: HornSystem) -> tuple[frozenset[str], list[int]]:
    """The predicates that can be derived if constraints don't matter, and the clauses that can lead to ``false``."""
    derivable = _derivable(system)
    possible = [
        index
        for index, clause in enumerate(system.clauses)
        if not clause.constraint.is_false and all(atom.predicate in derivable for atom in clause.body)
    ]
    by_head: dict[str | None, list[int]] = {}
    for index in possible:
        head = system.clauses[index].head
        by_head.setdefault(None if head is None else head.predicate, []).append(index)
    needed: set[str] = set()
    waiting: list[str | None] = [None]
    kept: list[int] = []
    while waiting:
        for index in by_head.get(waiting.pop(), ()):
            kept.append(index)
            new = [atom.predicate for atom in system.clauses[index].body if atom.predicate not in needed]
            needed.update(new)
            waiting += dict.fromkeys(new)
    return derivable, sorted(kept)


def _derivable(system: HornSystem) -> frozenset[str]:
    waiting_for: dict[str, list[int]] = {}
    missing: list[set[str]] = []
    found: list[str] = []
    for index, clause in enumerate(system.clauses):
        missing.append({atom.predicate for atom in clause.body})
        for name in missing[index]:
            waiting_for.setdefault(name, []).append(index)
        if clause.head is not None and not clause.body and not clause.constraint.is_false:
            found.append(clause.head.predicate)
    derivable: set[str] = set()
    while found:
        name = found.pop()
        if name in derivable:
            continue
        derivable.add(name)
        for index in waiting_for.get(name, ()):
            missing[index].discard(name)
            clause = system.clauses[index]
            if not missing[index] and clause.head is not None and not clause.constraint.is_false:
                found.append(clause.head.predicate)
    return frozenset(derivable)
