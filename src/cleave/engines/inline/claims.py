"""Partitions that a worker has found no violation in, while their proofs wait to be checked.

A proof is checked when its worker has nothing better to do: a run that ends with a violation needs none of them. The
unfolding may have grown since; it proves what it did (see `UnfoldedProof`). A check can be given up after some cost and
taken up again.
"""

from __future__ import annotations

from collections import deque

from cleave.engines.findings import GivenUp
from cleave.engines.inline.alone import extra_recursion
from cleave.engines.inline.confirm import ProofCheck
from cleave.engines.inline.messages import Closed, Effort
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.partition import Decision
from cleave.engines.inline.proof import ProofWriter, instances_within, needed_part
from cleave.engines.inline.solvers import profile_for, solver_for
from cleave.engines.inline.stratified import Search
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.background import without_background
from cleave.passes.prepare import Prepared
from cleave.records import dataclass
from cleave.smt.z3.solver import BOOGIE, PLAIN, Z3Solver
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.unfolded import PartitionChecker, check_unfolded


@dataclass(frozen=True, slots=True)
class Claim:
    """``bound`` is None if none took part. ``effort`` is what the search took, ``inlined`` what it tells of calls."""

    id: str
    decisions: tuple[Decision, ...]
    bound: int | None
    effort: Effort
    inlined: tuple[int, ...]


class Claims:
    """The claims on one unfolding."""

    def __init__(self, prepared: Prepared, search: Search, options: InlineOptions) -> None:
        self.waiting: deque[Claim] = deque()
        self._prepared = prepared
        self._options = options
        self._search = search
        self._writer = ProofWriter(search.unfolding)
        self._program = without_background(prepared.program)  # most proofs hold for that, too, and are easier to check
        self._solver: Z3Solver | None = None
        self._checker: PartitionChecker | None = None
        self._whole: ProofCheck | None = None
        self._is_confined = False
        self._earlier_cost = 0

    def cost(self) -> int:
        whole = self._whole.cost() if self._whole is not None else 0
        return self._earlier_cost + whole + (self._solver.cost() if self._solver is not None else 0)

    def check(self, claim: Claim, cost_limit: int = 0) -> Closed | GivenUp | None:
        """None if more is to be done: the limit was not enough, or another way is to be tried."""
        if not claim.decisions:
            return self._check_whole(claim, cost_limit)
        if self._checker is None:
            self._solver = solver_for(self._program, self._options.seed)
            self._checker = PartitionChecker(self._program, self._prepared.entry, self._solver)
        proof = self._writer.proof(claim.bound, claim.decisions)
        judged = self._checker.check(proof, cost_limit=cost_limit)
        if not judged.holds and self._solver is not None and self._solver.reason_unknown() == "cost":
            return None
        if not judged.holds and self._program is not self._prepared.program:
            self._earlier_cost = self.cost()
            self._program, self._checker, self._solver = self._prepared.program, None, None
            return None
        if judged.undecided:
            judged = self._second(proof)
        meanings = tuple((self._checker.meaning(d.instance), d.reach) for d in proof.decisions)
        return _answer(claim, judged, meanings)

    def _check_whole(self, claim: Claim, cost_limit: int) -> Closed | GivenUp | None:
        """Of a search that was not split, nothing but this proof is left to check."""
        if self._whole is None:
            self._whole = ProofCheck(self._prepared, self._writer.proof(claim.bound), self._part(claim))
            return None  # the part has cost something already
        judged = self._whole.go_on(cost_limit)
        return None if judged is None else _answer(claim, judged, ())

    def left(self, most_cost: int) -> int:
        """What is left of the cost that the check of the whole may have; 0 if nothing is."""
        return max(0, most_cost - self._whole.cost()) if self._whole is not None else most_cost

    def _part(self, claim: Claim) -> UnfoldedProof | None:
        if self._is_confined or profile_for(self._prepared.program) is PLAIN:
            return None
        solver = Z3Solver(profile=BOOGIE, seed=self._options.seed)
        part = needed_part(self._search, claim.bound, self._options, solver)
        self._earlier_cost += solver.cost()
        return part

    def confine(self, bound: int) -> None:
        """From now on only what is within the bound is looked at."""
        extra = extra_recursion(self._prepared.program)
        self._writer = ProofWriter(self._search.unfolding, instances_within(self._search.unfolding, bound, extra))
        self._earlier_cost = self.cost()
        self._checker, self._solver, self._whole = None, None, None
        self._is_confined = True

    def _second(self, proof: UnfoldedProof) -> Confirmation:
        program, entry, solver = self._prepared.program, self._prepared.entry, Z3Solver(profile=PLAIN)
        judged = check_unfolded(program, entry, proof, solver, cost_limit=self._options.second_check_cost)
        self._earlier_cost += solver.cost()
        return judged


def _answer(claim: Claim, judged: Confirmation, meanings: tuple[tuple[bytes, bool], ...]) -> Closed | GivenUp:
    if not judged.holds:
        return GivenUp("unconfirmed", f"the proof that was found is not confirmed: {judged.text}")
    return Closed(claim.bound, meanings, judged.text)
