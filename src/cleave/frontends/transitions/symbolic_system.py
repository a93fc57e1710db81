"""Transition systems given by formulas, as Horn clauses with one predicate, the set of reachable states.

state(x) :- initial                   what holds at the start
state(next) :- state(x), step         one step; all other variables take any values
false :- state(x), bad                for each property
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.program import Location
from cleave.logic.terms import Function, Term
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Bad:
    """A condition that no reachable state may satisfy, and where it is written."""

    condition: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolicSystem:
    """``state`` are distinct variables; ``following`` are terms, for each of them its value after a step. Both may use
    further variables (inputs), which take any values in each step."""

    state: tuple[Term, ...]
    first: tuple[Term, ...]  # for each state variable its value at the start: itself if it is only restricted
    initial: Term
    following: tuple[Term, ...]
    step: Term
    bad: Sequence[Bad]
    functions: tuple[Function, ...] = ()
    expected: str | None = None
    location: Location | None = None
    name: str = "state"  # of the predicate

    def horn(self) -> HornSystem:
        """The clauses that say the same."""
        name = self.name
        here = Atom(name, self.state)
        rules = (
            Clause(Atom(name, self.first), (), self.initial, self.location),
            Clause(Atom(name, self.following), (here,), self.step, self.location),
        )
        queries = tuple(Clause(None, (here,), bad.condition, bad.location) for bad in self.bad)
        return HornSystem(
            predicates={name: Predicate(name, tuple(v.sort for v in self.state))},
            clauses=(*rules, *queries),
            functions=self.functions,
            expected=self.expected,
        )


@dataclass(frozen=True, slots=True)
class HardwareModel:
    """A model with its inputs in the order of the file. States that are ``free`` take any value after a step."""

    system: SymbolicSystem
    inputs: tuple[Term, ...]
    free: frozenset[Term] = frozenset()
