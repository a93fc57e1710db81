"""The inline engine: bounded verification by stratified inlining over a tree or a DAG.

    run = InlineEngine(prepared, InlineOptions(bounds=(3,)), solver).run()

The search is in `search`; this module sets it up and translates its outcome.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from time import perf_counter

from cleave.engines.engine import Counters, Finding, GaveUp, Proved, Run, Violated
from cleave.engines.inline.complete import Limit, best, follow
from cleave.engines.inline.condition import Condition, Conditions
from cleave.engines.inline.merging import Choose, Merging, strategy
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.search import NoViolation, Outcome, Progress, Search, Undecided, Violation
from cleave.ir.program import Call
from cleave.passes.prepare import Prepared
from cleave.smt.solver import Solver
from cleave.verdict import Reason

_REASONS = {
    "interrupted": Reason.INTERRUPTED,
    "timeout": Reason.TIMEOUT,
    "memory": Reason.MEMORY,
}


class InlineEngine:
    name = "inline"

    def __init__(self, prepared: Prepared, options: InlineOptions, solver: Solver) -> None:
        self._prepared = prepared
        self._options = options
        self._solver = solver
        procedures = prepared.program.procedures.values()
        self._sites = Counter(s.procedure for p in procedures for s in p.statements() if isinstance(s, Call))

    def _private(self, condition: Condition) -> bool:
        """Which instances are never shared. In a DAG, sharing an instance that calls nothing saves less than the
        equations of a shared interface cost; and one that only one call can reach, and that passes on to another
        procedure, would hide from the solver what both have in common."""
        match self._options.merging:
            case Merging.TREE:
                return True
            case Merging.OPT:
                return False  # the unfolding that it follows shares whatever it can
            case _:
                called_once = self._sites[condition.procedure] == 1
                return not condition.calls or (condition.passes_on and called_once)

    def run(self) -> Run:
        started = perf_counter()
        program, entry = self._prepared.program, self._prepared.entry
        conditions = Conditions(program)
        extra = {p.name: p.extra_recursion for p in program.procedures.values() if p.extra_recursion}
        choose = choose_instances(self._options, conditions, entry, extra)
        search = Search(conditions, entry, program.axioms, self._solver, choose, extra, self._private)
        search.progress.encode_seconds = perf_counter() - started
        # What opt follows was computed up to the last bound: it can't go beyond.
        beyond_cost = 0 if self._options.merging is Merging.OPT else self._options.beyond_cost
        steps = search.run(self._options.bounds, beyond_cost)
        while True:
            try:
                yield _counters(next(steps))
            except StopIteration as stop:
                yield _counters(search.report())
                return _finding(stop.value)


def recursion_limit(bound: int, extra: Mapping[str, int]) -> Limit:
    return lambda procedure: bound + extra.get(procedure, 0)


def choose_instances(options: InlineOptions, conditions: Conditions, entry: str, extra: Mapping[str, int]) -> Choose:
    if options.merging is Merging.OPT:
        return follow(best(conditions, entry, recursion_limit(options.bounds[-1], extra)))
    return strategy(options.merging, options.seed)


def _counters(progress: Progress) -> Counters:
    return asdict(progress)


def _finding(outcome: Outcome) -> Finding:
    match outcome:
        case Violation(path):
            return Violated(path)
        case NoViolation(bound, needs_bound, proof):
            return Proved({"recursion": bound} if needs_bound else {}, proof)
        case Undecided(reason, bound_done):
            details = [] if reason in _REASONS else [reason]
            if bound_done:
                details.append(f"no violation up to recursion bound {bound_done}")
            return GaveUp(_REASONS.get(reason, Reason.SOLVER), "; ".join(details))
