"""One worker, in this process, without a coordinator: strategies take turns, each for longer than the time before.

    round 1     first ▆
    round 2     second ▆▆     first ▆▆
    round 3     third ▆▆▆▆    second ▆▆▆▆   first ▆▆▆▆

`solve_briefly` is the first round alone: where there are workers, it finds out whether any of them is needed.

Nothing is begun again: when its turn is over, a run waits inside SPACER for its next one. Runs give each other
their lemmas as workers do. An answer that is not confirmed ends its run, and the others continue.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from time import monotonic, process_time
from typing import Protocol

from cleave.engines.desk import News
from cleave.engines.findings import Finding, GaveUp, GivenUp, Proof, Violation
from cleave.engines.pdr.confirm import Confirming
from cleave.engines.pdr.evidence import REASONS, Invariants, decode_derivation, decode_interpretation
from cleave.engines.pdr.job import POLL_SECONDS, SolveJob, start_spacer
from cleave.engines.pdr.messages import Answer, Closed, Learn, Solve
from cleave.engines.pdr.options import NOT_SPACER, PdrOptions, Share, limited
from cleave.engines.pdr.sharing import LemmaStore
from cleave.engines.pdr.task import HornProblem
from cleave.engines.text import count
from cleave.ir.horn import Derivation
from cleave.records import dataclass
from cleave.smt.z3.complaints import hidden_complaints
from cleave.verdict import Reason

_ONE = 1  # worker
_BRIEF_CHECK_SECONDS = 5.0  # of what is found before anybody is hired


Found = Finding[Derivation | Invariants]


class Watcher(Protocol):
    """What is needed of a `Watch`."""

    @property
    def reason(self) -> Reason | None: ...

    def guard(self, interrupt: Callable[[], None]) -> None: ...

    def unguard(self, interrupt: Callable[[], None]) -> None: ...


def solve_alone(problem: HornProblem, options: PdrOptions, watch: Watcher, note: Callable[[News], None]) -> Found:
    found = _followed(problem, options, watch, note)
    assert found is not None
    return found


def solve_briefly(
    problem: HornProblem, options: PdrOptions, seconds: float, watch: Watcher, note: Callable[[News], None]
) -> Found | None:
    """With the first strategy, or the second if that ends at once, for so many seconds of this process; None if that
    was not enough."""
    brief = replace(options, strategies=options.order(_ONE, problem.unfit)[:2], check_seconds=_BRIEF_CHECK_SECONDS)
    found = _followed(problem, brief, watch, note, seconds=seconds)
    return None if isinstance(found, GaveUp) and watch.reason is None else found


def _followed(
    problem: HornProblem,
    options: PdrOptions,
    watch: Watcher,
    note: Callable[[News], None],
    *,
    seconds: float = math.inf,
) -> Found | None:
    """Processor time is what counts: a machine that is busy is no reason to start more processes."""
    halt, end = threading.Event(), process_time() + seconds
    watch.guard(halt.set)
    steps = solve_sequentially(problem, options, halt)
    try:
        with hidden_complaints():
            while process_time() < end:
                note(next(steps))
    except StopIteration as finished:
        found: Found = finished.value
        return found
    except BaseException:
        steps.close()
        raise
    finally:
        watch.unguard(halt.set)
    # Z3 may take long to notice that it is to stop, and nobody needs to wait for it.
    threading.Thread(target=steps.close, name="cleave-stop", daemon=True).start()
    return None


def solve_sequentially(
    problem: HornProblem, options: PdrOptions, halt: threading.Event
) -> Generator[News, None, Found]:
    """Ends soon after ``halt`` is set."""
    alone = _Alone(problem, options)
    try:
        return (yield from alone.run(halt))
    finally:
        alone.close()


@dataclass(slots=True)
class _Turn:
    """A run and the cost at which its turn ends."""

    job: SolveJob
    cost: int


class _Alone:
    def __init__(self, problem: HornProblem, options: PdrOptions) -> None:
        self._problem = problem
        self._options = options
        self._confirming = Confirming(problem, options.check_seconds, on_given=True)
        self._lemmas = LemmaStore()
        self._waiting = list(options.order(_ONE, problem.unfit))
        self._jobs: list[SolveJob] = []
        self._dead: list[GivenUp] = []
        self._dead_cost = 0
        self._level = 0

    def close(self) -> None:
        self._confirming.close()
        for job in self._jobs:
            job.close()

    def run(self, halt: threading.Event) -> Generator[News, None, Found]:
        self._confirming.prepare()
        for turn in self._turns():
            answer = yield from self._take(turn, halt)
            if halt.is_set():
                return GaveUp(Reason.INTERRUPTED, f"no violation within {count(self._level, 'level')}")
            match answer:
                case Closed(interpretation=interpretation, validation=checked):
                    return Proof(Invariants({None: decode_interpretation(interpretation)}, checked))
                case Violation(derivation):
                    return Violation(decode_derivation(derivation))
                case GivenUp() as why:
                    self._dead.append(why)
        return self._gave_up()

    def _turns(self) -> Iterator[_Turn]:
        """One more run in each round, as long as there are strategies left; it has the first turn."""
        cost = self._options.turn_cost
        while self._jobs or self._waiting:
            if self._waiting:
                self._jobs.insert(0, self._begin(self._waiting.pop(0)))
            for job in list(self._jobs):
                yield _Turn(job, job.cost() + cost)
            if self._jobs:
                cost = min(2 * cost, self._options.most_turn_cost)

    def _begin(self, strategy: str) -> SolveJob:
        number = len(self._jobs) + len(self._dead) + 1
        share = Share.NONE if limited(strategy)[0] in NOT_SPACER else self._options.share
        sieves = share.invariants and not any(job.order.sieves for job in self._jobs)
        self._lemmas.begin(number, None, share, sieves=sieves)
        order = Solve(number, None, strategy, self._options.seed, share, self._lemmas.pull(number), sieves)
        return SolveJob(self._problem, order, self._options, _ONE, start_spacer, monotonic, POLL_SECONDS)

    def _take(self, turn: _Turn, halt: threading.Event) -> Generator[News, None, Answer | None]:
        """Lets a run have its turn; what it claims at the end, checked, if it ends."""
        job, over = turn.job, 0.0
        while not halt.is_set():
            found = job.step()
            if found is not None:
                yield self._counters()
                self._end(job)
                return self._confirming.answer(job.part, found)[0]
            self._level = max(self._level, job.level)
            self._share(job)
            yield self._counters()
            if job.cost() >= turn.cost:
                if job.stands_still or (over and monotonic() - over > self._options.stuck_seconds):
                    return None
                over = over or monotonic()
        return None

    def _share(self, job: SolveJob) -> None:
        news = job.news(b"")
        if news is not None:
            self._lemmas.push(job.order.job, news.lemmas)
            lemmas = self._lemmas.pull(job.order.job)
            if lemmas:
                job.learn(Learn(job.order.job, lemmas))

    def _end(self, job: SolveJob) -> None:
        job.close()
        self._jobs.remove(job)
        self._dead_cost += job.cost()

    def _counters(self) -> News:
        cost = self._dead_cost + sum(job.cost() for job in self._jobs)
        return {"level": self._level, "cost": cost, "runs": len(self._jobs), **self._lemmas.counts}

    def _gave_up(self) -> GaveUp:
        said = dict.fromkeys(f"{why.reason}: {why.detail}" if why.detail else why.reason for why in self._dead)
        reasons = [REASONS.get(why.reason, Reason.SOLVER) for why in self._dead]
        unconfirmed = Reason.UNCONFIRMED in reasons
        return GaveUp(Reason.UNCONFIRMED if unconfirmed else Reason.SOLVER, "; ".join(said))
