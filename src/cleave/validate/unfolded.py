"""Checks a proof by inlining with code of its own: the unfolding's shape, its bounds, and its formula.

A proof names the instances of an unfolding and what each call is bound to. It is accepted if

1. every call is bound to an instance of its callee, and the instances form a DAG from the entry;
2. no execution can pass one instance twice (the DAG paper's Algorithm 1, on the whole DAG);
3. a call that is blocked by the bound is deeper than the bound on every way to it;
4. the formula that says "some execution reaches the end of the entry" is unsatisfiable, where bound calls behave like
   their instance, open calls like anything, and blocked calls are never made.

The formula is not the engine's: it follows executions forwards, each block's reach condition being the disjunction of
its incoming edges, with an explicit choice at each branch and if-then-else at each join. It goes to a solver with other
options than the engine's.
"""

from __future__ import annotations

from dataclasses import dataclass

from cleave.ir.program import Program
from cleave.logic.terms import Term, eq, implies, neg, var
from cleave.passes.effects import effects
from cleave.smt.solver import Answer, Solver, Template
from cleave.validate.forwards import Body, CallPlace, body_of


@dataclass(frozen=True, slots=True)
class UnfoldedInstance:
    """``callees`` gives the instance's number for each bound call: (block, which call in that block)."""

    procedure: str
    callees: dict[CallPlace, int]


@dataclass(frozen=True, slots=True)
class UnfoldedProof:
    """``instances[0]`` is the entry. ``bound`` is the recursion bound that took part, None if none did."""

    instances: tuple[UnfoldedInstance, ...]
    bound: int | None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a proof was not accepted. ``undecided``: the solver ran out of its limits, nothing was found wrong."""

    reason: str
    undecided: bool = False


def check_unfolded(
    program: Program, entry: str, proof: UnfoldedProof, solver: Solver, *, seconds: float = 0.0
) -> Rejected | None:
    """None if ``proof`` shows that ``entry`` of the prepared ``program`` can't reach its end (within the bound)."""
    return _Check(program, entry, proof).run(solver, seconds)


class _Check:
    def __init__(self, program: Program, entry: str, proof: UnfoldedProof) -> None:
        self._program = program
        self._entry = entry
        self._instances = proof.instances
        self._bound = proof.bound
        touched = effects(program)
        self._bodies: dict[str, Body] = {
            name: body_of(program.procedures[name], program, touched)
            for name in dict.fromkeys(i.procedure for i in proof.instances)
            if name in program.procedures
        }

    def run(self, solver: Solver, seconds: float) -> Rejected | None:
        order = self._order()
        if isinstance(order, Rejected):
            return order
        return self._inconsistent(order) or self._satisfiable(order, solver, seconds)

    # --- shape ------------------------------------------------------------------------------------------------------

    def _order(self) -> list[int] | Rejected:
        """The instances, callers first."""
        if not self._instances or self._instances[0].procedure != self._entry:
            return Rejected("the first instance is not the entry procedure")
        for number, instance in enumerate(self._instances):
            body = self._bodies.get(instance.procedure)
            if body is None:
                return Rejected(f"instance {number} is of no procedure of the program")
            for place, callee in instance.callees.items():
                if place not in body.calls:
                    return Rejected(f"instance {number} binds a call that {instance.procedure} does not make")
                if not 0 < callee < len(self._instances):
                    return Rejected(f"instance {number} binds a call to an instance that does not exist")
                if self._instances[callee].procedure != body.calls[place].callee:
                    return Rejected(f"instance {number} binds a call to an instance of another procedure")
        return self._topological()

    def _topological(self) -> list[int] | Rejected:
        waiting = [0] * len(self._instances)
        for instance in self._instances:
            for callee in instance.callees.values():
                waiting[callee] += 1
        ready = [number for number, count in enumerate(waiting) if not count]
        order: list[int] = []
        while ready:
            number = ready.pop()
            order.append(number)
            for callee in self._instances[number].callees.values():
                waiting[callee] -= 1
                if not waiting[callee]:
                    ready.append(callee)
        return order if len(order) == len(self._instances) else Rejected("the instances form a cycle")

    def _inconsistent(self, order: list[int]) -> Rejected | None:
        """Two calls of one instance that an execution may both make must not share a descendant."""
        below = [1 << number for number in range(len(self._instances))]
        for number in reversed(order):
            instance = self._instances[number]
            body = self._bodies[instance.procedure]
            places = list(instance.callees)
            for index, place in enumerate(places):
                shared = below[instance.callees[place]]
                for other in places[:index]:
                    if shared & below[instance.callees[other]] and not body.exclude_each_other(place, other):
                        return Rejected(f"an execution may pass an instance twice below {instance.procedure}")
            for callee in instance.callees.values():
                below[number] |= below[callee]
        return None

    # --- formula ----------------------------------------------------------------------------------------------------

    def _satisfiable(self, order: list[int], solver: Solver, seconds: float) -> Rejected | None:
        for axiom in self._program.axioms:
            solver.add(axiom)
        templates: dict[str, Template] = {}
        depths = self._depths(order)
        for number, instance in enumerate(self._instances):
            body = self._bodies[instance.procedure]
            if body.name not in templates:
                templates[body.name] = solver.template(body.variables, body.formulas)
            solver.instantiate(templates[body.name], [_own(v, number) for v in body.variables])
            self._add_calls(number, instance, body, depths, solver)
        root = self._bodies[self._entry]
        solver.add(_own(root.entered, 0))
        answer = solver.check(seconds=seconds)
        if answer is Answer.UNSAT:
            return None
        if answer is Answer.UNKNOWN and not solver.reason_unknown().startswith(("quantifiers", "incomplete")):
            return Rejected(f"the check of the proof's formula stopped: {solver.reason_unknown()}", undecided=True)
        return Rejected("the proof's formula is satisfiable", undecided=answer is Answer.UNKNOWN)

    def _add_calls(
        self, number: int, instance: UnfoldedInstance, body: Body, depths: list[dict[str, int]], solver: Solver
    ) -> None:
        for place, call in body.calls.items():
            made = _own(call.made, number)
            callee_number = instance.callees.get(place)
            if callee_number is None:
                if self._is_blocked(call.callee, depths[number]):
                    solver.add(neg(made))
                continue
            callee = self._bodies[call.callee]
            formals = (callee.entered, *callee.inputs, *callee.outputs)
            actuals = (call.made, *call.inputs, *call.outputs)
            for formal, actual in zip(formals, actuals, strict=True):
                solver.add(implies(made, eq(_own(formal, callee_number), _own(actual, number))))

    def _is_blocked(self, callee: str, depths: dict[str, int]) -> bool:
        if self._bound is None:
            return False
        extra = self._program.procedures[callee].extra_recursion
        return depths.get(callee, 0) + 1 > self._bound + extra

    def _depths(self, order: list[int]) -> list[dict[str, int]]:
        """For each instance, how many instances of each procedure are on the way to it, itself included; the least
        number where there are several ways."""
        depths: list[dict[str, int]] = [{} for _ in self._instances]
        reached = [False] * len(self._instances)
        reached[0] = True
        for number in order:
            own = depths[number]
            procedure = self._instances[number].procedure
            own[procedure] = own.get(procedure, 0) + 1
            for callee in self._instances[number].callees.values():
                if not reached[callee]:
                    reached[callee] = True
                    depths[callee] = dict(own)
                else:
                    found = depths[callee]
                    depths[callee] = {name: min(count, own.get(name, 0)) for name, count in found.items()}
        return depths


def _own(variable: Term, number: int) -> Term:
    return var(f"{variable.name}@{number}", variable.sort)


__all__ = ["CallPlace", "Rejected", "UnfoldedInstance", "UnfoldedProof", "check_unfolded"]
