"""A worker's job: SPACER on a partition, what it sends, and what it receives. One of the jobs of a partition also
sieves all their lemmas for invariants.

job = SolveJob(problem, order, ...)
job.step()          # None while it runs, then SPACER's answer
job.news()          # what to send to the coordinator, when it is time to
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import process_time
from typing import Protocol, TypeAlias

from cleave.engines.coordination import Clock
from cleave.engines.pdr import messages
from cleave.engines.pdr.acceleration import AcceleratedRun
from cleave.engines.pdr.extension import PartProblem
from cleave.engines.pdr.messages import INVARIANT, Effort, Learn, Solve
from cleave.engines.pdr.options import (
    ABOUT_CELLS,
    ACCELERATED,
    BEST,
    BITS,
    CELL_GUESSES,
    CELL_PAIRS,
    CELLS,
    CELLS_ACCELERATED,
    GUESS,
    NOT_SPACER,
    STOCK,
    UNROLL,
    PdrOptions,
    Share,
    limited,
)
from cleave.engines.pdr.sieving import Sieve
from cleave.engines.pdr.spacer.exchange import Shared
from cleave.engines.pdr.spacer.run import (
    INFINITY,
    STRATEGIES,
    Answered,
    Busy,
    Event,
    Lemma,
    NoAnswer,
    Paused,
    SafeAnswer,
    SpacerRun,
    Strategy,
)
from cleave.engines.pdr.spacer.run import Share as SpacerShare
from cleave.engines.pdr.task import HornProblem
from cleave.ir.horn_text import print_horn

POLL_SECONDS = 0.05
"""How long to wait for a run that has nothing to tell, where time is real."""

LEMMA_COST = 100
"""What it takes to print, send and read a lemma: a tenth of a millisecond, which the solver does not count."""

_FIRST_INTERVAL = 0.02  # seconds between the first exchanges, ...
_INTERVAL_SHARE = 0.1  # ... and later this part of the time since the search began, until it is the usual interval

_COST_PER_SECOND = 1_000_000  # of a virtual worker, see `runtime.simulation.crew`

_STRATEGIES: Mapping[str, Strategy] = {strategy.name: strategy for strategy in STRATEGIES}
_STRATEGY_OF: Mapping[str, str] = {  # of what is told apart by its clauses
    ACCELERATED: BEST,
    CELLS: BEST,
    CELLS_ACCELERATED: "no-equality-propagation",
    CELL_PAIRS: BEST,
}
_SHARES: Mapping[Share, frozenset[SpacerShare]] = {
    Share.NONE: frozenset(),
    Share.K: frozenset({SpacerShare.FRAMES}),
    Share.INFINITY: frozenset({SpacerShare.INFINITE, SpacerShare.LEARNED}),
    Share.ALL: frozenset(SpacerShare),
}


class Run(Protocol):
    """What a job needs of `SpacerRun`."""

    def resume(self, imports: Sequence[Shared] = ()) -> Event: ...

    def stop(self) -> None: ...

    def cost(self) -> int: ...

    def counts(self) -> Mapping[str, int]: ...


StartRun: TypeAlias = Callable[[PartProblem, Solve, PdrOptions, "float | None"], Run]


def start_spacer(part: PartProblem, order: Solve, options: PdrOptions, poll_seconds: float | None) -> Run:
    name, _ = limited(order.strategy)
    start = _spacer(name, order, options, poll_seconds)
    return AcceleratedRun(part.system, start) if name == ACCELERATED else start(part.system)


def _spacer(name: str, order: Solve, options: PdrOptions, poll_seconds: float | None) -> partial[SpacerRun]:
    return partial(
        SpacerRun,
        strategy=_STRATEGIES[_STRATEGY_OF.get(name, name)],
        seed=order.seed,
        share=_SHARES[order.share],
        slice_cost=options.slice_cost,
        poll_seconds=poll_seconds,
        cost_limit=_cost_limit(limited(order.strategy)[1], poll_seconds),
    )


def start_other(
    problem: HornProblem, order: Solve, options: PdrOptions, workers: int, poll_seconds: float | None
) -> Run:
    """What neither tells nor takes lemmas, loaded when it is wanted. Stock SPACER works in slices where others have to
    get their turns: in one process, or in virtual time."""
    name, seconds = limited(order.strategy)
    limit = _cost_limit(seconds, poll_seconds)
    if name == GUESS:
        from cleave.engines.pdr.guessing import Guessing

        return Guessing(problem.prepared, cost_limit=limit, options=options)
    if name == CELL_GUESSES:
        from cleave.engines.pdr.cell_guessing import CellGuessing

        return CellGuessing(problem.prepared, cost_limit=limit)
    if name in ABOUT_CELLS:
        from cleave.engines.pdr.cells import CellRun

        return CellRun(problem.prepared, name, _spacer(name, order, options, poll_seconds))
    if name in (UNROLL, BITS):
        from cleave.engines.pdr.unrolling import Unrolling

        return Unrolling(problem.prepared, cost_limit=limit, options=options, bits=name == BITS)
    from cleave.engines.pdr.spacer.stock import StockRun

    sliced = workers == 1 or poll_seconds is None
    return StockRun(
        problem.given,
        problem.text or print_horn(problem.given).encode(),
        poll_seconds=poll_seconds,
        slice_cost=options.stock_slice if sliced else 0,
        cost_limit=limit,
    )


def _cost_limit(seconds: int, poll_seconds: float | None) -> int:
    """Of a run in virtual time. Where time is real, its job ends it."""
    return seconds * _COST_PER_SECOND if poll_seconds is None else 0


class SolveJob:
    def __init__(
        self,
        problem: HornProblem,
        order: Solve,
        options: PdrOptions,
        workers: int,
        start: StartRun,
        clock: Clock,
        poll: float | None,
    ) -> None:
        self.order = order
        self.part = PartProblem(problem.prepared, order.partition)
        self._problem = problem
        name, seconds = limited(order.strategy)
        self._seconds_left = seconds if seconds and poll is not None else math.inf
        self._is_stock = name == STOCK
        self._run: Run
        if name in NOT_SPACER:
            self._run = start_other(problem, order, options, workers, poll)
        else:
            self._run = start(self.part, order, options, poll)
        self._sieve = Sieve(self.part.system, options) if order.sieves else None
        self._sieve_after = options.sieve_after
        self._sieve_share = options.share_of_sieving(workers)
        self._sieve_first = self._sieve_share > 1
        self._slice_cost = options.slice_cost
        self._interval = options.exchange_interval
        self._clock = clock
        self._began = self._last = clock()
        self.level = 0
        self.stands_still = False  # SPACER does, after the last step; otherwise it goes on
        self._shared = 0  # lemmas sent and received
        self._exports: list[messages.Lemma] = []
        self._imports: list[Shared] = []
        self._imported = 0  # lemmas of others, since the last exchange
        self._take(order.lemmas)

    def step(self) -> Answered | None:
        """Goes on for a slice, or (if it polls) for a moment."""
        if self._sieve_first and self._is_sieving_due():
            return self._sieved(())
        imports, self._imports = self._imports, []
        self._shared += len(imports)
        began = process_time()
        event = self._run.resume(imports)
        self._seconds_left -= process_time() - began
        if isinstance(event, SafeAnswer) and self._is_stock:
            return SafeAnswer(self._problem.of_prepared(event.interpretation))
        if not isinstance(event, Paused | Busy):
            return event
        if self._seconds_left <= 0:
            return NoAnswer("its time is over")
        self.level = event.level
        self.stands_still = isinstance(event, Paused)
        self._shared += len(event.lemmas)
        learned = [_from_spacer(lemma) for lemma in event.lemmas]
        self._exports += learned
        return self._sieved(learned)

    def _sieved(self, learned: Sequence[messages.Lemma]) -> SafeAnswer | None:
        """What the sieve makes of the lemmas goes to the others and to SPACER; or it is a proof."""
        sieve = self._sieve
        if sieve is None:
            return None
        sieve.add(learned)
        if self._is_sieving_due():
            sieve.work(self._slice_cost)
            news = sieve.news()
            self._exports += news
            self._imports += map(_to_spacer, news)
        return sieve.proof

    def _is_sieving_due(self) -> bool:
        cost, sieve = self._run.cost(), self._sieve
        due = cost >= self._sieve_after
        return sieve is not None and sieve.is_busy and due and sieve.cost() < self._sieve_share * cost

    def news(self, problem: bytes) -> messages.Exchange | None:
        """None until the next exchange is due."""
        now = self._clock()
        # A search that has just begun has news more often than one that takes long.
        if now - self._last < min(self._interval, max(_FIRST_INTERVAL, _INTERVAL_SHARE * (now - self._began))):
            return None
        self._last = now
        exports, self._exports = tuple(self._exports), []
        imported, self._imported = self._imported, 0
        order, cost, sharing = self.order, self.cost(), self._sharing()
        return messages.Exchange(
            order.job, problem, exports, self.level, cost, sharing, order.strategy, order.partition, imported
        )

    def learn(self, news: Learn) -> None:
        self._take(news.lemmas)

    def _take(self, lemmas: Sequence[messages.Lemma]) -> None:
        taken = [lemma for lemma in lemmas if lemma.level == INVARIANT or self.order.share.frames]
        self._imported += len(taken)
        self._imports += map(_to_spacer, taken)
        if self._sieve is not None:
            self._sieve.add(lemmas)

    def close(self) -> None:
        self._run.stop()
        if self._sieve is not None:
            self._sieve.close()

    def cost(self) -> int:
        return self._run.cost() + self._sieving() + LEMMA_COST * self._shared

    def _sieving(self) -> int:
        return self._sieve.cost() if self._sieve is not None else 0

    def _sharing(self) -> int:
        return LEMMA_COST * self._shared + self._sieving() + self._run.counts().get("proof_cost", 0)

    def effort(self, validation: int) -> Effort:
        sharing = self._sharing()
        seconds = self._clock() - self._began
        return Effort(
            cost=self.cost() + validation,
            sharing=sharing,
            validation=validation,
            seconds=seconds,
            sharing_seconds=seconds * min(1.0, sharing / max(1, self.cost())),
            refused=self._run.counts().get("unreadable", 0),
        )


def _from_spacer(lemma: Lemma) -> messages.Lemma:
    return messages.Lemma(lemma.predicate, INVARIANT if lemma.level == INFINITY else lemma.level, lemma.text)


def _to_spacer(lemma: messages.Lemma) -> Lemma:
    return Lemma(lemma.predicate, INFINITY if lemma.level == INVARIANT else lemma.level, lemma.text)
