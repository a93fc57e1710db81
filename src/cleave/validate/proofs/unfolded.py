"""Checks a proof by inlining with code of its own: the unfolding's shape, its bounds, its decisions, and its formula.

A proof names the instances of an unfolding and what each call is bound to; the proof of a *partition* (HYDRA, section
III) is about the executions that pass some of the instances and avoid others. It is accepted if

1. the unfolding has the shape that `unfolded_shape` demands;
2. the formula that says "some such execution reaches the end of the entry" is unsatisfiable, where bound calls behave
   like their instance, open calls like anything, and calls that are deeper than the bound on every way to them are
   never made.

The formula is not the engine's: it follows executions forwards, each block's reach condition being the disjunction of
its incoming edges, with an explicit choice at each branch and if-then-else at each join. It goes to another solver
than the engine's, which has learned nothing.

    checker = PartitionChecker(program, "main", solver)
    checker.check(UnfoldedProof(instances, bound=1, decisions=(Decision(3, reach=False),)))     # a Confirmation
    checker.check(UnfoldedProof(more_instances, bound=2, decisions=(Decision(3, reach=True),)))

An unfolding only grows, so what was asserted stays true: an instance's body, and ``call made => it behaves like its
instance``. What differs from proof to proof, the bound and the decisions, are assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cleave.ir.program import Program
from cleave.ir.unfolded import CallPlace, Decision, UnfoldedProof
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Term, conj, disj_all, eq, implies, neg, var
from cleave.smt.solver import Answer, Solver, Template
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.unfolded_shape import Binding, Shape


def check_unfolded(
    program: Program, entry: str, proof: UnfoldedProof, solver: Solver, *, cost_limit: int = 0
) -> Confirmation:
    """Whether ``proof`` shows that ``entry`` of the prepared ``program`` can't reach its end (within the bound, in the
    executions that the decisions leave)."""
    return PartitionChecker(program, entry, solver).check(proof, cost_limit=cost_limit)


class PartitionChecker:
    """Checks the proofs of one growing unfolding, at a cost proportional to what is new in each.

    A proof that is not an extension of the ones before is rejected, and after an unfolding of a wrong shape all are.
    """

    def __init__(self, program: Program, entry: str, solver: Solver) -> None:
        self._shape = Shape(program, entry)
        self._solver = solver
        self._templates: dict[str, Template] = {}
        self._links: dict[tuple[str, CallPlace], Template] = {}
        self._passing = _Passing(self._shape, solver)
        for axiom in program.axioms:
            solver.add(axiom)

    def check(self, proof: UnfoldedProof, *, seconds: float = 0.0, cost_limit: int = 0) -> Confirmation:
        wrong = self.grow(proof) or self._wrong_decision(proof.decisions)
        if wrong is not None:
            return wrong
        assumptions = list(dict.fromkeys((*self._decided(proof.decisions), *self._blocked(proof.bound))))
        return self._judge(self._solver.check(assumptions, seconds=seconds, cost_limit=cost_limit))

    def grow(self, proof: UnfoldedProof) -> Confirmation | None:
        """Takes over what is new in the proof's unfolding, as `check` does first, and decides nothing."""
        growth = self._shape.grow(proof.instances)
        if isinstance(growth, Confirmation):
            return growth
        entering = {b.callee: b for b in growth.bindings if self._shape.exclusive[b.callee]}
        for number in growth.instances:
            self._add_body(number, entering.pop(number, None))
        for binding in growth.bindings:
            if not self._shape.exclusive[binding.callee] or binding.callee in entering:
                self._add_link(binding)
        return None

    def meaning(self, instance: int) -> bytes:
        """What a decision on the instance says, for those who number instances differently: see `Shape.meaning`.

        The two sides of a split fit together only if the instance means the same in both of their proofs.
        """
        return self._shape.meaning(instance)

    def _wrong_decision(self, decisions: Iterable[Decision]) -> Confirmation | None:
        for decision in decisions:
            if not 0 <= decision.instance < len(self._shape):
                return rejected(f"a decision is on instance {decision.instance}, which does not exist")
            if not decision.instance and not decision.reach:
                return rejected("a decision is to avoid the entry")
        return None

    def _judge(self, answer: Answer) -> Confirmation:
        if answer is Answer.UNSAT:
            return Confirmation(True, "proof checked by another encoding")
        reason = self._solver.reason_unknown()
        if answer is Answer.UNKNOWN and not reason.startswith(("quantifiers", "incomplete")):
            return rejected(f"the check of the proof's formula stopped: {reason}", undecided=True, stopped=True)
        return rejected("the proof's formula is satisfiable", undecided=answer is Answer.UNKNOWN)

    def _add_body(self, number: int, only: Binding | None) -> None:
        """The only call that ever enters an instance, if it is known, needs no equations: what it passes is in place of
        the instance's interface."""
        body = self._shape.body(number)
        if body.name not in self._templates:
            self._templates[body.name] = self._solver.template(body.variables, body.formulas)
        passed: dict[Term, Term] = {}
        if only is not None:
            call = self._shape.body(only.caller).calls[only.place]
            actuals = (_own(actual, only.caller) for actual in (call.made, *call.inputs, *call.outputs))
            passed = dict(zip((body.entered, *body.inputs, *body.outputs), actuals, strict=True))
        arguments = [passed.get(v) or _own(v, number) for v in body.variables]
        self._solver.instantiate(self._templates[body.name], arguments)
        if not number:
            self._solver.add(_own(body.entered, number))

    def _add_link(self, binding: Binding) -> None:
        caller, callee = self._shape.body(binding.caller), self._shape.body(binding.callee)
        call = caller.calls[binding.place]
        formals = (callee.entered, *callee.inputs, *callee.outputs)
        actuals = (call.made, *call.inputs, *call.outputs)
        # The callee's variables may have the names of the caller's.
        renamed = tuple(var(f"{formal.name}@", formal.sort) for formal in formals)
        template = self._links.get((caller.name, binding.place))
        if template is None:
            equations = [implies(call.made, eq(f, a)) for f, a in zip(renamed, actuals, strict=True)]
            template = self._links[caller.name, binding.place] = self._solver.template((*actuals, *renamed), equations)
        own = (_own(actual, binding.caller) for actual in actuals)
        self._solver.instantiate(template, [*own, *(_own(formal, binding.callee) for formal in formals)])

    def _decided(self, decisions: Iterable[Decision]) -> Iterator[Term]:
        for decision in decisions:
            if decision.reach:
                yield from self._passing.assumptions(decision.instance)
            else:
                yield from (neg(_made(self._shape, b)) for b in self._shape.bindings_to[decision.instance])

    def _blocked(self, bound: int | None) -> Iterator[Term]:
        if bound is not None:
            yield from (neg(_own(call.made, number)) for number, call in self._shape.too_deep(bound))


class _Passing:
    """Says that the execution passes an instance; what is asserted for it stays true when more calls are bound.

    ``entered`` does not say it: nothing forbids that the solver enters an instance that no call enters. With the calls
    that are bound to ``n`` coming one after the other,

        passes(n)     =>  (call 1 is made and passes(its caller)) or ... or others(n, 2)
        others(n, 2)  =>  (call 3 is made and passes(its caller)) or ... or others(n, 5)

    and the assumptions are that the last ``others`` of the instance, and of each above it, is false.
    """

    def __init__(self, shape: Shape, solver: Solver) -> None:
        self._shape = shape
        self._solver = solver
        self._stated: dict[int, int] = {}  # by instance: of how many calls to it the solver knows

    def assumptions(self, number: int) -> Iterator[Term]:
        for ancestor in self._shape.ancestors(number):
            if ancestor:
                yield neg(self._last_others(ancestor))
        if number:
            yield _passes(number)

    def _last_others(self, number: int) -> Term:
        bindings = self._shape.bindings_to[number]
        last = _others(number, len(bindings))
        stated = self._stated.get(number)
        if stated != len(bindings):
            claim = _passes(number) if stated is None else _others(number, stated)
            ways = [self._way(binding) for binding in bindings[stated or 0 :]]
            self._solver.add(implies(claim, disj_all((*ways, last))))
            self._stated[number] = len(bindings)
        return last

    def _way(self, binding: Binding) -> Term:
        made = _made(self._shape, binding)
        return conj(made, _passes(binding.caller)) if binding.caller else made


def _made(shape: Shape, binding: Binding) -> Term:
    return _own(shape.body(binding.caller).calls[binding.place].made, binding.caller)


def _passes(number: int) -> Term:
    return var(f"passes~@{number}", BOOL)


def _others(number: int, calls: int) -> Term:
    return var(f"others~{calls}@{number}", BOOL)


def _own(variable: Term, number: int) -> Term:
    return var(f"{variable.name}@{number}", variable.sort)
