"""The formula of an unfolding, in a solver: one template per procedure and one per call, instantiated natively.

    control(root)
    control(n) => condition of n's procedure over n's own variables           for each instance n
    control(c) => control(n) and inputs(c) = inputs(n) and outputs(c) = outputs(n)   for each call c bound to n

These are the constraints of the DAG paper's Figure 8. An instance that no other call will ever share needs no variables
for its interface and no equations: what its only call passes is put in their place, which the solver rewards. Each
constraint holds whatever is decided later, so nothing is ever popped: open calls, bounds and partitions are assumptions
on control variables.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.inline.condition import CallSite, Condition, Conditions
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding
from cleave.logic.terms import Term, conj_all, eq, implies, var
from cleave.logic.walk import free_variables, substitute
from cleave.smt.solver import Solver, Template


class Formula:
    """Asserts instances and calls in a solver, and knows each instance's variables there."""

    def __init__(self, solver: Solver, conditions: Conditions, axioms: Iterable[Term]) -> None:
        self._solver = solver
        self._conditions = conditions
        self._templates: dict[str, Template] = {}
        self._links: dict[tuple[str, int], tuple[Template, tuple[Term, ...]]] = {}
        self._variables: list[dict[Term, Term]] = []  # by instance number: of the condition -> of the instance
        for axiom in axioms:
            solver.add(axiom)

    def add_root(self, unfolding: Unfolding) -> None:
        self.add_instance(unfolding.root)
        self._solver.add(self.term(unfolding.root, unfolding.root.condition.control))

    def term(self, instance: Instance, variable: Term) -> Term:
        """The variable of ``instance`` for a variable of its condition."""
        return self._variables[instance.number][variable]

    def control(self, call: OpenCall) -> Term:
        """True in executions that make the call."""
        return self._variables[call.caller.number][call.site.control]

    def add_instance(self, instance: Instance) -> None:
        assert instance.number == len(self._variables), "instances are added in the order of their numbers"
        condition = instance.condition
        fresh = {v: var(f"{v.value}@{instance.number}", v.sort) for v in condition.variables}
        if instance.private and instance.callers:
            fresh |= self._actuals(instance)
        self._variables.append(fresh)
        template = self._templates.get(condition.procedure)
        if template is None:
            template = self._solver.template(condition.variables, condition.formulas)
            self._templates[condition.procedure] = template
        self._solver.instantiate(template, list(fresh.values()))

    def _actuals(self, instance: Instance) -> dict[Term, Term]:
        """What a private instance has in place of its interface: the call's own control, inputs and outputs."""
        caller, index = instance.callers[0]
        site, condition, mapping = caller.condition.calls[index], instance.condition, self._variables[caller.number]
        memo: dict[Term, Term] = {}
        actuals = {condition.control: mapping[site.control]}
        for formal, actual in zip(condition.inputs, site.inputs, strict=True):
            actuals[formal] = substitute(actual, mapping, memo)
        for formal, actual in zip(condition.outputs, site.outputs, strict=True):
            actuals[formal] = mapping[actual]
        return actuals

    def add_link(self, call: OpenCall, instance: Instance) -> None:
        """``call`` is bound to ``instance``."""
        if instance.private:
            return
        template, caller_variables = self._link(call)
        condition = instance.condition
        caller, callee = self._variables[call.caller.number], self._variables[instance.number]
        formals = (condition.control, *condition.inputs, *condition.outputs)
        self._solver.instantiate(template, [*(caller[v] for v in caller_variables), *(callee[v] for v in formals)])

    def _link(self, call: OpenCall) -> tuple[Template, tuple[Term, ...]]:
        key = (call.caller.condition.procedure, call.site.index)
        found = self._links.get(key)
        if found is None:
            found = self._links[key] = self._make_link(call.caller.condition, call.site)
        return found

    def _make_link(self, caller: Condition, site: CallSite) -> tuple[Template, tuple[Term, ...]]:
        callee = self._conditions[site.callee]
        # The callee's variables may have the names of the caller's.
        formals = {v: var(f"{v.value}@", v.sort) for v in (callee.control, *callee.inputs, *callee.outputs)}
        actuals = (*site.inputs, *site.outputs)
        equations = (eq(a, formals[f]) for a, f in zip(actuals, (*callee.inputs, *callee.outputs), strict=True))
        link = implies(site.control, conj_all((formals[callee.control], *equations)))
        used = free_variables(link)
        own = tuple(v for v in caller.variables if v in used)
        return self._solver.template((*own, *formals.values()), [link]), own
