"""The common part of both encodings of schedules: a formula that every execution satisfies, and what is asked."""

from __future__ import annotations

from dataclasses import field

from cleave.logic.terms import FALSE, Term, conj, disj_all, implies, neg
from cleave.records import dataclass
from cleave.validate.proofs.schedules.code import Unfolding

Live = list[list[Term]]
"""By thread and event: the thread gets as far as that."""


@dataclass(slots=True)
class Formula:
    """``constraints`` hold in every execution. Then ``violation`` says that an assertion fails, or that a way is taken
    which was said to be impossible; ``cut`` that the bound on loops stops a thread."""

    constraints: list[Term] = field(default_factory=list)
    violation: Term = FALSE
    cut: Term = FALSE

    def conclude(self, unfolding: Unfolding, live: Live) -> None:
        violations, cuts = [], []
        for thread, lives in zip(unfolding.threads, live, strict=True):
            for event, is_live in zip(thread.events, lives, strict=True):
                for demand in event.demands:
                    self.constraints.append(implies(conj(is_live, demand.guard), demand.condition))
                violations += [conj(is_live, check.guard, neg(check.condition)) for check in event.checks]
                violations += [conj(is_live, guard) for guard in event.gaps]
                cuts += [conj(is_live, guard) for guard in event.cuts]
        self.violation, self.cut = disj_all(violations), disj_all(cuts)
        self.constraints = [constraint for constraint in self.constraints if not constraint.is_true]
