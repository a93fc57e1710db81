"""Parts of the search: executions that take certain branches, and others not.

    ""         all executions
    "01"       those that don't take the first chosen branch, and take the second

A part is split on the branch, among the first ones that its facts leave open, whose larger half is the smallest formula
(constants decide what a half leaves out). The choice depends on the program, its bounds and the facts only, so that
every worker chooses the same; the name of a part is its path in the tree of splits.
"""

from __future__ import annotations

from dataclasses import field

from cleave.engines.bmc.formula import formula_of, only_thread
from cleave.engines.unfolding.code import Branch
from cleave.engines.unfolding.instances import Unfolded
from cleave.logic.terms import FALSE, TRUE, Term, neg
from cleave.logic.walk import postorder, substitute
from cleave.records import dataclass

_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the ``number``-th choice of the unfolded program goes the first way, which is to ``label``."""

    number: int
    label: str
    condition: Term

    @property
    def meaning(self) -> bytes:
        """What the coverage check knows it by."""
        return f"choice {self.number} is {self.label}".encode()

    def fact(self, taken: bool) -> Term:
        return self.condition if taken else neg(self.condition)


@dataclass(slots=True)
class Partitions:
    """Of one unfolding. What was chosen is kept."""

    unfolded: Unfolded
    _chosen: dict[str, Decision | None] = field(default_factory=dict)

    def decision(self, name: str) -> Decision | None:
        """That splits the part; None if there is nothing to decide."""
        if name not in self._chosen:
            self._chosen[name] = self._choose(name)
        return self._chosen[name]

    def decided(self, name: str) -> list[tuple[Decision, bool]]:
        """From the whole search down to the part."""
        found = []
        for place, bit in enumerate(name):
            decision = self.decision(name[:place])
            assert decision is not None, "a part is split only where there is something to decide"
            found.append((decision, bit == "1"))
        return found

    def facts(self, name: str) -> list[Term]:
        return [decision.fact(taken) for decision, taken in self.decided(name)]

    def path(self, name: str) -> tuple[tuple[bytes, bool], ...]:
        return tuple((decision.meaning, taken) for decision, taken in self.decided(name))

    def _choose(self, name: str) -> Decision | None:
        known: dict[Term, Term] = {}
        for decision, taken in self.decided(name):
            known[decision.condition] = TRUE if taken else FALSE
        whole = substitute(formula_of(self.unfolded).violation, known)
        inside = set(postorder((whole,)))
        open_ones: list[Decision] = []
        for number, choice in enumerate(only_thread(self.unfolded).choices):
            if isinstance(choice, Branch) and len(choice.ways) > 1 and len(open_ones) < _CANDIDATES:
                condition, label = choice.ways[0]
                seen = any(one.condition is condition for one in open_ones)
                if condition in inside and not condition.is_value and not seen:
                    open_ones.append(Decision(number, label, condition))
        return min(open_ones, key=lambda one: (_larger_half(whole, one.condition), one.number), default=None)


def _larger_half(formula: Term, condition: Term) -> int:
    halves = (substitute(formula, {condition: value}) for value in (TRUE, FALSE))
    return max(sum(1 for _ in postorder((half,))) for half in halves)
