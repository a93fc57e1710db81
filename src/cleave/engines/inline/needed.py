"""Which instances of a finished search its proof needs, found by one more refutation with an assumption for each.

    needed_instances(unfolding, formula, blocked, solver, cost_limit=2_000_000)     # frozenset({0, 3, 7}), or None

The formula is the search's, but a call behaves like its instance only if the instance's *guard* is assumed. The core
names the guards that the refutation used. Calls of the other instances may stay open, which allows more executions than
the program has. Nothing here is trusted: `validate` checks the part that is left as it checks a whole unfolding.

To have these assumptions during the search would make the search dearer (docs/lab/inline.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.inline.formula import Formula
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj, neg, var
from cleave.smt.solver import Answer, Solver


class GuardedFormula(Formula):
    """A formula in which a call enters its instance only if the instance's guard is true."""

    def _entering(self, control: Term, instance: Instance) -> Term:
        return conj(_guard(instance.number), control)


def needed_instances(
    unfolding: Unfolding,
    formula: GuardedFormula,
    complete: Iterable[int],
    blocked: Iterable[OpenCall],
    solver: Solver,
    cost_limit: int,
) -> frozenset[int] | None:
    """The numbers of the instances that refute the unfolding, in which ``blocked`` calls are not made, and those that
    are ``complete`` have their background; None if the solver does not refute it within the limit."""
    formula.add_root(unfolding)
    for instance in unfolding.instances[1:]:
        formula.add_instance(instance)
    for instance in unfolding.instances:
        for index, callee in enumerate(instance.callees):
            if callee is not None:
                formula.add_link(unfolding.open_call(instance, index), callee)
    formula.complete(unfolding.instances[number] for number in complete)
    guards = [_guard(instance.number) for instance in unfolding.instances[1:]]
    not_made = dict.fromkeys(neg(formula.control(call)) for call in blocked)
    if solver.check([*guards, *not_made], cost_limit=cost_limit) is not Answer.UNSAT:
        return None
    core = set(solver.core())
    return _reached(unfolding, {number for number, guard in enumerate(guards, start=1) if guard in core})


def _reached(unfolding: Unfolding, wanted: set[int]) -> frozenset[int]:
    """The wanted instances to which calls of others lead, from the entry on."""
    found = {unfolding.root.number}
    pending = [unfolding.root]
    while pending:
        for callee in pending.pop().callees:
            if callee is not None and callee.number in wanted and callee.number not in found:
                found.add(callee.number)
                pending.append(callee)
    return frozenset(found)


def _guard(number: int) -> Term:
    return var(f"guard~{number}", BOOL)
