"""HYDRA's coordinator when workers are lost, give up, or search the whole unsplit; and how it is rebuilt."""

from __future__ import annotations

import pytest

from cleave.engines.coordination import STOPPED, Hire, Joined, Lost, Received
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.coordinator import HydraCoordinator
from cleave.engines.inline.messages import (
    Back,
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    Progress,
    SendPartition,
    Solve,
    encode,
)
from cleave.engines.inline.record import split_tree
from cleave.validate.proofs.coverage import covered
from support.hydra_desk import SLOW, WHOLE, Desk, Told, at_work, half, solved

VIOLATION = Violation((">main", ":b", "<"))
CRASH = "killed by SIGSEGV"


# --- lost workers ---------------------------------------------------------------------------------------------------


def test_the_partition_of_a_lost_worker_is_given_to_another() -> None:
    desk = Desk()
    desk.ask(1, 2)
    assert solved(desk.tell(Lost(1, CRASH))) == [(2, "")]
    assert (desk.count("lost_workers"), desk.count("workers"), desk.count("open_partitions")) == (1, 1, 1)


def test_what_a_lost_worker_had_split_off_stays_and_what_it_had_left_is_queued() -> None:
    desk = Desk()
    desk.ask(1)
    desk.split(1, "")
    desk.split(1, "0")
    assert desk.tell(Lost(1, CRASH)) == []
    told = desk.ask(2, 3, 4)
    assert {name for _, name in solved(told)} == {"1", "01", "00"}
    assert desk.count("open_partitions") == 3


def test_a_worker_that_waits_or_never_asked_takes_nothing_with_it() -> None:
    desk = Desk()
    desk.ask(1, 2)
    desk.tell(Joined(3))
    assert desk.tell(Lost(2)) == desk.tell(Lost(3)) == desk.tell(Lost(9)) == []
    assert desk.split(1, "") == [Hire(4), (1, Pace(SLOW))], "nobody waits any more"
    assert desk.count("lost_workers") == 2


@pytest.mark.parametrize(
    "message",
    [
        GetPartition(),
        SendPartition("0", b"", half("01")),
        Outcome("0", Closed(None, (), ""), Effort(search=5)),
        Outcome("0", VIOLATION, Effort()),
        Progress(1, 2, 3, 4, 5),
    ],
    ids=lambda message: type(message).__name__,
)
def test_messages_of_lost_workers_are_void(message: FromWorker) -> None:
    desk = at_work("0", "1")
    desk.tell(Lost(1))
    before = desk.coordinator.counters()
    assert desk.hear(1, message) == []
    assert desk.coordinator.counters() == before
    assert solved(desk.ask(3)) == [(3, "0")]


# --- what is given up -----------------------------------------------------------------------------------------------


def losses(desk: Desk, name: str, reasons: list[str], first: int) -> list[Told]:
    """Workers from number ``first`` on take the only waiting partition and are lost."""
    told: list[Told] = []
    for worker, reason in enumerate(reasons, start=first):
        assert solved(desk.ask(worker)) == [(worker, name)]
        told = desk.tell(Lost(worker, reason))
    return told


def test_a_partition_that_takes_eight_workers_with_it_is_given_up() -> None:
    desk = Desk()
    assert losses(desk, "", [CRASH] * 7, 1) == []
    (answer,) = losses(desk, "", [CRASH], 8)
    assert isinstance(answer, GivenUp)
    assert answer.reason == "lost"
    assert CRASH in answer.detail


def test_a_partition_that_takes_two_workers_memory_is_given_up() -> None:
    (answer,) = losses(Desk(), "", ["memory", "memory"], 1)
    assert isinstance(answer, GivenUp)
    assert answer.reason == "memory"


def test_workers_that_stopped_with_their_run_are_not_the_partitions_fault() -> None:
    assert losses(Desk(), "", [STOPPED] * 20, 1) == []


def test_the_parts_of_a_partition_are_not_to_blame_for_its_losses() -> None:
    desk = Desk()
    losses(desk, "", [CRASH] * 7, 1)
    desk.ask(8)
    desk.split(8, "")
    desk.ask(9)
    assert desk.tell(Lost(9, CRASH)) == []
    assert desk.tell(Lost(8, CRASH)) == []
    assert desk.count("open_partitions") == 2


@pytest.mark.parametrize("how", ["word", "memory"])
def test_with_a_partition_given_up_no_proof_is_whole(how: str) -> None:
    desk = at_work("00", "1", "01")
    if how == "memory":
        desk.tell(Lost(2, "memory"))
        assert losses(desk, "1", ["memory"], 4) == []
    else:
        desk.give_up(2, "1")
    desk.close(1, "00")
    (answer,) = desk.close(3, "01")
    assert isinstance(answer, GivenUp)
    assert answer.reason == ("memory" if how == "memory" else "unconfirmed")


def test_a_violation_elsewhere_counts_although_a_partition_was_given_up() -> None:
    desk = at_work("00", "1", "01")
    desk.give_up(2, "1")
    desk.close(1, "00")
    assert desk.hear(3, Outcome("01", VIOLATION, Effort())) == [VIOLATION]


# --- a worker for the whole search ----------------------------------------------------------------------------------


def test_the_unsplit_worker_has_the_whole_search_for_itself() -> None:
    desk = Desk(workers=3, unsplit=True)
    assert desk.ask(2) == [(2, Solve("", WHOLE, SLOW))]
    assert desk.ask(1) == [(1, Solve("", WHOLE, 0.5, split=False))], "there is nothing else for it"
    assert desk.ask(3) == [(2, Pace(0.0))], "the unsplit one need not hurry"


def test_a_proof_of_the_whole_decides_the_run() -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    desk.split(2, "")
    assert desk.close(1, "", 3) == [Closed(3, (), "checked")]


def test_the_parts_decide_the_run_before_the_unsplit_worker_does() -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    desk.split(2, "")
    assert desk.close(2, "0") == [(2, Back("1", SLOW))]
    assert desk.close(2, "1") == [Closed(None, (), "proof checked by another encoding")]


def test_an_unsplit_worker_that_gives_up_works_on_a_part() -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    desk.split(2, "")
    assert solved(desk.give_up(1, "")) == [(1, "1")]
    desk.close(1, "1")
    assert desk.close(2, "0") == [Closed(None, (), "proof checked by another encoding")], "its try is no gap"


def test_an_unsplit_worker_that_is_lost_leaves_nothing_undone() -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    assert desk.tell(Lost(1, "memory")) == []
    assert solved(desk.ask(3)) == [], "the whole search is worker 2's now"
    assert desk.close(2, "") == [Closed(None, (), "proof checked by another encoding")]


@pytest.mark.parametrize("how", ["closed", "given up", "lost"])
def test_a_part_that_was_given_up_leaves_it_to_the_unsplit_worker(how: str) -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    assert desk.give_up(2, "") == []
    match how:
        case "closed":
            assert desk.close(1, "", 3) == [Closed(3, (), "checked")]
        case "given up":
            assert desk.give_up(1, "") == [GivenUp("unconfirmed")]
        case _:
            assert desk.tell(Lost(1, CRASH)) == [GivenUp("unconfirmed")]


def test_two_workers_may_close_the_whole_search_at_the_same_moment() -> None:
    desk = Desk(workers=3, unsplit=True)
    desk.ask(2, 1)
    assert desk.close(1, "") == [Closed(None, (), "checked")]
    assert desk.close(2, "") == []
    assert covered(split_tree(desk.events)).holds


def test_of_four_workers_two_search_the_whole_one_of_them_differently() -> None:
    desk = Desk(workers=4, unsplit=None)
    desk.ask(1)
    assert desk.ask(2) == [(2, Solve("", WHOLE, 0.5, split=False))]
    assert desk.ask(3) == [(3, Solve("", WHOLE, 0.5, split=False, differently=True))]
    assert desk.ask(4) == [(1, Pace(0.0))], "there are no more of them"
    assert desk.tell(Lost(2, CRASH)) == []
    assert desk.give_up(1, "") == [], "worker 3 may still prove the whole"
    assert desk.close(3, "", 3) == [Closed(3, (), "checked")]


def test_two_workers_begin_with_the_whole_in_different_ways() -> None:
    desk = Desk(workers=2, unsplit=None)
    cost = desk.task.options.first_split(2)
    assert desk.ask(1) == [(1, Solve("", WHOLE, SLOW))]
    (told,) = desk.ask(2)
    assert told == (2, Solve("", WHOLE, 0.5, split=False, differently=True, most_cost=cost))
    assert desk.give_up(2, "") == [(1, Pace(0.0))], "from now on what worker 1 has is split"
    assert solved(desk.split(1, "")) == [(2, "1")]


def test_who_says_how_to_split_gets_no_pair() -> None:
    assert not Desk(workers=2, unsplit=None, split_after=0).task.options.wholes(2)
    assert not Desk(workers=2, unsplit=False).task.options.wholes(2)


def test_a_worker_alone_is_no_unsplit_one() -> None:
    assert Desk(workers=1, unsplit=True).ask(1) == [(1, Solve("", WHOLE, SLOW))]


# --- going on -------------------------------------------------------------------------------------------------------


def test_a_coordinator_is_rebuilt_by_its_events() -> None:
    desk = at_work("00", "1", "01")
    desk.tell(Lost(3, "memory"))
    desk.hear(1, Progress(2, 10, 20, 3, 4))
    desk.close(1, "00", 2)
    rebuilt = HydraCoordinator(desk.task)
    for event in desk.events:
        rebuilt.on(event)
    assert rebuilt.counters() == desk.coordinator.counters()
    for event in (Joined(5), Received(5, encode(GetPartition())), Lost(2), Lost(1, "memory"), Lost(5)):
        assert rebuilt.on(event) == desk.coordinator.on(event)
