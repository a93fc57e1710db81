"""The formula of an unfolding, in a solver: one template per procedure and one per call, instantiated natively.

    control(root)
    control(n) => condition of n's procedure over n's own variables           for each instance n
    control(c) => control(n) and inputs(c) = inputs(n) and outputs(c) = outputs(n)   for each call c bound to n

These are the constraints of the DAG paper's Figure 8. An instance that no other call will ever share needs no variables
for its interface and no equations: what its only call passes is put in their place, which the solver rewards. Each
constraint holds whatever is decided later, so nothing is ever popped: open calls, bounds and partitions are assumptions
on control variables.

What conditions and calls say about background variables is left out until somebody asks to `complete` the instances on
a path: then it is added for these, and for the calls among them.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.inline.condition import CallSite, Condition
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding
from cleave.logic.terms import Term, conj_all, eq, implies, var
from cleave.logic.walk import free_variables, substitute
from cleave.records import dataclass
from cleave.smt.solver import Solver, Template


@dataclass(frozen=True, slots=True)
class _Link:
    """A call bound to an instance, as templates over ``variables`` of the caller and the callee's interface."""

    control: Term
    variables: tuple[Term, ...]
    now: Template
    later: Template | None


class Formula:
    """Asserts instances and calls in a solver, and knows each instance's variables there."""

    def __init__(self, solver: Solver, conditions: Conditions, axioms: Iterable[Term]) -> None:
        self._solver = solver
        self._conditions = conditions
        self._templates: dict[str, Template] = {}
        self._deferred: dict[str, Template] = {}
        self._links: dict[tuple[str, int], _Link] = {}
        self._complete: set[int] = set()  # the numbers of instances
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
        actuals = {condition.control: self._entering(mapping[site.control], instance)}
        for formal, actual in zip(condition.inputs, site.inputs, strict=True):
            actuals[formal] = substitute(actual, mapping, memo)
        for formal, actual in zip(condition.outputs, site.outputs, strict=True):
            actuals[formal] = mapping[actual]
        return actuals

    def _entering(self, control: Term, instance: Instance) -> Term:
        """What says that a call enters the instance that it is bound to, given that ``control`` says it is made."""
        return control

    def add_link(self, call: OpenCall, instance: Instance) -> None:
        """``call`` is bound to ``instance``."""
        if instance.private:
            return
        link = self._link(call.caller.condition, call.site)
        arguments = self._link_arguments(link, call.caller, instance)
        self._solver.instantiate(link.now, arguments)
        if link.later is not None and {call.caller.number, instance.number} <= self._complete:
            self._solver.instantiate(link.later, arguments)

    @property
    def completed(self) -> frozenset[int]:
        """The numbers of the instances about which nothing is left out."""
        return frozenset(self._complete)

    def complete(self, instances: Iterable[Instance]) -> bool:
        """Adds what was left out about ``instances`` and the calls among them; whether there was anything."""
        new = [instance for instance in dict.fromkeys(instances) if instance.number not in self._complete]
        self._complete.update(instance.number for instance in new)
        added = [self._add_deferred(instance) for instance in new]
        numbers = {instance.number for instance in new}
        for instance in new:
            for caller, index in instance.callers:
                if caller.number in self._complete:
                    added.append(self._add_deferred_link(caller, index, instance))
            for index, callee in enumerate(instance.callees):
                if callee is not None and callee.number in self._complete - numbers:
                    added.append(self._add_deferred_link(instance, index, callee))
        return any(added)

    def _add_deferred(self, instance: Instance) -> bool:
        condition = instance.condition
        if not condition.deferred:
            return False
        if condition.procedure not in self._deferred:
            self._deferred[condition.procedure] = self._solver.template(condition.variables, condition.deferred)
        self._solver.instantiate(self._deferred[condition.procedure], list(self._variables[instance.number].values()))
        return True

    def _add_deferred_link(self, caller: Instance, index: int, instance: Instance) -> bool:
        link = self._link(caller.condition, caller.condition.calls[index])
        if instance.private or link.later is None:
            return False
        self._solver.instantiate(link.later, self._link_arguments(link, caller, instance))
        return True

    def _link_arguments(self, link: _Link, caller: Instance, instance: Instance) -> list[Term]:
        condition = instance.condition
        actuals, formals = self._variables[caller.number], self._variables[instance.number]
        interface = (condition.control, *condition.inputs, *condition.outputs)
        own = (self._entering(actuals[v], instance) if v is link.control else actuals[v] for v in link.variables)
        return [*own, *(formals[v] for v in interface)]

    def _link(self, caller: Condition, site: CallSite) -> _Link:
        key = (caller.procedure, site.index)
        found = self._links.get(key)
        if found is None:
            found = self._links[key] = self._make_link(caller, site)
        return found

    def _make_link(self, caller: Condition, site: CallSite) -> _Link:
        callee = self._conditions[site.callee]
        # The callee's variables may have the names of the caller's.
        formals = {v: var(f"{v.value}@", v.sort) for v in (callee.control, *callee.inputs, *callee.outputs)}
        now: list[Term] = [formals[callee.control]]
        later: list[Term] = []
        for actual, formal in zip((*site.inputs, *site.outputs), (*callee.inputs, *callee.outputs), strict=True):
            (later if formal in callee.background else now).append(eq(actual, formals[formal]))
        links = [implies(site.control, conj_all(equations)) for equations in (now, later)]
        used = free_variables(*links)
        own = tuple(v for v in caller.variables if v in used)
        parameters = (*own, *formals.values())
        made = [self._solver.template(parameters, [link]) for link in links if not link.is_true]
        return _Link(site.control, own, made[0], made[1] if later else None)
