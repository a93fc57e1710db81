"""Stratified inlining over a tree or a DAG: HYDRA's Algorithms 1 to 3, calls bound as in the DAG paper's Figure 8.

    repeat
        block the open calls: satisfiable?  then a violation was found           (under-approximation)
        leave them open: unsatisfiable?     then there is none within the bound  (over-approximation)
        inline the open calls on the model's path

Calls beyond the recursion bound are blocked in both checks, by assumptions of their own: if the final core holds none
of them, no bound took part in the proof.

A search may be confined to a partition: instances that executions must avoid or must reach (HYDRA, section III). Those
are assumptions too. So a search can be split between any two of its steps, and inside a check that takes long, and it
can turn to another partition with all that it has inlined and learned.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from cleave.engines.inline.condition import Condition, Conditions
from cleave.engines.inline.confine import Stacked
from cleave.engines.inline.formula import Formula
from cleave.engines.inline.merging import Choose
from cleave.engines.inline.options import deeper
from cleave.engines.inline.partition import Binding, Decision
from cleave.engines.inline.routes import Routes
from cleave.engines.inline.trace import PathFound, path_in_model
from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding, never_private
from cleave.ir.path import Path
from cleave.logic.terms import Term, neg
from cleave.smt.solver import Answer, Solver


@dataclass(frozen=True, slots=True)
class Violation:
    """A path to the end of the entry procedure."""

    path: Path


@dataclass(frozen=True, slots=True)
class NoViolation:
    """There is no such path within ``bound``; without any bound if ``needs_bound`` is false."""

    bound: int
    needs_bound: bool


@dataclass(frozen=True, slots=True)
class Undecided:
    """The solver stopped; ``reason`` is its word. ``bound_done`` is the largest bound that was closed, 0 if none."""

    reason: str
    bound_done: int


Outcome = Violation | NoViolation | Undecided


@dataclass(slots=True)
class Progress:
    """How far the search is; also its statistics at the end."""

    bound: int = 0
    bound_done: int = 0
    instances: int = 0
    merges: int = 0
    open_calls: int = 0
    blocked_calls: int = 0
    checks: int = 0
    cost: int = 0
    solver_seconds: float = 0.0
    merge_seconds: float = 0.0
    encode_seconds: float = 0.0


@dataclass(slots=True)
class _Frontier:
    """The open calls, and those among them that the bound blocks."""

    open: dict[tuple[int, int], OpenCall] = field(default_factory=dict)
    blocked: dict[tuple[int, int], OpenCall] = field(default_factory=dict)


class Search:
    """One stratified search with its own solver. Iterate `run`; it yields after each step."""

    def __init__(
        self,
        conditions: Conditions,
        entry: str,
        axioms: Iterable[Term],
        solver: Solver,
        choose: Choose,
        extra_recursion: Mapping[str, int],
        private: Callable[[Condition], bool] = never_private,
        *,
        pushed: bool = False,
    ) -> None:
        self.progress = Progress()
        self._stacked = Stacked(solver) if pushed else None
        self._solver = solver = self._stacked or solver
        self._choose = choose
        self._extra = extra_recursion
        self._frontier = _Frontier()
        self._bound = 0
        self._cost_limit = 0
        self.slice_cost = 0  # a check pauses after so much cost; 0: never
        self.decisions: tuple[Decision, ...] = ()
        # Per call in the core of the last under-approximation, its caller; None before there is one.
        self.relevant: list[Instance] | None = None
        started = perf_counter()
        self.unfolding = Unfolding(conditions, entry, private)
        self._formula = Formula(solver, conditions, axioms)
        self._formula.add_root(self.unfolding)
        self._routes = Routes(solver, self.unfolding, self._formula)
        self.progress.encode_seconds += perf_counter() - started
        self._open(self.unfolding.root)

    def run(self, bounds: Sequence[int], beyond_cost: int = 0) -> Generator[Progress, None, Outcome]:
        """Tries the bounds in turn, then larger ones while the solver's cost is below ``beyond_cost``. Ends at a
        violation, a proof that needs no bound, or after the last bound. May be run again for other decisions."""
        outcome: Outcome = Undecided("no bound was given", 0)
        for bound in bounds:
            self._raise_bound(bound)
            outcome = yield from self._within_bound()
            if not isinstance(outcome, NoViolation) or not outcome.needs_bound:
                return outcome
        self._cost_limit = beyond_cost
        while isinstance(outcome, NoViolation) and self._solver.cost() < beyond_cost and not self.decisions:
            self._raise_bound(deeper(self._bound))
            further = yield from self._within_bound()
            if isinstance(further, Undecided):
                return outcome
            outcome = further
            if isinstance(outcome, NoViolation) and not outcome.needs_bound:
                break
        return outcome

    def _within_bound(self) -> Generator[Progress, None, Outcome]:
        while True:
            under = yield from self._check([*self._frontier.open.values(), *self._frontier.blocked.values()])
            if under is Answer.SAT:
                return Violation(self._path().path)
            if under is Answer.UNKNOWN:
                return Undecided(self._solver.reason_unknown(), self.progress.bound_done)
            if self.slice_cost:
                self._note_core()
            over = yield from self._check(self._frontier.blocked.values())
            if over is Answer.UNSAT:
                self.progress.bound_done = self._bound
                return NoViolation(self._bound, self._core_has_bound())
            if over is Answer.UNKNOWN:
                return Undecided(self._solver.reason_unknown(), self.progress.bound_done)
            found = self._path()
            if not found.open_calls:
                return Violation(found.path)
            self._inline(found.open_calls)
            yield self.report()

    def _check(self, blocked: Iterable[OpenCall]) -> Generator[Progress, None, Answer]:
        """Decides the formula with the given calls not made, within the decisions, which may change in a pause. With
        quantified axioms the solver may have only a candidate for a model; it counts as one here, and what comes of it
        is replayed before it is believed."""
        not_made = list(dict.fromkeys(neg(self._formula.control(call)) for call in blocked))
        began, decisions = self._solver.cost(), self.decisions
        while True:
            # A check begins anew after a pause, with what it has learned: longer slices make sure that it gets on.
            slice_cost = max(self.slice_cost, (self._solver.cost() - began) // 2) if self.slice_cost else 0
            before = self._solver.cost()
            answer = self._slice([*not_made, *self._confined()], slice_cost)
            if answer is not Answer.UNKNOWN:
                return answer
            reason = self._solver.reason_unknown()
            paused = slice_cost and self._solver.cost() - before >= slice_cost  # whatever it gives for a reason
            if reason.startswith(("quantifiers", "incomplete")) and not paused:
                return Answer.SAT
            if not (reason == "cost" or paused) or self._beyond():
                return answer
            yield self.report()
            if self.decisions != decisions:
                began, decisions = self._solver.cost(), self.decisions

    def _slice(self, assumptions: Sequence[Term], cost_limit: int) -> Answer:
        started = perf_counter()
        limits = [cost_limit] if cost_limit else []
        if self._cost_limit:
            limits.append(max(1, self._cost_limit - self._solver.cost()))
        answer = self._solver.check(assumptions, cost_limit=min(limits, default=0))
        self.progress.solver_seconds += perf_counter() - started
        self.progress.checks += 1
        return answer

    def _beyond(self) -> bool:
        return bool(self._cost_limit) and self._solver.cost() >= self._cost_limit

    def _confined(self) -> list[Term]:
        """The assumptions that the decisions need."""
        decided = [self._assumption(decision) for decision in self.decisions]
        if self._stacked is None:
            return decided
        self._stacked.confine(decided)
        return []

    def _assumption(self, decision: Decision) -> Term:
        instance = self.unfolding.instances[decision.instance]
        if decision.reach:
            return self._routes.to(instance)
        return neg(self._formula.term(instance, instance.condition.control))

    def is_trivial(self, instance: Instance, cost_limit: int) -> bool:
        """Whether it is easy to see that a split on ``instance`` would leave one side empty. Reaching it is taken in a
        wider sense than a decision does, which needs a frozen instance."""
        control = self._formula.term(instance, instance.condition.control)
        return any(self._is_refuted(side, cost_limit) for side in (neg(control), control))

    def _is_refuted(self, assumption: Term, cost_limit: int) -> bool:
        not_made = dict.fromkeys(neg(self._formula.control(call)) for call in self._frontier.blocked.values())
        return self._slice([*not_made, *self._confined(), assumption], cost_limit) is Answer.UNSAT

    def _note_core(self) -> None:
        core = set(self._solver.core())
        calls = (*self._frontier.open.values(), *self._frontier.blocked.values())
        self.relevant = [call.caller for call in calls if neg(self._formula.control(call)) in core]

    def _core_has_bound(self) -> bool:
        bounded = {neg(self._formula.control(call)) for call in self._frontier.blocked.values()}
        return not bounded.isdisjoint(self._solver.core())

    def rebuild(self, bindings: Iterable[Binding]) -> None:
        """Inlines what another search has inlined. The numbers in ``bindings`` are those that instances get here."""
        for caller, index, callee in bindings:
            instances = self.unfolding.instances
            call = self.unfolding.open_call(instances[caller], index)
            place = (caller, index)
            self._frontier.open.pop(place, None)
            self._frontier.blocked.pop(place, None)
            shared = instances[callee] if callee < len(instances) else None
            self._bind(call, shared)
            if shared is None:
                self._open(instances[-1])

    def _path(self) -> PathFound:
        return path_in_model(self._solver.assignment(), self.unfolding, self._formula, self._routes)

    def _inline(self, calls: Iterable[OpenCall]) -> None:
        """Inlines ``calls``, and where that leads to a procedure that only passes on to another one, that one too,
        unless it recurses: the next path would get there anyway."""
        pending = list(calls)
        pending.reverse()
        while pending:
            call = pending.pop()
            del self._frontier.open[call.caller.number, call.site.index]
            started = perf_counter()
            shared = self._choose(self.unfolding, call)
            self.progress.merge_seconds += perf_counter() - started
            instance = self._bind(call, shared)
            if shared is None:
                opened = self._open(instance)
                if instance.condition.passes_on:
                    pending.extend(call for call in reversed(opened) if not call.counts)

    def _bind(self, call: OpenCall, shared: Instance | None) -> Instance:
        """Binds ``call`` to an instance to share, or to a new one."""
        started = perf_counter()
        if shared is not None:
            self.unfolding.merge(call, shared)
            instance = shared
        else:
            instance = self.unfolding.inline(call)
            self._formula.add_instance(instance)
        self._formula.add_link(call, instance)
        self.progress.encode_seconds += perf_counter() - started
        return instance

    def _open(self, instance: Instance) -> list[OpenCall]:
        """Puts the calls of a new instance on the frontier; those that the bound does not block."""
        opened: list[OpenCall] = []
        for call in self.unfolding.open_calls(instance):
            place = (call.caller.number, call.site.index)
            if self._is_blocked(call):
                self._frontier.blocked[place] = call
            else:
                self._frontier.open[place] = call
                opened.append(call)
        return opened

    def _is_blocked(self, call: OpenCall) -> bool:
        return call.depth > self._bound + self._extra.get(call.site.callee, 0)

    def _raise_bound(self, bound: int) -> None:
        self._bound = bound
        calls = {**self._frontier.open, **self._frontier.blocked}
        self._frontier.blocked = {place: call for place, call in calls.items() if self._is_blocked(call)}
        self._frontier.open = {place: call for place, call in calls.items() if place not in self._frontier.blocked}

    def report(self) -> Progress:
        progress = self.progress
        progress.bound = self._bound
        progress.instances = len(self.unfolding.instances)
        progress.merges = self.unfolding.merges
        progress.open_calls = len(self._frontier.open)
        progress.blocked_calls = len(self._frontier.blocked)
        progress.cost = self._solver.cost()
        return progress
