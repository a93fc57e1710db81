"""An unfolded sequential program as a formula.

    violations    for each check, in the order of the program: the way leads to it, and its condition is false
    violation     some check fails
    cuts          by the name of a bound: the way leads to where the program continues beyond it

A program whose checks were decided by constants has the violation ``false``. Values that no check and no cut depends on
are in no formula."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.unfolding.code import ThreadCode
from cleave.engines.unfolding.instances import Unfolded
from cleave.logic.terms import FALSE, Term, conj, disj_all, neg
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Formula:
    violations: tuple[Term, ...]
    cuts: dict[str, Term]

    @property
    def violation(self) -> Term:
        return disj_all(self.violations)

    @property
    def cut(self) -> Term:
        return disj_all(self.cuts.values())

    def terms(self) -> Iterable[Term]:
        return (self.violation, *self.cuts.values())


def formula_of(unfolded: Unfolded) -> Formula:
    thread = only_thread(unfolded)
    guards: dict[str, list[Term]] = {}
    for cut in thread.cuts:
        guards.setdefault(cut.bound, []).append(cut.guard)
    violations = (conj(check.guard, neg(check.condition)) for check in thread.checks)
    return Formula(
        tuple(one for one in violations if one is not FALSE), {name: disj_all(own) for name, own in guards.items()}
    )


def only_thread(unfolded: Unfolded) -> ThreadCode:
    (thread,) = unfolded.threads
    return thread
