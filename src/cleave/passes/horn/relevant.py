"""Clauses that can't take part in deriving ``false`` are dropped, and predicates that only they use.

P(x) :- U(x)          dropped if nothing derives U; U becomes false on the way back
D(x) :- P(x)          dropped if no query needs D; D becomes true
"""

from __future__ import annotations

from dataclasses import replace

from cleave.ir.horn import Derivation, HornSystem, Interpretation, Relation, Step
from cleave.logic.terms import FALSE, TRUE, Term, var
from cleave.passes.horn.step import Pass
from cleave.smt.spacer_problem import relevant_clauses


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
