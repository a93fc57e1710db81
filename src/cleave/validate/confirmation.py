"""The result of a check in `validate`: one class for violations, proofs and clauses. And what a
solver says of one question of a check.

Confirmation(True, "invariant checked clause by clause by cvc5", by={"cvc5": 12})
rejected("the derivation does not end with false")
rejected("clause 3 could not be decided (timeout)", undecided=True)
Ruling(Answer.UNSAT, "cvc5")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from cleave.ir.horn import Interpretation
from cleave.records import dataclass
from cleave.smt.solver import Answer
from cleave.verdict import Trace

BY_VALUES = "evaluation"
"""Who confirms what needs no solver: constants that fold away, or the concrete evaluator."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """``text`` says on one line what was checked or, where that does not hold, why not.

    | field | meaning |
    | --- | --- |
    | ``by`` | how much of it each solver confirmed |
    | ``bounds`` | of a proof: those that it needs; none if it needs none |
    | ``undecided`` | nothing speaks against the finding, but nobody could confirm it |
    | ``stopped`` | undecided because the solver ran out of its limits |
    | ``trace`` | of a violation: its execution |
    | ``notes`` | what was taken for granted, or is good to know |
    | ``interpretation`` | of clauses: the one that was checked on the whole system, if there is such a one |
    | ``chosen`` | of a derivation: what it needs one particular meaning of; it proves nothing where any will do |
    | ``evidence`` | of a violation: all that decides its execution, as JSON; empty where that can't be written down |
    | ``clause`` | the number of the clause that the finding fails at, if it is one |
    """

    holds: bool
    text: str = ""
    by: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, int] = field(default_factory=dict)
    undecided: bool = False
    stopped: bool = False
    trace: Trace | None = None
    notes: tuple[str, ...] = ()
    interpretation: Interpretation | None = None
    chosen: str = ""
    clause: int | None = None
    evidence: str = ""

    @property
    def is_wrong(self) -> bool:
        """Something speaks against the finding, or the check itself is wrong."""
        return not self.holds and not self.undecided

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Ruling:
    """``by`` is who answered; ``reason`` is why nobody did; ``values`` are some of a model's, for people."""

    answer: Answer
    by: str
    reason: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def rejected(reason: str, *, undecided: bool = False, stopped: bool = False, clause: int | None = None) -> Confirmation:
    return Confirmation(False, reason, undecided=undecided, stopped=stopped, clause=clause)


def named(by: Mapping[str, int], thing: str) -> str:
    """Who confirmed, the one that did most first: ``by cvc5``, ``by cvc5, and Z3's SMT solver for 2 clauses``."""
    solvers = sorted((name for name in by if name != BY_VALUES), key=lambda name: -by[name])
    if not solvers:
        return f"by {BY_VALUES}"
    others = [f"{name} for {by[name]} {thing}{'s' if by[name] != 1 else ''}" for name in solvers[1:]]
    return f"by {', and '.join([solvers[0], *others])}"
