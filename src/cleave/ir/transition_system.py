"""Transition systems with control locations: what `cegar` explores.

    locations
      0 start
      1 error
      2 loop(x: int)
    transitions
      0 start -> loop: assume true; x := 0
      1 loop -> loop: assume x < 10; x := x + 1
      2 loop -> error: assume x > 10

A state is a location and a value for each of its variables. A transition can be taken where its guard holds; the
variables of the guard and of the updates that are none of its source's are inputs, which take any values each time. The
system is *safe* if no computation that begins at ``start`` gets to ``error``.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.errors import InternalError
from cleave.ir.program import Location
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term
from cleave.logic.walk import free_variables
from cleave.records import dataclass

START, ERROR = 0, 1
"""The numbers of the first and of the erroneous location, neither of which has variables."""


@dataclass(frozen=True, slots=True)
class ControlLocation:
    """``variables`` are distinct; other locations may use the same ones."""

    name: str
    variables: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Transition:
    """From location ``source`` to ``target``, by number; ``updates`` has a term for each variable of ``target``."""

    source: int
    target: int
    guard: Term
    updates: tuple[Term, ...] = ()
    location: Location | None = None

    def terms(self) -> tuple[Term, ...]:
        return (self.guard, *self.updates)


@dataclass(frozen=True, slots=True)
class TransitionSystem:
    """The order of ``transitions`` is the one that counterexamples are compared by."""

    locations: tuple[ControlLocation, ...]
    transitions: tuple[Transition, ...]

    def inputs(self, transition: Transition) -> tuple[Term, ...]:
        """What takes any value when it is taken, in the order of their names."""
        used = frozenset().union(*(free_variables(term) for term in transition.terms()))
        own = used.difference(self.locations[transition.source].variables)
        return tuple(sorted(own, key=lambda variable: variable.name))


def check_system(system: TransitionSystem) -> None:
    """Raises `InternalError` if the system is not well formed."""
    for number in (START, ERROR):
        if system.locations[number].variables:
            raise InternalError(f"location {system.locations[number].name} can't have variables")
    for location in system.locations:
        if len(set(location.variables)) != len(location.variables):
            raise InternalError(f"the variables of location {location.name} are not distinct")
    for number, transition in enumerate(system.transitions):
        if transition.guard.sort is not BOOL:
            raise InternalError(f"the guard of transition {number} is no formula")
        sorts = [variable.sort for variable in system.locations[transition.target].variables]
        if [term.sort for term in transition.updates] != sorts:
            raise InternalError(f"the updates of transition {number} don't fit its target")


def print_system(system: TransitionSystem) -> str:
    """The text form, for people and for tests."""
    return "\n".join(_lines(system)) + "\n"


def _lines(system: TransitionSystem) -> Iterator[str]:
    yield "locations"
    for number, location in enumerate(system.locations):
        variables = ", ".join(f"{variable.name}: {variable.sort}" for variable in location.variables)
        yield f"  {number} {location.name}" + (f"({variables})" if variables else "")
    yield "transitions"
    for number, transition in enumerate(system.transitions):
        source, target = system.locations[transition.source], system.locations[transition.target]
        updates = [f"{v.name} := {term}" for v, term in zip(target.variables, transition.updates, strict=True)]
        yield f"  {number} {source.name} -> {target.name}: " + "; ".join([f"assume {transition.guard}", *updates])
