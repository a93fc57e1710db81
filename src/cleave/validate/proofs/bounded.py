"""Confirms that no schedule violates anything, as far as that can be done with code that the engine does not use.

For a small program all interleavings are tried on the concrete machine, whatever the bound on loops. Otherwise the
formula that one solver refuted is given to another one (`second_solver`): that checks the solver, and not how the
formula was made.
"""

from __future__ import annotations

from dataclasses import dataclass

from cleave.errors import UnsupportedError
from cleave.ir.program import Program
from cleave.validate.proofs.interleavings import TooLargeError, explore


@dataclass(frozen=True, slots=True)
class Tried:
    """No interleaving within the number of contexts violates anything; ``complete``: none at all."""

    states: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Contradicted:
    """An interleaving of so many contexts violates the property. With a bound on loops that may be beyond it."""

    contexts: int


def try_interleavings(program: Program, entry: str, contexts: int | None, states: int) -> Tried | Contradicted | None:
    """None: there are too many, or values that can't be tried."""
    try:
        found = explore(program, entry, most=contexts, states=states)
    except (TooLargeError, UnsupportedError):
        return None
    if found.contexts is not None:
        return Contradicted(found.contexts)
    return Tried(found.states, found.complete)
