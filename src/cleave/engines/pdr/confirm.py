"""A worker checks its own answers before it claims them: what SPACER says is not trusted.

An interpretation is checked on the clauses that SPACER had, the rules and a query: that is cheap. The receiver
checks it on the given clauses in the end, of a partitioned problem together with those of the other partitions. Only
where nobody else does, ``on_given`` has that done here. A derivation is put together for the given clauses and checked
on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.evidence import encode_derivation, encode_interpretation
from cleave.engines.pdr.extension import PartProblem
from cleave.engines.pdr.messages import Answer, Closed
from cleave.engines.pdr.spacer.run import Answered, NoAnswer, SafeAnswer, UnsafeAnswer
from cleave.engines.pdr.task import HornProblem
from cleave.errors import UnsupportedError
from cleave.ir.horn import Derivation, Interpretation
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from cleave.validate.confirmation import rejected

CLAUSE_COST, STEP_COST = 5_000, 500
"""About what the check of a clause or of a step costs, in units of Z3's: the solvers that check do not count."""


@lru_cache(maxsize=1)
def solvers_of_virtual_workers() -> InTurn:
    """They take turns, so one set of solvers, which takes time to start, is enough."""
    return InTurn()


class Confirming:
    """Checks answers to parts of one problem, each within ``seconds``; or with ``solvers``, that have their own
    limits."""

    def __init__(
        self, problem: HornProblem, seconds: float, solvers: InTurn | None = None, *, on_given: bool = False
    ) -> None:
        self._problem = problem
        self._seconds = seconds
        self._solvers = solvers
        self._on_given = on_given
        self._prepared: InTurn | None = None

    def prepare(self) -> None:
        """An answer is expected soon: what its check needs is started. To be closed in the end."""
        if self._solvers is None:
            self._prepared = self._prepared or InTurn()
            self._prepared.prepare()

    def close(self) -> None:
        if self._prepared is not None:
            self._prepared.close()

    @contextmanager
    def _asked(self) -> Iterator[InTurn]:
        if self._solvers is not None:
            yield self._solvers
            return
        solvers, self._prepared = self._prepared or InTurn(), None
        solvers.limit(self._seconds)
        with solvers:
            yield solvers

    def answer(self, part: PartProblem, found: Answered) -> tuple[Answer, int]:
        """What can be claimed, and what its check cost."""
        match found:
            case NoAnswer(reason):
                return GivenUp("solver", reason), 0
            case SafeAnswer(interpretation):
                return self._closed(part, interpretation), CLAUSE_COST * len(part.system.clauses)
            case UnsafeAnswer(None, reason):
                return GivenUp("unconfirmed", f"unsafe, it says, without a derivation: {reason}"), 0
            case UnsafeAnswer(derivation):
                assert derivation is not None
                return self.violated(part, derivation), STEP_COST * len(derivation.steps)

    def _closed(self, part: PartProblem, found: Interpretation) -> Closed | GivenUp:
        try:
            system, lifted, unfold = part.system, found, tuple[str, ...]()
            if self._on_given and part.is_whole:
                system, lifted = self._problem.given, self._problem.interpretation(found)
                unfold = self._problem.inlined
            with self._asked() as solvers:
                judged = check_interpretation(system, lifted, unfold=unfold, solvers=solvers)
        except UnsupportedError as error:
            judged = rejected(str(error))
        if judged.holds:
            return Closed(encode_interpretation(found), str(judged))
        return GivenUp("unconfirmed", f"the invariant that was found is not confirmed: {judged.text}")

    def violated(self, part: PartProblem, found: Derivation) -> Violation[bytes] | GivenUp:
        """A derivation of the given clauses, from one of the part's."""
        try:
            lifted = self._problem.derivation(part.derivation(found))
            with self._asked() as solvers:
                judged = check_derivation(self._problem.given, lifted, solvers=solvers)
        except UnsupportedError as error:
            judged = rejected(str(error))
        if judged.holds:
            return Violation(encode_derivation(lifted))
        return GivenUp("unconfirmed", f"the derivation that was found is not confirmed: {judged.text}")
