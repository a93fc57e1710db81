"""What the checks of evidence conclude: `Confirmed`, by whom, or `Rejected`, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cleave.ir.horn import Interpretation

BY_VALUES = "evaluation"
"""Who confirms what needs no solver: constants that fold away, or the concrete evaluator."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """``text`` says on one line what was checked, ``by`` how much of it each solver confirmed. ``interpretation`` is
    the one that was checked on the whole system, if there is such a one. ``chosen`` names what a derivation needs one
    particular meaning of: it derives ``false`` for that meaning, and proves nothing where any will do."""

    text: str
    by: Mapping[str, int] = field(default_factory=dict)
    interpretation: Interpretation | None = None
    chosen: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Rejected:
    """``undecided``: nothing speaks against the evidence, but no solver could confirm it in its time."""

    reason: str
    undecided: bool = False
    clause: int | None = None  # the number of the clause that it fails at, if it is one

    def __str__(self) -> str:
        return self.reason


def named(by: Mapping[str, int], thing: str) -> str:
    """Who confirmed, the one that did most first: ``by cvc5``, ``by cvc5, and Z3's SMT solver for 2 clauses``."""
    solvers = sorted((name for name in by if name != BY_VALUES), key=lambda name: -by[name])
    if not solvers:
        return f"by {BY_VALUES}"
    others = [f"{name} for {by[name]} {thing}{'s' if by[name] != 1 else ''}" for name in solvers[1:]]
    return f"by {', and '.join([solvers[0], *others])}"
