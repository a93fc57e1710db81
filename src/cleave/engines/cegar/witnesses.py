"""Ways to take a transition that a solver found, and which predicates hold before and after it.

    transition     x < 10; x := x + 1          found with x = 3
    before         x <= 5 holds, x = 0 does not
    after          x <= 3 does not hold

A witness refutes that a predicate follows from any abstract state that it belongs to. Predicates that are learned later
are looked up in the solver's model; or, by workers that were only told of it, in the values of its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from cleave.errors import UnsupportedError
from cleave.logic.sorts import BOOL, INT, REAL
from cleave.logic.terms import Term, value_of
from cleave.logic.walk import substitute
from cleave.smt.solver import Model

Truth: TypeAlias = Callable[[Term], bool | None]
"""Whether a formula holds; None: nobody knows."""


@dataclass(slots=True)
class Side:
    """What is known of the predicates before the transition, or after it: those that hold are among ``known``, too."""

    holding: int = 0
    known: int = 0


class Witness:
    """A predicate is looked up when it is first asked about."""

    def __init__(self, truth: Truth, before: Side, after: Side) -> None:
        self._truth = truth
        self.before = before
        self.after = after

    def belongs(self, bits: int, predicates: Sequence[Term]) -> bool:
        """Whether the predicates of ``bits`` hold before the transition."""
        if bits & self.before.known & ~self.before.holding:
            return False
        return all(self._holds(self.before, one, predicates) for one in members(bits & ~self.before.known))

    def refutes(self, one: int, predicates: Sequence[Term]) -> bool:
        """Whether a predicate does not hold after it."""
        if not self.after.known >> one & 1:
            self._holds(self.after, one, predicates)
        return not self.after.holding >> one & 1 and bool(self.after.known >> one & 1)

    def look_up(self, before: Sequence[Term], after: Sequence[Term]) -> None:
        """All of these predicates."""
        for side, predicates in ((self.before, before), (self.after, after)):
            for one in members(~side.known & (1 << len(predicates)) - 1):
                self._holds(side, one, predicates)

    def _holds(self, side: Side, one: int, predicates: Sequence[Term]) -> bool:
        found = self._truth(predicates[one])
        if found is not None:
            side.known |= 1 << one
            side.holding |= found << one
        return found is True


def members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def written(model: Model, variables: Sequence[Term]) -> tuple[str, ...]:
    """The values of ``variables``, if all of them are numbers or truths; else nothing."""
    if any(variable.sort not in (BOOL, INT, REAL) for variable in variables):
        return ()
    try:
        return tuple(str(Fraction(model.value(variable))) for variable in variables)
    except UnsupportedError:  # an irrational number
        return ()


def truth_by(variables: Sequence[Term], values: Sequence[str]) -> Truth:
    """By values that were written down, if there are any. They are read when first needed, which is often never."""
    known: dict[Term, Term] = {}

    def truth(formula: Term) -> bool | None:
        if not values:
            return None
        if not known:
            known.update(zip(variables, map(_read, variables, values), strict=True))
        found = substitute(formula, known)
        return bool(found.value) if found.is_value else None

    return truth


def _read(variable: Term, value: str) -> Term:
    return value_of(Fraction(value) if variable.sort is REAL else int(value), variable.sort)
