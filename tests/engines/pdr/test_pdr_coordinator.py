"""P3's coordinator by its events and commands: one example for each rule of Algorithm 1, and of what Cleave adds."""

from __future__ import annotations

import pytest

from cleave.engines.coordination import STOPPED, Hire, Joined, Lost, Passed, Received
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.messages import (
    Closed,
    Divide,
    Divided,
    Division,
    Effort,
    Exchange,
    FromWorker,
    Lemma,
    Outcome,
    Proof,
    Proofs,
    Ready,
    encode,
)
from cleave.engines.pdr.options import NOTHING_COUNTS, TECHNIQUES, Share, technique
from support.pdr_desk import EFFORT, QUERY, Desk, entrusted, part, stopped

VIOLATION = Violation(b"derivation")
BAD_TEXT = encode(Exchange(1, b"", (Lemma("p", 1, "x"),))).replace(b"\xa1x", b"\xa1\xbf")
AT_ONCE = {"partitions": 3}


def divided(workers: int, rules: tuple[int, ...], **how: object) -> Desk:
    """All workers have joined, and the first has divided the query, as the paper does it."""
    desk = Desk(workers, **{**AT_ONCE, "whole": False, **how})
    desk.ready(*range(1, workers + 1))
    desk.divide(1, rules)
    return desk


# --- portfolio ------------------------------------------------------------------------------------------------------


def test_a_portfolio_gives_each_worker_another_strategy_and_then_another_seed() -> None:
    desk = Desk(6, seed=10)
    told = desk.ready(1, 2, 3, 4, 5, 6)
    assert entrusted(told) == [
        *((1, None, "a", 10), (2, None, "b", 10), (3, None, "c", 10), (4, None, "d", 10)),
        *((5, None, "a", 11), (6, None, "b", 11)),
    ]


def test_the_first_to_close_the_whole_ends_the_run() -> None:
    desk = Desk(2)
    desk.ready(1, 2)
    assert desk.close(2) == [Proofs((Proof(None, b"proof 2", "checked"),))]
    assert desk.count("solved_by b") == 1


def test_a_derivation_ends_the_run() -> None:
    desk = Desk(2)
    desk.ready(1, 2)
    assert desk.answer(1, VIOLATION) == [VIOLATION]
    assert desk.close(2) == [], "too late"


def test_a_strategy_that_ends_without_an_answer_is_not_tried_again_and_the_next_one_is() -> None:
    desk = Desk(2)
    desk.ready(1, 2)
    assert entrusted(desk.give_up(1)) == [(1, None, "c", 0)]
    assert entrusted(desk.give_up(1)) == [(1, None, "d", 0)]
    assert desk.give_up(1) == [], "there is nothing left to try, but worker 2 is at it"
    (given_up,) = desk.give_up(2, "solver", "incomplete")
    assert given_up == GivenUp("solver", "solver; solver: incomplete")


@pytest.mark.parametrize(("reason", "stock"), [(NOTHING_COUNTS, "stock@10"), ("its time is over", "stock@4")])
def test_without_loops_that_count_stock_spacer_has_their_time(reason: str, stock: str) -> None:
    desk = Desk(2, strategies=None)
    assert [strategy for _, _, strategy, _ in entrusted(desk.ready(1, 2))] == ["global", "accelerated@5"]
    assert entrusted(desk.give_up(2, "solver", reason)) == [(2, None, stock, 0)]


def test_strategies_that_somebody_chose_stay_as_they_are() -> None:
    desk = Desk(2, strategies=("global", "accelerated@5", "stock@4"))
    desk.ready(1, 2)
    assert entrusted(desk.give_up(2, "solver", NOTHING_COUNTS)) == [(2, None, "stock@4", 0)]


# --- partitioning ---------------------------------------------------------------------------------------------------


def test_partitioning_comes_first_if_nobody_is_wanted_on_the_whole() -> None:
    desk = Desk(3, **AT_ONCE, whole=False)
    assert desk.ready(1, 2) == [(1, Divide(1))], "the other one waits"
    assert entrusted(desk.divide(1, (0, 1))) == [(1, 0, "a", 0), (2, 1, "a", 0)]
    assert entrusted(desk.ready(3)) == [(3, 0, "b", 0)]


def test_one_worker_is_on_the_whole_while_others_divide_it() -> None:
    desk = Desk(3, **AT_ONCE)
    assert entrusted(desk.ready(1)) == [(1, None, "a", 0)]
    assert desk.ready(2) == [(2, Divide(2))]
    assert entrusted(desk.ready(3)) == [(3, None, "b", 0)]
    told = desk.divide(2, (0, 1))
    assert stopped(told) == [3], "the first strategy stays on the whole"
    assert entrusted(told) == [(2, 0, "a", 0), (3, 1, "a", 0)]


def test_partitions_are_distributed_evenly_with_three_strategies_before_seeds() -> None:
    desk = Desk(9, **AT_ONCE, whole=False)
    desk.ready(*range(1, 10))
    told = entrusted(desk.divide(1, (4, 5)))
    assert sorted((rule, strategy, seed) for _, rule, strategy, seed in told) == [
        *((4, "a", 0), (4, "a", 1), (4, "b", 0), (4, "b", 1), (4, "c", 0)),
        *((5, "a", 0), (5, "a", 1), (5, "b", 0), (5, "c", 0)),
    ]


def test_limits_are_for_the_whole_and_parts_are_worked_on_without() -> None:
    desk = Desk(4, **AT_ONCE, whole=False, strategies=("a@1", "stock", "b", "a"))
    desk.ready(1, 2, 3, 4)
    told = entrusted(desk.divide(1, (4, 5)))
    assert sorted((rule, strategy) for _, rule, strategy, _ in told) == [(4, "a"), (4, "b"), (5, "a"), (5, "b")]


def test_a_closed_partition_frees_its_workers_for_those_with_the_fewest() -> None:
    desk = divided(4, (0, 1))  # 1 and 3 on rule 0, 2 and 4 on rule 1
    told = desk.close(1)
    assert stopped(told) == [3]
    assert {(worker, rule) for worker, rule, *_ in entrusted(told)} == {(1, 1), (3, 1)}
    assert desk.count("open_partitions") == 1


def test_the_run_ends_when_all_partitions_are_closed() -> None:
    desk = divided(2, (0, 1))
    assert entrusted(desk.close(1)) == [(1, 1, "b", 0)]
    assert desk.close(1) == [
        Proofs(
            (Proof(part(0), b"proof 1", "checked"), Proof(part(1), b"proof 1", "checked")),
            (7,),
            (Division(QUERY, 0, (0, 1), ()),),
        )
    ]


def test_the_whole_decides_the_run_whatever_is_open() -> None:
    desk = Desk(3, **AT_ONCE)
    desk.ready(1, 2, 3)
    desk.divide(2, (0, 1))
    assert desk.close(1) == [Proofs((Proof(None, b"proof 1", "checked"),))]


def test_a_problem_none_of_whose_parts_is_feasible_is_closed() -> None:
    desk = Desk(1, **AT_ONCE, whole=False)
    desk.ready(1)
    assert desk.divide(1, (), (0, 1)) == [Proofs((), (7,), (Division(QUERY, 0, (), (0, 1)),))]


def test_the_divider_may_find_a_derivation_but_close_nothing() -> None:
    desk = Desk(1, **AT_ONCE, whole=False)
    desk.ready(1)
    assert desk.hear(1, Outcome(1, desk.problem, None, Closed(b"", ""), EFFORT)) == []
    assert desk.count("ignored") == 1
    assert desk.hear(1, Outcome(1, desk.problem, None, VIOLATION, EFFORT)) == [VIOLATION]


def test_a_partition_that_is_given_up_leaves_it_to_the_whole() -> None:
    desk = divided(1, (0, 1), width=1)
    assert entrusted(desk.give_up(1)) == [(1, None, "a", 0)], "somebody has to do it"
    for strategy in "bcd":
        assert entrusted(desk.give_up(1)) == [(1, None, strategy, 0)]
    desk.give_up(1)
    assert desk.solves(1).partition == part(1), "maybe there is a derivation"


def test_the_default_divides_when_the_whole_takes_long() -> None:
    desk = Desk(3, partitions=None, partition_after=100)
    desk.ready(1, 2, 3)
    assert desk.exchange(2, cost=99) == []
    told = desk.exchange(1, cost=100)
    assert stopped(told) == [3]
    assert told[1:] == [(3, Divide(4))]
    told = desk.divide(3, (0, 1))
    assert stopped(told) == [2]
    assert entrusted(told) == [(2, 0, "a", 0), (3, 1, "a", 0)]
    assert desk.exchange(1, cost=1000) == [], "once is enough"


def test_a_worker_alone_stays_on_the_whole() -> None:
    desk = Desk(3, partitions=None, partition_after=100)
    desk.ready(1)
    assert desk.exchange(1, cost=100) == []
    desk.ready(2)
    assert stopped(desk.exchange(1, cost=101)) == [2]


def test_when_all_strategies_have_given_up_the_problem_is_divided() -> None:
    desk = Desk(1, partitions=None, strategies=("a",))
    desk.ready(1)
    assert desk.give_up(1) == [(1, Divide(2))]
    assert entrusted(desk.divide(1, (0,))) == [(1, 0, "a", 0)]


def test_one_partition_is_no_better_than_the_whole() -> None:
    desk = Desk(2, **AT_ONCE)
    desk.ready(1, 2)
    assert entrusted(desk.divide(2, (0,), (1,))) == [(2, None, "b", 0)]
    assert desk.count("partitions") == 0


@pytest.mark.parametrize("name", sorted(TECHNIQUES))
def test_the_eight_techniques_of_the_paper(name: str) -> None:
    options = technique(name, workers=6, strategies=("a", "b", "c"))
    partitioned, share = TECHNIQUES[name]
    desk = Desk(6, **{field: getattr(options, field) for field in options.__slots__})
    told = desk.ready(*range(1, 7))
    if partitioned:
        told = desk.divide(1, (0, 1))
        assert {rule for _, rule, *_ in entrusted(told)} == {0, 1}
    else:
        assert {rule for _, rule, *_ in entrusted(told)} == {None}
    assert {desk.solves(worker).share for worker in range(1, 7)} == {share}
    assert len({(o.partition, o.strategy, o.seed) for o in map(desk.solves, range(1, 7))}) == 6, "all different"


# --- what is not believed -------------------------------------------------------------------------------------------


def test_an_answer_that_was_not_confirmed_is_tried_again_without_lemmas_of_others() -> None:
    desk = Desk(2, share=Share.ALL, strategies=("a", "b"))
    desk.ready(1, 2)
    desk.exchange(2, "poison")
    told = desk.give_up(1, "unconfirmed", "clause 3")
    assert entrusted(told) == [(1, None, "a", 0)]
    assert (desk.solves(1).share, desk.solves(1).lemmas) == (Share.NONE, ())
    assert desk.give_up(1, "unconfirmed", "clause 3") == [], "now that strategy is dead"
    desk.give_up(2, "unconfirmed", "clause 4")
    assert desk.solves(1).strategy == "b"
    (answer,) = desk.give_up(1, "unconfirmed", "clause 4")
    assert answer == GivenUp("unconfirmed", "unconfirmed: clause 3; unconfirmed: clause 4")


@pytest.mark.parametrize("what", ["worker", "job", "problem", "partition", "kind"])
def test_an_outcome_of_another_job_is_not_believed(what: str) -> None:
    desk = divided(2, (0, 1))
    mine, others = desk.solves(1), desk.solves(2)
    worker = 2 if what == "worker" else 1
    job = 99 if what == "job" else mine.job
    problem = b"another" if what == "problem" else desk.problem
    partition = others.partition if what == "partition" else mine.partition
    for answer in (Closed(b"", ""), VIOLATION, GivenUp("solver")):
        message: FromWorker = Outcome(job, problem, partition, answer, EFFORT)
        if what == "kind":
            message = Divided(job, problem, (7,), (), EFFORT)
        before = desk.coordinator.counters()
        assert desk.tell(Received(worker, encode(message))) == []
        after = desk.coordinator.counters()
        assert after.pop("ignored") == before.pop("ignored") + 1
        assert before == after


def test_what_can_not_be_read_is_ignored() -> None:
    desk = divided(2, (0, 1))
    for data in (b"", b"\xc1", encode(Ready(desk.problem))[:-1], b"\x93\x04\x01\x02", BAD_TEXT):
        assert desk.tell(Received(1, data)) == []
    assert desk.tell(Received(9, encode(Ready(desk.problem)))) == [], "nobody of that number has joined"
    assert desk.count("ignored") == 6


def test_a_stopped_jobs_late_answer_is_ignored() -> None:
    desk = divided(3, (0, 1))  # 1 and 3 on rule 0
    late = desk.solves(3)
    desk.close(1)
    assert desk.tell(Received(3, encode(Outcome(late.job, desk.problem, part(0), VIOLATION, Effort())))) == []
    assert desk.count("ignored") == 1


@pytest.mark.parametrize(
    "divisions",
    [
        (Division(part(0), 0, (1,), ()),),
        (Division(QUERY, 0, (1,), ()), Division(QUERY, 0, (1,), ())),
        (Division(QUERY, 0, (1,), (1,)),),
    ],
)
def test_divisions_that_make_no_sense_are_ignored(divisions: tuple[Division, ...]) -> None:
    desk = Desk(1, **AT_ONCE, whole=False)
    desk.ready(1)
    assert desk.hear(1, Divided(1, desk.problem, (7,), divisions, EFFORT)) == []
    assert desk.count("ignored") == 1


# --- workers --------------------------------------------------------------------------------------------------------


def test_one_worker_is_hired_and_all_after_some_time() -> None:
    desk = Desk(4, patience=1.0)
    assert desk.coordinator.start() == [Hire(1)]
    assert desk.tell(Passed(0.9)) == []
    assert desk.tell(Passed(1.0)) == [Hire(4)]
    assert desk.tell(Passed(2.0)) == []


def test_what_a_lost_worker_did_is_done_by_another() -> None:
    desk = divided(3, (0, 1))  # 1 and 3 on rule 0
    assert desk.tell(Lost(1, "killed")) == []
    assert entrusted(desk.ready(4)) == [(4, 0, "a", 0)]
    assert desk.count("lost_workers") == 1


@pytest.mark.parametrize(("reason", "most"), [("killed", 4), ("memory", 2)])
def test_a_strategy_that_takes_workers_with_it_is_dropped(reason: str, most: int) -> None:
    desk = Desk(1)
    for worker in range(1, most + 1):
        assert entrusted(desk.ready(worker)) == [(worker, None, "a", 0)]
        desk.tell(Lost(worker, reason))
    assert entrusted(desk.ready(9)) == [(9, None, "b", 0)]


def test_workers_that_stopped_with_their_run_are_nobodys_fault() -> None:
    desk = Desk(1)
    for worker in range(1, 9):
        assert entrusted(desk.ready(worker)) == [(worker, None, "a", 0)]
        desk.tell(Lost(worker, STOPPED))
    assert desk.count("lost_workers") == 0


def test_a_problem_whose_dividers_are_lost_stays_whole() -> None:
    desk = Desk(2, **AT_ONCE)
    desk.ready(1)
    for worker in (2, 3, 4):
        assert isinstance(desk.ready(worker)[0], tuple)
        assert isinstance(desk.order(worker), Divide)
        desk.tell(Lost(worker, "killed"))
    assert entrusted(desk.ready(5)) == [(5, None, "b", 0)]


def test_messages_of_lost_workers_are_void() -> None:
    desk = divided(2, (0, 1))
    order = desk.solves(1)
    desk.tell(Lost(1))
    for message in (
        Ready(desk.problem),
        Exchange(order.job, desk.problem),
        Outcome(order.job, desk.problem, order.partition, VIOLATION, EFFORT),
    ):
        assert desk.tell(Received(1, encode(message))) == []


def test_a_coordinator_is_rebuilt_by_its_events() -> None:
    desk = divided(4, (0, 1, 2), share=Share.ALL)
    desk.exchange(1, "x", "y")
    desk.exchange(2, "x", cost=7)
    desk.close(3)
    desk.tell(Lost(4, "memory"))
    rebuilt = P3Coordinator(desk.task)
    for event in desk.events:
        rebuilt.on(event)
    assert rebuilt.counters() == desk.coordinator.counters()
    events = (Joined(5), Received(5, encode(Ready(desk.problem))), Lost(2), Lost(1, "memory"), Lost(5))
    for event in events:
        assert rebuilt.on(event) == desk.coordinator.on(event)
