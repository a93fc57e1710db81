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
    """How the abstraction is refined, and how the search is distributed."""

    iterations: int = option(
        0, flag="--iterations", metavar="N", low=0, high=MOST, help="give up after N refinements; 0: never"
    )
    counterexamples: int = option(
        16,
        flag="--counterexamples",
        metavar="N",
        low=1,
        high=MOST,
        help="number of counterexamples that are analysed in an iteration, the shortest first; the paper analyses 1",
    )
    naive: bool = option(
        False,
        flag="--naive",
        help="use the counterexample that any worker finds first, for comparison: results then differ from run to run",
    )
    chunk: int | None = option(
        None,
        help="number of transitions of a location that one worker handles together",
        unit="transitions",
        low=1,
        rule=f"{_TOGETHER} divided by the number of workers, at least {_LEAST_TOGETHER}",
        reason="all workers should have work, and each message should be worth sending",
    )
    batch: int = option(
        512,
        help="largest number of transitions in one message",
        unit="transitions",
        low=1,
        reason="other workers wait for the results",
    )
    patience: float = patience_option()
    patience_cost: int = option(
        100_000,
        help="cost after which all workers are started",
        unit="solver cost",
        low=0,
        reason="a cheaper problem needs only one worker",
    )
    many_transitions: int = option(
        1_000,
        help="number of transitions from which all workers are started at once",
        unit="transitions",
        low=0,
        reason="such problems take long",
    )
    most_losses: int = losses_option(16)
    most_orders: int = option(
        2,
        help="number of orders that a worker has at a time",
        unit="orders",
        low=1,
        reason="a worker need not wait for messages",
    )
    question_cost: int = option(
        2_000_000,
        help="cost limit for a query to a solver that is in use; beyond it, a new solver is asked",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="what a solver has learned can slow it down",
    )
    fresh_cost: int = option(
        50_000_000,
        help="cost limit for a query to a new solver; beyond it, a predicate counts as not implied",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a limit of cost, not of time, gives every run the same answers",
    )
    analysis_cost: int = option(
        50_000_000,
        help="cost limit for analysing a counterexample; beyond it, the analysis is given up",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a limit of cost, not of time, gives every run the same answers",
    )
    most_witnesses: int = option(
        48,
        help="number of models that are kept for a transition, the latest ones",
        unit="witnesses",
        low=1,
        reason="each can save queries, and takes time to compare",
    )

    def together(self, workers: int) -> int:
        """How many transitions of a location a worker goes on with."""
        return max(_LEAST_TOGETHER, _TOGETHER // workers) if self.chunk is None else self.chunk


USUAL = CegarOptions()
