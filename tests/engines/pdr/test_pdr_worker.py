"""A worker by its messages, with a solver that does as it is told; and one worker alone, with the real one."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cleave.engines.coordination import Turn, Work
from cleave.engines.findings import GaveUp, GivenUp, Proof, Violation
from cleave.engines.pdr.alone import Found, solve_briefly, solve_sequentially
from cleave.engines.pdr.evidence import Invariants
from cleave.engines.pdr.messages import (
    INVARIANT,
    Closed,
    Divide,
    Divided,
    Exchange,
    FromWorker,
    Learn,
    Lemma,
    Outcome,
    Ready,
    Solve,
    Stop,
    Task,
    ToWorker,
    encode,
    from_worker,
)
from cleave.engines.pdr.options import PdrOptions, Share
from cleave.engines.pdr.spacer import run as spacer
from cleave.engines.pdr.spacer.run import INFINITY, Event, NoAnswer, Paused, SafeAnswer, UnsafeAnswer
from cleave.engines.pdr.task import horn_problem
from cleave.engines.pdr.worker import Assigned, P3Worker
from cleave.ir.horn import Derivation, HornSystem, Interpretation, Relation, Step
from cleave.ir.horn_partition import Partition, whole
from cleave.logic.terms import TRUE, add, eq, gt, le, lt
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation
from cleave.verdict import Reason
from cleave.watch import Watch
from support.pdr_runs import N, X, atom, counter, modes, pairs, query, rule, system

GIVEN = counter(10, gt(X, N(10)))
GOOD: Interpretation = {"count": Relation((X,), le(X, N(10)))}
BAD: Interpretation = {"count": Relation((X,), TRUE)}


class FakeRun:
    """Says what it was made with, one after the other."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = list(events)
        self.imported: list[Any] = []
        self.stopped = False

    def resume(self, imports: Sequence[Any] = ()) -> Event:
        self.imported += imports
        return self.events.pop(0)

    def stop(self) -> None:
        self.stopped = True

    def cost(self) -> int:
        return 100

    def counts(self) -> Mapping[str, int]:
        return {"unreadable": 1}


class Bench:
    """A worker that is sent messages and heard."""

    def __init__(self, *events: Event, given: HornSystem = GIVEN, interval: float = 0.0) -> None:
        self.task = Task("problem.smt2", b"", None, None, PdrOptions(exchange_interval=interval, partitions=4))
        self.runs: list[FakeRun] = []

        def start(*_: Any) -> FakeRun:
            self.runs.append(FakeRun(events))
            return self.runs[-1]

        self.work: Work = P3Worker(Assigned(self.task, horn_problem(given)), lambda: 1.0, start).run()
        self.turn: Turn = next(self.work)
        assert self.heard() == [Ready(self.task.digest())]
        assert self.turn.idle

    def send(self, *messages: ToWorker) -> list[FromWorker]:
        self.turn = self.work.send([encode(message) for message in messages])
        return self.heard()

    def heard(self) -> list[FromWorker]:
        return [message for one in self.turn.messages if (message := from_worker(one)) is not None]

    def solve(self, job: int = 1, partition: Partition | None = None, lemmas: tuple[Lemma, ...] = ()) -> Solve:
        return Solve(job, partition, "default", 0, Share.ALL, lemmas)


def paused(*lemmas: spacer.Lemma) -> Paused:
    return Paused(lemmas, 3, 100)


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (SafeAnswer(GOOD), Closed, "checked"),
        (SafeAnswer(BAD), GivenUp, "not confirmed"),
        (SafeAnswer({"nobody": GOOD["count"]}), GivenUp, "not confirmed"),
        (UnsafeAnswer(None, "no proof"), GivenUp, "no proof"),
        (UnsafeAnswer(Derivation((Step(0, "count", (N(0),), ()), Step(2, None, (), (0,))))), GivenUp, "not confirmed"),
        (NoAnswer("incomplete"), GivenUp, "incomplete"),
    ],
)
def test_an_answer_is_claimed_only_if_it_is_confirmed(answer: Event, kind: type[Any], said: str) -> None:
    bench = Bench(answer)
    (outcome,) = bench.send(bench.solve(7))
    assert isinstance(outcome, Outcome)
    assert (outcome.job, outcome.problem, outcome.partition) == (7, bench.task.digest(), None)
    assert isinstance(outcome.answer, kind)
    assert said in repr(outcome.answer)
    assert bench.runs[0].stopped
    assert bench.turn.idle


def test_lemmas_go_out_and_come_in() -> None:
    mine = spacer.Lemma("count", INFINITY, "(<= a0 10)")
    theirs = Lemma("count", 2, "(<= a0 2)")
    bench = Bench(paused(mine), paused(), paused(), NoAnswer(""))
    (exchange,) = bench.send(bench.solve(1, lemmas=(Lemma("count", INVARIANT, "(>= a0 0)"),)))
    assert isinstance(exchange, Exchange)
    assert exchange.lemmas == (Lemma("count", INVARIANT, "(<= a0 10)"),)
    assert (exchange.level, exchange.sharing) == (3, 200)
    bench.send(Learn(1, (theirs,)), Learn(2, (theirs,)))
    assert bench.runs[0].imported == [
        spacer.Lemma("count", INFINITY, "(>= a0 0)"),
        spacer.Lemma("count", 2, "(<= a0 2)"),
    ], "and not what is for another job"
    assert bench.turn.cost > 100


def test_a_stopped_job_says_nothing_more_and_the_next_one_begins_at_once() -> None:
    bench = Bench(paused(), paused(), interval=9.0)
    bench.send(bench.solve(1))
    assert bench.send(Stop(9)) == [], "that is for another job"
    assert bench.send(Stop(1), bench.solve(2)) == []
    assert [run.stopped for run in bench.runs] == [True, False]
    assert bench.send(Stop(2)) == []
    assert bench.turn.idle
    assert bench.runs[1].stopped


def test_a_worker_that_ends_stops_its_solver() -> None:
    bench = Bench(paused())
    bench.send(bench.solve())
    bench.work.close()
    assert bench.runs[0].stopped


def test_the_problem_is_divided() -> None:
    bench = Bench(given=modes(7))
    heard = bench.send(Divide(3))
    while not heard:
        heard = bench.send()
    (divided,) = heard
    assert isinstance(divided, Divided)
    prepared = horn_problem(modes(7)).prepared
    assert (divided.job, divided.queries) == (3, tuple(part.query for part in whole(prepared)))
    assert divided.divisions


def test_a_derivation_that_is_found_while_dividing_ends_it() -> None:
    bench = Bench(given=counter(10, eq(X, N(0))))
    heard = bench.send(Divide(3))
    while not heard:
        heard = bench.send()
    (outcome,) = heard
    assert isinstance(outcome, Outcome)
    assert isinstance(outcome.answer, Violation)


# --- alone ----------------------------------------------------------------------------------------------------------


def alone(given: HornSystem, options: PdrOptions, halt: threading.Event | None = None) -> Found:
    steps = solve_sequentially(horn_problem(given), options, halt or threading.Event())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Found = end.value
            return found


@pytest.mark.parametrize("given", [counter(10, gt(X, N(10))), pairs(7)], ids=["counter", "pairs"])
def test_alone_safe(given: HornSystem) -> None:
    found = alone(given, PdrOptions())
    assert isinstance(found, Proof)
    assert isinstance(found.evidence, Invariants)
    lifted = horn_problem(given).interpretation(found.evidence.interpretations[None])
    assert check_interpretation(given, lifted).holds


@pytest.mark.parametrize("given", [counter(9, eq(X, N(7))), pairs(8)], ids=["counter", "pairs"])
def test_alone_unsafe(given: HornSystem) -> None:
    found = alone(given, PdrOptions(strategies=("default",)))
    assert isinstance(found, Violation)
    assert isinstance(found.evidence, Derivation)
    assert check_derivation(given, found.evidence).holds


def test_alone_stops_soon_when_it_is_told_to() -> None:
    halt = threading.Event()
    threading.Timer(0.3, halt.set).start()
    assert isinstance(alone(counter(100_000, eq(X, N(100_000))), PdrOptions(), halt), GaveUp)


def test_a_strategy_ends_at_its_limit() -> None:
    endless = counter(1_000_000, eq(X, N(1_000_000)))
    assert alone(endless, PdrOptions(strategies=("default@1",))) == GaveUp(Reason.SOLVER, "solver: its time is over")


def test_a_loop_that_counts_is_taken_many_rounds_at_a_time() -> None:
    """`default` would need as many levels."""
    far = PdrOptions(strategies=("accelerated@1",))
    found = alone(counter(3_000, gt(X, N(2_998))), far)
    assert isinstance(found, Violation)
    assert isinstance(found.evidence, Derivation)
    assert len(found.evidence.steps) == 3_001
    assert check_derivation(counter(3_000, gt(X, N(2_998))), found.evidence).holds
    assert isinstance(alone(counter(3_000, gt(X, N(3_000))), far), Proof)
    endless = counter(10_000_000, eq(X, N(10_000_000)))
    assert alone(endless, far) == GaveUp(Reason.SOLVER, "solver: the derivation takes more than 50000 steps")


def test_where_nothing_counts_the_next_strategy_has_its_turn() -> None:
    doubled = system(
        rule(atom("at", N(1)), TRUE),
        rule(atom("at", add(X, X)), lt(X, N(50)), atom("at", X)),
        query(gt(X, N(99)), atom("at", X)),
    )
    assert alone(doubled, PdrOptions(strategies=("accelerated",))) == GaveUp(Reason.SOLVER, "solver: no loop counts")
    assert isinstance(alone(doubled, PdrOptions(strategies=("accelerated", "default"))), Proof)


def test_a_moment_alone_is_enough_or_it_is_not() -> None:
    options = PdrOptions()
    with Watch() as watch:
        assert isinstance(solve_briefly(horn_problem(GIVEN), options, 0.2, watch, lambda _: None), Proof)
        endless = counter(100_000, eq(X, N(100_000)))
        assert solve_briefly(horn_problem(endless), options, 0.2, watch, lambda _: None) is None
