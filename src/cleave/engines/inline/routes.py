"""Must-reach: constraints that make every execution pass a chosen instance (HYDRA, section III-A).

For each ancestor ``k`` of the instance, each of its blocks ``l`` gets a Boolean ``r_l``, "the route passes l", and each
edge into a block with several predecessors one of its own:

    r_l        =>  some edge of the route leads to l       (for the first block: the route enters k)
    edge p->l  =>  r_p and the edge is taken
    at most one edge of the route leaves a block
    the route enters n  =>  r_l in k, for some call in block l of k that is bound to n

The paper makes routes unique by the control-flow function; here a model may have several edges true, so the route picks
one of them, and `trace` follows it. Nothing here is false for an execution that passes no chosen instance: routes are
asserted for good, and "must reach n" is one assumption.
"""

from __future__ import annotations

from itertools import combinations

from cleave.engines.inline.condition import Condition
from cleave.engines.inline.formula import Formula
from cleave.engines.inline.unfolding import Instance, Unfolding
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj, disj, disj_all, implies, neg, var
from cleave.smt.solver import Solver


class Routes:
    """The routes of one unfolding, in its solver."""

    def __init__(self, solver: Solver, unfolding: Unfolding, formula: Formula) -> None:
        self._solver = solver
        self._unfolding = unfolding
        self._formula = formula
        self._entered: dict[int, Term] = {}  # by instance number
        self._edges: dict[tuple[int, str], tuple[Term, ...]] = {}  # by instance number and block

    def to(self, instance: Instance) -> Term:
        """The assumption that executions pass ``instance``, which is frozen."""
        for ancestor in self._unfolding.ancestors(instance):
            if ancestor.number not in self._entered:
                self._enter(ancestor)
        return self._entered[instance.number]

    def edges(self, instance: Instance, block: str) -> tuple[Term, ...]:
        """For each edge out of ``block``, the Boolean that says that a route takes it; empty where none can."""
        return self._edges.get((instance.number, block), ())

    def _enter(self, instance: Instance) -> None:
        entered = self._entered[instance.number] = var(f"route@{instance.number}", BOOL)
        if instance.callers:
            ways = [self._block(caller, caller.condition.calls[index].block) for caller, index in instance.callers]
            self._solver.add(implies(entered, disj_all(ways)))

    def _block(self, instance: Instance, label: str) -> Term:
        """The Boolean of a block, with the routes through its procedure."""
        if (instance.number, instance.condition.entry) not in self._edges:
            self._add_body(instance, instance.condition)
        return _passes(instance, label)

    def _add_body(self, instance: Instance, condition: Condition) -> None:
        incoming: dict[str, list[tuple[str, Term]]] = {label: [] for label in condition.controls}
        for source, edges in condition.edges.items():
            for target, taken in edges:
                incoming[target].append((source, self._formula.term(instance, taken)))
        ways: dict[str, list[Term]] = {label: [] for label in condition.controls}
        for target, sources in incoming.items():
            for number, (source, taken) in enumerate(sources):
                alone = len(sources) == 1
                way = _passes(instance, target) if alone else var(f"route {number} to {target}@{instance.number}", BOOL)
                ways[target].append(way)
                self._solver.add(implies(way, conj(_passes(instance, source), taken)))
            if len(sources) > 1:
                self._solver.add(implies(_passes(instance, target), disj_all(ways[target])))
        self._solver.add(implies(_passes(instance, condition.entry), self._entered[instance.number]))
        remaining = {label: iter(found) for label, found in ways.items()}
        for source, edges in condition.edges.items():
            leaving = tuple(next(remaining[target]) for target, _ in edges)
            self._edges[instance.number, source] = leaving
            for one, other in combinations(leaving, 2):
                self._solver.add(disj(neg(one), neg(other)))


def _passes(instance: Instance, label: str) -> Term:
    return var(f"route through {label}@{instance.number}", BOOL)
