"""Simulated runs of the cegar engine on clauses that are given as text, with faults, and what each run concludes: for
tests of what has to be the same in all of them.

    alone = simulate(text)
    simulate(text, workers=40, faults=Faults(crash_every=2.0), seed=7).conclusion == alone.conclusion
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.messages import Covered, Finding, SentSteps, decode_finding
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.search import CegarSearch
from cleave.engines.cegar.task import CegarProblem, problem_of
from cleave.engines.cegar.worker import CegarWorker
from cleave.engines.coordination import Clock, Event, Turn, Work
from cleave.engines.desk import Desk, News
from cleave.engines.engine import Setting
from cleave.engines.findings import GivenUp, Violation
from cleave.export.objects import only_deterministic, result_object
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from cleave.run.merge import merge
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.watch import Watch

_FILE = "problem.smt2"
_STEADY = ("iterations", "predicates", "states")
_WORDS = {Covered: "safe", Violation: "unsafe", GivenUp: "unknown"}


@dataclass(frozen=True)
class CegarRun:
    """``outcome`` is what the coordinator finished with, in bytes."""

    search: CegarSearch
    coordinator: CegarCoordinator
    outcome: bytes
    seconds: float
    crashes: int
    events: int

    @property
    def counters(self) -> Mapping[str, int | float]:
        return self.coordinator.counters()

    @property
    def answer(self) -> Covered | Violation[SentSteps] | GivenUp:
        found: Finding = decode_finding(self.outcome)
        return found.answer

    @property
    def word(self) -> str:
        return _WORDS[type(self.answer)]

    @property
    def was_lost(self) -> bool:
        """Whether it gave up as too many workers were lost over a piece of work: that is up to chance."""
        return isinstance(self.answer, GivenUp) and self.answer.reason == "lost"

    @property
    def conclusion(self) -> tuple[bytes, tuple[int, ...]]:
        """What has to be the same in every run: predicates in order, states of the tree or path and values, counts."""
        return self.outcome, tuple(int(self.counters[name]) for name in _STEADY)

    def printed(self) -> str:
        """What ``--json --deterministic`` prints of it, once the evidence is confirmed."""
        with Watch() as watch:
            desk = Desk(watch)
            verdict = self.search.together(desk, _Finished(self))
        outcome = Outcome.of(1, verdict, seconds=0.0, counters=desk.counters, predicates=desk.predicates)
        workers = self.search.setting.workers
        plan = Plan(stages=(Stage(number=1, engine="cegar", purpose="", workers=workers),), workers=workers)
        result = merge(plan, {1: outcome}, self.search.input, seconds=0.0)
        return json.dumps(only_deterministic(result_object(_FILE, result)))


class _Finished:
    """Stands for workers that are done."""

    def __init__(self, run: CegarRun) -> None:
        self._run = run
        self.coordinator = run.coordinator

    def prepare(self) -> None: ...

    def solve(self, halt: threading.Event, note: Callable[[News], None]) -> bytes:
        note(dict(self._run.counters))
        return self._run.outcome

    def events(self) -> Iterable[Event]:
        return ()


def simulate(
    text: str,
    options: CegarOptions | None = None,
    workers: int = 1,
    *,
    faults: Faults = NO_FAULTS,
    seed: int = 0,
    speed: float = COST_PER_SECOND,
) -> CegarRun:
    """``speed`` is the cost of what a worker does in a virtual second."""
    problem, first = _problem(text)

    def start(_task: bytes, _number: int, _clock: Clock | None) -> Work:
        return _late_worker(problem, first)

    input = Input.of(_FILE, text.encode())
    search = CegarSearch.make(input, options or CegarOptions(), Setting(workers=workers, runtime="simulated"))
    coordinator, events = search.coordinator(), list[Event]()
    crew = SimulatedCrew(Assignment("", b""), worker=start, cost_per_second=speed, faults=faults, seed=seed)
    with crew:
        outcome = drive(coordinator, crew, events.extend, timelimit=3600.0)
        assert isinstance(outcome, bytes), "the run must end"
        seconds = crew.now()
    lost = crew.statistics.crashes + crew.statistics.zombies
    return CegarRun(search, coordinator, outcome, seconds, lost, len(events))


@lru_cache(maxsize=4)
def _problem(text: str) -> tuple[CegarProblem, Turn]:
    """And how every worker on it begins."""
    problem = problem_of(Input.of(_FILE, text.encode()), Integers.BITS)
    return problem, next(CegarWorker(problem.system, CegarOptions()).run())


def _late_worker(problem: CegarProblem, first: Turn) -> Work:
    """A worker that gets its solver when it is told something: of many, most are lost before that."""
    incoming = yield first
    work = CegarWorker(problem.system, CegarOptions()).run()
    next(work)
    while True:
        incoming = yield work.send(incoming)
