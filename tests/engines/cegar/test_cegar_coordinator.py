"""The coordinator, event by event: a loop whose only counterexample is excluded by one predicate."""

from __future__ import annotations

import pytest

from cleave.engines.cegar.coordinator import CegarCoordinator
from cleave.engines.cegar.messages import (
    Analyse,
    Analysed,
    Covered,
    Expand,
    Expanded,
    Failed,
    Feasible,
    FromWorker,
    Learn,
    Learned,
    Ready,
    Refined,
    SentSteps,
    Successors,
    Task,
    ToWorker,
    decode_finding,
    encode,
    pack,
    to_worker,
)
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.coordination import Command, Finish, Hire, Joined, Lost, Passed, Received, Send
from cleave.engines.findings import GivenUp, Violation
from cleave.errors import InternalError

LOOP = 2
TRANSITIONS = ((0, LOOP), (LOOP, LOOP), (LOOP, 1))
PREDICATE = Learned(LOOP, b"x >= 0")


def _coordinator(iterations: int = 0) -> CegarCoordinator:
    options = CegarOptions(iterations=iterations)
    coordinator = CegarCoordinator(Task("loop.smt2", b"", None, None, options, workers=2))
    assert coordinator.start() == [Hire(1)]
    return coordinator


class Desk:
    """Speaks for the workers, and reads what they are told."""

    def __init__(self, coordinator: CegarCoordinator) -> None:
        self.coordinator = coordinator
        self.told: dict[int, list[ToWorker]] = {}
        self.outcome: bytes | None = None

    def join(self, worker: int) -> None:
        self.coordinator.on(Joined(worker))
        self.say(worker, Ready(TRANSITIONS))

    def say(self, worker: int, message: FromWorker) -> None:
        self.take(self.coordinator.on(Received(worker, encode(message))))

    def lose(self, worker: int, reason: str = "") -> None:
        self.take(self.coordinator.on(Lost(worker, reason)))

    def take(self, commands: list[Command]) -> None:
        for command in commands:
            match command:
                case Send(worker=worker, message=message):
                    self.told.setdefault(worker, []).append(to_worker(message))
                case Finish(outcome=outcome):
                    self.outcome = outcome

    def order(self, worker: int) -> ToWorker:
        return self.told[worker][-1]

    def expand(self, worker: int, *taken: tuple[int, int]) -> None:
        """Answers its order: of the transitions asked for, these can be taken."""
        order = self.order(worker)
        assert isinstance(order, Expand)
        found = []
        for piece in order.pieces:
            asked = {number for number, _ in piece.transitions}
            found.append(Successors(tuple((number, pack(bits)) for number, bits in taken if number in asked)))
        self.say(worker, Expanded(order.number, tuple(found), 10, 1))

    def analyse(self, worker: int, answer: Refined | Feasible | Failed) -> None:
        order = self.order(worker)
        assert isinstance(order, Analyse)
        self.say(worker, Analysed(order.number, answer, 5))


def _at_counterexample(iterations: int = 0) -> Desk:
    desk = Desk(_coordinator(iterations))
    desk.join(1)
    desk.expand(1, (0, 0))
    desk.expand(1, (1, 0), (2, 0))
    return desk


def test_a_counterexample_is_analysed_and_its_predicates_are_learned_before_the_next_order() -> None:
    desk = _at_counterexample()
    order = desk.order(1)
    assert isinstance(order, Analyse)
    assert order.path == (0, 2)
    desk.analyse(1, Refined((PREDICATE, PREDICATE)))
    assert desk.told[1][-2] == Learn((PREDICATE,))
    desk.expand(1, (0, 1))
    desk.expand(1, (1, 1))
    assert desk.outcome is not None
    answer = decode_finding(desk.outcome).answer
    assert answer == Covered({0: (b"",), LOOP: (b"\x01",)}, (PREDICATE,))


def test_a_path_that_can_be_taken_ends_the_run() -> None:
    desk = _at_counterexample()
    desk.analyse(1, Feasible((b"a", b"b")))
    assert desk.outcome is not None
    assert decode_finding(desk.outcome).answer == Violation(SentSteps((0, 2), (b"a", b"b")))


@pytest.mark.parametrize("answer", [Failed("nobody knows"), Refined(())])
def test_a_counterexample_that_is_not_excluded_ends_the_run(answer: Failed | Refined) -> None:
    desk = _at_counterexample()
    desk.analyse(1, answer)
    assert desk.outcome is not None
    found = decode_finding(desk.outcome).answer
    assert isinstance(found, GivenUp)
    assert found.reason == "refinement"


def test_a_lost_workers_order_goes_to_another_one() -> None:
    desk = _at_counterexample()
    path = desk.order(1)
    desk.lose(1)
    desk.join(2)
    assert isinstance(path, Analyse)
    assert desk.order(2) == Analyse(path.number + 1, path.path)
    desk.analyse(2, Refined((PREDICATE,)))
    desk.lose(2)
    desk.join(3)
    assert desk.told[3][0] == Learn((PREDICATE,))
    desk.expand(3, (0, 1))
    desk.expand(3, (1, 1))
    assert desk.outcome is not None


def test_what_a_lost_worker_still_says_is_dropped() -> None:
    desk = _at_counterexample()
    order = desk.order(1)
    assert isinstance(order, Analyse)
    desk.lose(1)
    desk.say(1, Analysed(order.number, Feasible(()), 5))
    assert desk.outcome is None


@pytest.mark.parametrize(("reason", "losses"), [("", 16), ("memory", 2)])
def test_work_that_takes_many_workers_with_it_is_given_up(reason: str, losses: int) -> None:
    desk = Desk(_coordinator())
    for worker in range(1, losses + 1):
        assert desk.outcome is None
        desk.join(worker)
        desk.lose(worker, reason)
    assert desk.outcome is not None
    assert isinstance(decode_finding(desk.outcome).answer, GivenUp)


def test_work_is_not_given_up_where_all_workers_are_lost_often() -> None:
    """Those that are lost before they have anything to do, and those with the work."""
    desk = Desk(_coordinator())
    for worker in range(1, 41, 2):
        desk.join(worker)
        desk.coordinator.on(Joined(worker + 1))
        desk.lose(worker + 1)
        desk.lose(worker)
    assert desk.outcome is None
    for worker in range(41, 200):
        desk.join(worker)
        desk.lose(worker)
    assert desk.outcome is not None


def test_the_number_of_iterations_can_be_limited() -> None:
    desk = _at_counterexample(iterations=1)
    desk.analyse(1, Refined((PREDICATE,)))
    assert desk.outcome is not None
    found = decode_finding(desk.outcome).answer
    assert isinstance(found, GivenUp)
    assert (found.reason, desk.coordinator.learned()) == ("iterations", (PREDICATE,))
    assert desk.coordinator.counters()["iterations"] == 1


def test_further_workers_are_hired_when_it_takes_long() -> None:
    coordinator = _coordinator()
    assert coordinator.on(Passed(0.5)) == []
    assert coordinator.on(Passed(1.5)) == [Hire(2)]
    assert coordinator.on(Passed(2.5)) == []


def test_workers_that_read_another_task_are_noticed() -> None:
    desk = Desk(_coordinator())
    desk.join(1)
    desk.coordinator.on(Joined(2))
    with pytest.raises(InternalError, match="differently"):
        desk.say(2, Ready(TRANSITIONS[:2]))
