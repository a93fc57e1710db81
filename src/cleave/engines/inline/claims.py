"""Partitions that a worker has found no violation in, while their proofs wait to be checked.

A proof is checked when its worker has nothing better to do: a run that ends with a violation needs none of them. The
unfolding may have grown since; it proves what it did (see `UnfoldedProof`). A check can be given up after some cost and
taken up again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from cleave.engines.inline.alone import extra_recursion
from cleave.engines.inline.messages import Closed, Effort, GivenUp
from cleave.engines.inline.options import InlineOptions
from cleave.engines.inline.partition import Decision
from cleave.engines.inline.proof import ProofWriter, instances_within
from cleave.engines.inline.solvers import solver_for
from cleave.engines.inline.unfolding import Unfolding
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.background import without_background
from cleave.passes.prepare import Prepared
from cleave.smt.z3.solver import PLAIN, Z3Solver
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

    def __init__(self, prepared: Prepared, unfolding: Unfolding, options: InlineOptions) -> None:
        self.waiting: deque[Claim] = deque()
        self._prepared = prepared
        self._seed, self._second_seconds = options.seed, options.second_check_seconds
        self._unfolding = unfolding
        self._writer = ProofWriter(unfolding)
        self._program = without_background(prepared.program)  # most proofs hold for that, too, and are easier to check
        self._solver: Z3Solver | None = None
        self._checker: PartitionChecker | None = None
        self._earlier_cost = 0

    def cost(self) -> int:
        return self._earlier_cost + (self._solver.cost() if self._solver is not None else 0)

    def check(self, claim: Claim, cost_limit: int = 0, seconds: float = 0.0) -> Closed | GivenUp | None:
        """None if more is to be done: the limit was not enough, or the background is needed."""
        if self._checker is None:
            self._solver = solver_for(self._program, self._seed)
            self._checker = PartitionChecker(self._program, self._prepared.entry, self._solver)
        proof = self._writer.proof(claim.bound, claim.decisions)
        judged = self._checker.check(proof, seconds=seconds, cost_limit=cost_limit)
        if not judged.holds and self._solver is not None and self._solver.reason_unknown() == "cost":
            return None
        if not judged.holds and self._program is not self._prepared.program:
            self._earlier_cost = self.cost()
            self._program, self._checker, self._solver = self._prepared.program, None, None
            return None
        if judged.undecided:
            judged = self._second(proof, seconds or self._second_seconds)
        if not judged.holds:
            return GivenUp("unconfirmed", f"the proof that was found is not confirmed: {judged.text}")
        meanings = tuple((self._checker.meaning(d.instance), d.reach) for d in proof.decisions)
        return Closed(claim.bound, meanings, judged.text)

    def confine(self, bound: int) -> None:
        """From now on only what is within the bound is looked at."""
        extra = extra_recursion(self._prepared.program)
        self._writer = ProofWriter(self._unfolding, instances_within(self._unfolding, bound, extra))
        self._earlier_cost = self.cost()
        self._checker, self._solver = None, None

    def _second(self, proof: UnfoldedProof, seconds: float) -> Confirmation:
        program, entry = self._prepared.program, self._prepared.entry
        return check_unfolded(program, entry, proof, Z3Solver(profile=PLAIN), seconds=seconds)
