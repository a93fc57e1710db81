"""Stratified inlining over a tree or a DAG: HYDRA's Algorithms 1 to 3, calls bound as in the DAG paper's Figure 8.

    repeat
        if the unfolding has grown by half since this was last asked,
        block the open calls: satisfiable?  then a violation was found           (under-approximation)
        leave them open: unsatisfiable?     then there is none within the bound  (over-approximation)
        the model's path has open calls?    inline them; otherwise it is a violation
            unless what was left out about the background excludes it: add that, and repeat

The paper asks the first question in every step, which is about a third of the solver's work. The second one alone finds
every violation and every proof; the first may find a violation sooner.

Calls beyond the recursion bound are blocked in both checks, by assumptions of their own: if the final core holds none
of them, no bound took part in the proof.

A search may be confined to a partition: instances that executions must avoid or must reach (HYDRA, section III). Those
are assumptions too. So a search can be split between any two of its steps, and inside a check that takes long, and it
can turn to another partition with all that it has inlined and learned.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from time import perf_counter

from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.condition import Condition
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.confine import Stacked
from cleave.engines.inline.formula import Formula
from cleave.engines.inline.growth import Growth
from cleave.engines.inline.merging import Choose
from cleave.engines.inline.needed import GuardedFormula, needed_instances
from cleave.engines.inline.options import USUAL, InlineOptions
from cleave.engines.inline.partition import Binding, Decision
from cleave.engines.inline.routes import Routes
from cleave.engines.inline.trace import PathFound, path_in_model
from cleave.engines.inline.unfolding import Instance, OpenCall, bit_set, never_private
from cleave.engines.options import deeper
from cleave.ir.path import Path
from cleave.logic.terms import Term, neg
from cleave.records import dataclass
from cleave.smt.solver import Answer, Solver


@dataclass(frozen=True, slots=True)
class NoViolation:
    """No violation within ``bound``; without any bound if ``needs_bound`` is false."""

    bound: int
    needs_bound: bool


Outcome = Violation[Path] | NoViolation | GivenUp
"""A violation is a path to the end of the entry procedure."""


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


INSTANCE_COST = 2_000
"""What it costs to encode an instance, in the solver's units: Python's work, which the solver does not count."""


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
        options: InlineOptions = USUAL,
        pushed: bool = False,
    ) -> None:
        self.progress = Progress()
        self._under_growth = 0.0 if options.under_always else options.under_growth
        self._under_at = 0.0  # how many instances it takes until the under-approximation is looked at
        self._stacked = Stacked(solver) if pushed else None
        self._solver = solver = self._stacked or solver
        self._cost_limit = 0
        self.slice_cost = 0  # a check pauses after so much cost; 0: never
        self.decisions: tuple[Decision, ...] = ()
        # Per call in the core of the last under-approximation, its caller; None before there is one.
        self.relevant: list[Instance] | None = None
        # What the latest paths with open calls entered, as bit sets of instances: where the search is at work.
        self.paths: deque[int] = deque(maxlen=options.paths_kept)
        started = perf_counter()
        self._conditions, self._axioms = conditions, tuple(axioms)
        self._formula = Formula(solver, conditions, self._axioms)
        self._growth = Growth(conditions, entry, self._formula, choose, extra_recursion, private, options)
        self._growth.encode_seconds += perf_counter() - started
        self.unfolding = self._growth.unfolding
        self._routes = Routes(solver, self.unfolding, self._formula)

    def run(self, bounds: Sequence[int], beyond_cost: int = 0) -> Generator[Progress, None, Outcome]:
        """Tries the bounds in turn, then larger ones while the solver's cost and that of the instances are below
        ``beyond_cost``. Ends at a violation, a proof that needs no bound, or after the last bound. May be run again for
        other decisions."""
        outcome: Outcome = GivenUp("no bound was given")
        self._cost_limit = 0
        for bound in bounds:
            self._growth.raise_bound(bound)
            outcome = yield from self._within_bound()
            if not isinstance(outcome, NoViolation) or not outcome.needs_bound:
                return outcome
        self._cost_limit = beyond_cost
        while isinstance(outcome, NoViolation) and beyond_cost and not self._beyond() and not self.decisions:
            self._growth.raise_bound(deeper(self._growth.bound))
            further = yield from self._within_bound()
            if isinstance(further, GivenUp):
                return outcome
            outcome = further
            if isinstance(outcome, NoViolation) and not outcome.needs_bound:
                break
        return outcome

    def _within_bound(self) -> Generator[Progress, None, Outcome]:
        while True:
            if len(self.unfolding.instances) >= self._under_at:
                self._under_at = self._under_growth * len(self.unfolding.instances)
                under = yield from self._check(self._not_inlined())
                if under is Answer.SAT:
                    found = self._path()
                    if not self._formula.complete(found.instances):
                        return Violation(found.path)
                    self._under_at = 0
                    yield self.report()
                    continue
                if under is Answer.UNKNOWN:
                    return GivenUp(self._solver.reason_unknown())
                self._note_core()
            over = yield from self._check(self._growth.blocked.values())
            if over is Answer.UNSAT:
                self.progress.bound_done = self._growth.bound
                return NoViolation(self._growth.bound, self._core_has_bound())
            if over is Answer.UNKNOWN:
                return GivenUp(self._solver.reason_unknown())
            found = self._path()
            if found.open_calls:
                self.paths.append(bit_set(instance.number for instance in found.instances))
                self._growth.inline(found.open_calls)
                if self._beyond():
                    return GivenUp("cost")
            elif not self._formula.complete(found.instances):
                return Violation(found.path)
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
        spent = max(self._solver.cost(), INSTANCE_COST * len(self.unfolding.instances))
        return bool(self._cost_limit) and spent >= self._cost_limit

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
        not_made = dict.fromkeys(neg(self._formula.control(call)) for call in self._growth.blocked.values())
        return self._slice([*not_made, *self._confined(), assumption], cost_limit) is Answer.UNSAT

    def find_relevant(self, cost_limit: int) -> None:
        """Makes ``relevant`` that of the unfolding as it is now, if that does not cost more."""
        not_made = dict.fromkeys(neg(self._formula.control(call)) for call in self._not_inlined())
        answer = self._slice([*not_made, *self._confined()], cost_limit)
        if answer is Answer.UNSAT:
            self._note_core()
        elif answer is Answer.SAT:
            self._under_at = 0  # there is a violation, which the search will come upon

    def needed(self, solver: Solver, cost_limit: int, *, needs_bound: bool) -> frozenset[int] | None:
        """After a search without decisions has found nothing: the instances that its proof needs, by one more
        refutation in a fresh solver. None if that takes more than the cost."""
        formula = GuardedFormula(solver, self._conditions, self._axioms)
        blocked = self._growth.blocked.values() if needs_bound else ()
        complete = sorted(self._formula.completed)
        return needed_instances(self.unfolding, formula, complete, blocked, solver, cost_limit)

    def _not_inlined(self) -> list[OpenCall]:
        return [*self._growth.open.values(), *self._growth.blocked.values()]

    def _note_core(self) -> None:
        core = set(self._solver.core())
        self.relevant = [call.caller for call in self._not_inlined() if neg(self._formula.control(call)) in core]

    def _core_has_bound(self) -> bool:
        bounded = {neg(self._formula.control(call)) for call in self._growth.blocked.values()}
        return not bounded.isdisjoint(self._solver.core())

    def rebuild(self, bindings: Iterable[Binding]) -> None:
        self._growth.rebuild(bindings)

    def _path(self) -> PathFound:
        return path_in_model(self._solver.assignment(), self.unfolding, self._formula, self._routes)

    def report(self) -> Progress:
        progress = self.progress
        progress.bound = self._growth.bound
        progress.instances = len(self.unfolding.instances)
        progress.merges = self.unfolding.merges
        progress.open_calls = len(self._growth.open)
        progress.blocked_calls = len(self._growth.blocked)
        progress.merge_seconds = self._growth.merge_seconds
        progress.encode_seconds = self._growth.encode_seconds
        progress.cost = self._solver.cost()
        return progress
