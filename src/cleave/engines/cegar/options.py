"""Options of the cegar engine."""

from __future__ import annotations

from cleave.engines.options import MOST, MOST_COST, losses_option, option, patience_option
from cleave.records import dataclass

VERSION = 4
"""Of the task and of the messages. A journal of another version is not resumed."""

_TOGETHER = 64
_LEAST_TOGETHER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class CegarOptions:
    iterations: int = option(
        0, flag="--iterations", metavar="N", low=0, high=MOST, help="give up after N refinements; 0: never"
    )
    counterexamples: int = option(
        16,
        flag="--counterexamples",
        metavar="N",
        low=1,
        high=MOST,
        help="how many counterexamples to analyse in an iteration: the least ones of the shortest that differ; 1 is"
        " the paper's way",
    )
    naive: bool = option(
        False,
        flag="--naive",
        help="take the counterexample that any worker finds first, for comparison: the result varies from run to run",
    )
    chunk: int | None = option(
        None,
        help="how many transitions of a location a worker goes on with together",
        unit="transitions",
        low=1,
        rule=f"{_TOGETHER} divided by the workers, {_LEAST_TOGETHER} at least",
        reason="work must be fine enough for all workers to have some, and a message worth its way",
    )
    batch: int = option(
        512,
        help="in one message, at most",
        unit="transitions",
        low=1,
        reason="other workers wait for what one finds",
    )
    patience: float = patience_option()
    patience_cost: int = option(
        100_000,
        help="all workers are hired after so much work",
        unit="solver cost",
        low=0,
        reason="what costs less needs one worker only",
    )
    many_transitions: int = option(
        1_000, help="with so many, all workers are hired at once", unit="transitions", low=0, reason="they take long"
    )
    most_losses: int = losses_option(16)
    most_orders: int = option(
        2, help="that a worker has at a time", unit="orders", low=1, reason="it need not wait for the wire"
    )
    question_cost: int = option(
        2_000_000,
        help="of a question to a solver that has answered others before; after that a fresh one is asked",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="what a solver has learned can be in its way",
    )
    fresh_cost: int = option(
        50_000_000,
        help="of a question to a fresh solver; after that a predicate counts as not implied",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a limit of work, not of time, so that every run has the same answers",
    )
    analysis_cost: int = option(
        50_000_000,
        help="of the analysis of a counterexample; after that it is given up",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a limit of work, not of time, so that every run has the same answers",
    )
    most_witnesses: int = option(
        48,
        help="ways to take a transition that are remembered for it, the latest",
        unit="witnesses",
        low=1,
        reason="each saves questions to the solver and takes time to look at",
    )

    def together(self, workers: int) -> int:
        """How many transitions of a location a worker goes on with."""
        return max(_LEAST_TOGETHER, _TOGETHER // workers) if self.chunk is None else self.chunk


USUAL = CegarOptions()
