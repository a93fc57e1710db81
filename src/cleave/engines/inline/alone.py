"""The inline engine: bounded verification by stratified inlining over a tree or a DAG.

    run = InlineEngine(prepared, InlineOptions(bounds=(3,)), solver).run()

The search is in `stratified`; this module sets it up and translates its outcome.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, replace
from typing import Any

from cleave.engines.desk import News
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.inline.complete import Limit, best, follow
from cleave.engines.inline.condition import Condition
from cleave.engines.inline.conditions import Conditions
from cleave.engines.inline.merging import Choose, Merging, strategy
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.proof import needed_part, proof_of, proof_within
from cleave.engines.inline.solvers import profile_for
from cleave.engines.inline.stratified import NoViolation, Outcome, Progress, Search
from cleave.engines.inline.unfolding import never_private
from cleave.ir.program import Call, Program
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.prepare import Prepared
from cleave.smt.solver import Solver
from cleave.smt.z3.solver import BOOGIE, PLAIN, Z3Solver
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
        self._solver = self._at_work = solver
        self.search: Search | None = None

    def interrupt(self) -> None:
        """Makes what the engine is at end soon; from any thread."""
        self._at_work.interrupt()

    def run(self) -> Generator[News, None, Finding[Any]]:
        search = make_search(self._prepared, Conditions(self._prepared.program), self._options, self._solver)
        self.search = search
        steps = search.run(self._options.tried, self._options.cost_beyond)
        while True:
            try:
                yield _counters(next(steps))
            except StopIteration as stop:
                yield _counters(search.report())
                finding = _finding(stop.value, search, self._options.tried[-1], extra_recursion(self._prepared.program))
                return finding if not isinstance(finding, Proof) else (yield from self._with_part(finding, search))

    def _with_part(self, proof: Proof[UnfoldedProof], search: Search) -> Generator[News, None, Proof[UnfoldedProof]]:
        if profile_for(self._prepared.program) is PLAIN:  # where it was not measured
            return proof
        self._at_work = solver = Z3Solver(profile=BOOGIE, seed=self._options.seed)
        part = needed_part(search, proof.evidence.bound, self._options, solver)
        yield {**_counters(search.report()), "part_cost": solver.cost()}
        return replace(proof, part=part)


def make_search(
    prepared: Prepared, conditions: Conditions, options: InlineOptions, solver: Solver, *, pushed: bool = False
) -> Search:
    """A search of the prepared program. The conditions may be those of an earlier one."""
    program, entry = prepared.program, prepared.entry
    extra = extra_recursion(program)
    choose = choose_instances(options, conditions, entry, extra)
    private = _private(program, options.merging)
    return Search(
        *(conditions, entry, program.axioms, solver, choose, extra, private),
        pushed=pushed,
        options=options,
    )


def extra_recursion(program: Program) -> dict[str, int]:
    """What procedures may recurse more than the bound says."""
    return {p.name: p.extra_recursion for p in program.procedures.values() if p.extra_recursion}


def _private(program: Program, merging: Merging) -> Callable[[Condition], bool]:
    """Which instances are never shared. In a DAG, sharing an instance that calls nothing saves less than the equations
    of a shared interface cost; and one that only one call can reach, and that passes on to another procedure, would
    hide from the solver what both have in common."""
    sites = Counter(s.procedure for p in program.procedures.values() for s in p.statements() if isinstance(s, Call))
    match merging:
        case Merging.TREE:
            return lambda condition: True
        case Merging.OPT:
            return never_private  # the unfolding that it follows shares whatever it can
        case _:
            return lambda condition: not condition.calls or (condition.passes_on and sites[condition.procedure] == 1)


def recursion_limit(bound: int, extra: Mapping[str, int]) -> Limit:
    return lambda procedure: bound + extra.get(procedure, 0)


def choose_instances(options: InlineOptions, conditions: Conditions, entry: str, extra: Mapping[str, int]) -> Choose:
    if options.merging is Merging.OPT:
        return follow(best(conditions, entry, recursion_limit(options.tried[-1], extra)))
    return strategy(options.merging, options.seed)


def _counters(progress: Progress) -> News:
    return asdict(progress)


def _finding(outcome: Outcome, search: Search, asked_for: int, extra: Mapping[str, int]) -> Finding[Any]:
    match outcome:
        case Violation():
            return outcome
        case NoViolation(bound, needs_bound):
            if not needs_bound:
                return Proof(proof_of(search.unfolding, None))
            smaller = None
            if bound > asked_for:
                smaller = Proof(proof_within(search.unfolding, asked_for, extra), {"recursion": asked_for})
            return Proof(proof_of(search.unfolding, bound), {"recursion": bound}, smaller)
        case GivenUp(reason):
            details = [] if reason in _REASONS else [reason]
            if search.progress.bound_done:
                details.append(f"no violation up to recursion bound {search.progress.bound_done}")
            return GaveUp(_REASONS.get(reason, Reason.SOLVER), "; ".join(details))
