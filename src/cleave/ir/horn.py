"""Constrained Horn clauses: what `pdr` solves, and what programs and transition systems can be turned into.

    Inv(x)      :- x = 0
    Inv(x + 1)  :- Inv(x), x < 10
    false       :- Inv(x), x > 10

A clause is implicitly quantified over the free variables of its terms. The system is *safe* if its predicates can be
interpreted so that every clause holds (``sat`` in SMT-LIB's words), *unsafe* if ``false`` can be derived (``unsat``).
The evidence of the one is an `Interpretation`, of the other a `Derivation`; `validate` checks both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from cleave.ir.program import Location
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Term
from cleave.logic.walk import free_variables
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Predicate:
    """An unknown relation, told apart from others by its name alone."""

    name: str
    sorts: tuple[Sort, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms of its sorts."""

    predicate: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """``head :- body, constraint``; a query if it has no head. No predicate occurs in ``constraint``."""

    head: Atom | None
    body: tuple[Atom, ...]
    constraint: Term
    location: Location | None = None

    @property
    def is_query(self) -> bool:
        return self.head is None

    def atoms(self) -> tuple[Atom, ...]:
        """The head, if there is one, and the body."""
        return self.body if self.head is None else (self.head, *self.body)

    def variables(self) -> frozenset[Term]:
        terms = [self.constraint, *(argument for atom in self.atoms() for argument in atom.arguments)]
        return frozenset().union(*(free_variables(term) for term in terms))


@dataclass(frozen=True, slots=True, kw_only=True)
class HornSystem:
    """``functions`` are uninterpreted ones that the constraints use. ``expected`` is what the file says it should be:
    ``safe``, ``unsafe`` or None."""

    predicates: Mapping[str, Predicate]
    clauses: tuple[Clause, ...]
    functions: tuple[Function, ...] = ()
    expected: str | None = None

    def rules(self) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.head is not None)

    def queries(self) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.head is None)


@dataclass(frozen=True, slots=True)
class Relation:
    """The meaning of a predicate: ``formula`` over the (distinct) variables ``parameters``, one for each argument."""

    parameters: tuple[Term, ...]
    formula: Term


Interpretation: TypeAlias = Mapping[str, Relation]
"""A relation for each predicate, by name. What is missing is true of everything."""


@dataclass(frozen=True, slots=True)
class Step:
    """A fact, ``predicate`` of the ground terms ``arguments``, which clause number ``clause`` gives from the facts of
    the earlier steps ``premises``, one for each atom of its body, in order. ``predicate`` None is ``false``."""

    clause: int
    predicate: str | None
    arguments: tuple[Term, ...]
    premises: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """Steps, each after its premises; the last one derives ``false``. A fact may be used by several later steps."""

    steps: tuple[Step, ...]
