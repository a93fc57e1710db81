"""HYDRA's coordinator by its events and commands: one example for each rule of section IV, and of what Cleave adds."""

from __future__ import annotations

import pytest

from cleave.engines.coordination import Hire, Lost, Passed
from cleave.engines.findings import Violation
from cleave.engines.inline.messages import (
    Back,
    Closed,
    Effort,
    FromWorker,
    Outcome,
    Pace,
    Progress,
    SendPartition,
    Solve,
)
from cleave.engines.inline.options import Queues, Rate
from cleave.errors import InternalError
from support.hydra_desk import SLOW, WHOLE, Desk, at_work, half, solved

VIOLATION = Violation((">main", ":b", "<"))
CRASH = "killed by SIGSEGV"


# --- partitions (section IV-B) --------------------------------------------------------------------------------------


def test_the_first_worker_that_asks_gets_the_whole_search_and_the_next_one_waits() -> None:
    desk = Desk()
    assert desk.ask(1) == [(1, Solve("", WHOLE, SLOW))]
    assert solved(desk.ask(2)) == []
    assert desk.count("waiting") == 1


def test_a_split_serves_whoever_has_waited_longest() -> None:
    desk = Desk()
    desk.ask(1, 3, 2)
    assert solved(desk.split(1, "")) == [(3, "1")]
    assert solved(desk.split(1, "0")) == [(2, "01")]
    assert (desk.count("splits"), desk.count("open_partitions"), desk.count("waiting")) == (2, 3, 0)


def test_others_get_the_oldest_partition_and_the_owner_its_latest() -> None:
    desk = Desk()
    desk.ask(1)
    for name in ("", "0", "00", "000"):
        desk.split(1, name)
    assert solved(desk.ask(2)) == [(2, "1")]
    assert desk.close(1, "0000") == [(1, Back("0001", SLOW))]
    assert solved(desk.ask(3)) == [(3, "01")]
    assert desk.close(1, "0001") == [(1, Back("001", SLOW))]
    assert solved(desk.close(1, "001")) == [], "its queue is empty, and so are all others"


def test_others_are_served_from_the_longest_queue() -> None:
    desk = Desk(workers=8)
    desk.ask(1, 2)
    desk.split(1, "")
    desk.split(1, "0")
    for name in ("1", "10", "100"):
        desk.split(2, name)
    assert solved(desk.ask(3)) == [(3, "11")]
    assert solved(desk.ask(4)) == [(4, "101")]
    desk.split(1, "00")
    assert solved(desk.ask(5)) == [(5, "01")], "worker 1 has two by now, worker 2 one"
    assert {solved(desk.ask(6))[0][1], solved(desk.ask(7))[0][1]} == {"001", "1001"}


def test_a_worker_whose_partition_is_closed_and_that_has_none_of_its_own_is_served_like_others() -> None:
    desk = Desk()
    desk.ask(1, 2)
    desk.split(1, "")
    desk.split(1, "0")
    assert solved(desk.close(2, "1")) == [(2, "01")]


def test_the_run_ends_when_nothing_is_open() -> None:
    desk = at_work("00", "1", "01")
    assert desk.close(1, "00") == [(3, Pace(0.0))]
    assert desk.close(2, "1") == []
    assert desk.close(3, "01") == [Closed(None, (), "proof checked by another encoding")]
    assert (desk.count("closed"), desk.count("cost"), desk.count("checks")) == (3, 15, 6)


def test_what_comes_after_the_end_changes_nothing() -> None:
    desk = at_work("0", "1")
    assert desk.hear(2, Outcome("1", VIOLATION, Effort())) == [VIOLATION]
    before = desk.coordinator.counters()
    assert desk.split(1, "0") == desk.close(1, "0") == desk.ask(3) == desk.tell(Lost(1)) == []
    assert desk.coordinator.counters() == before


def test_a_violation_ends_the_run_at_once() -> None:
    desk = at_work("00", "1", "01")
    assert desk.hear(2, Outcome("1", VIOLATION, Effort())) == [VIOLATION]


@pytest.mark.parametrize(("bounds", "least"), [((None, None), None), ((None, 3), 3), ((4, 3), 3)])
def test_the_bound_of_the_answer_is_the_least_that_took_part(bounds: tuple[int | None, ...], least: int | None) -> None:
    desk = at_work("0", "1")
    desk.close(1, "0", bounds[0])
    assert desk.close(2, "1", bounds[1]) == [Closed(least, (), "proof checked by another encoding")]


@pytest.mark.parametrize("message", [SendPartition("1", b"", half("11")), Outcome("1", Closed(None, (), ""), Effort())])
def test_nobody_splits_or_closes_what_it_does_not_work_on(message: FromWorker) -> None:
    desk = at_work("0", "1")
    with pytest.raises(InternalError, match="does not work on"):
        desk.hear(1, message)


# --- pace (section IV-C) --------------------------------------------------------------------------------------------


def test_while_nobody_waits_workers_take_their_time() -> None:
    desk = Desk(interval=3.0, slowdown=7.0)
    assert desk.ask(1) == [(1, Solve("", WHOLE, 21.0))]
    desk.tell(Passed(1.0))
    assert desk.split(1, "") == [], "it was told so already"
    assert desk.ask(2) == [(2, Solve("1", half("1"), 21.0))]


def test_whoever_begins_to_wait_makes_those_hurry_who_were_told_to_take_their_time() -> None:
    desk = Desk(workers=4)
    desk.ask(1)
    assert desk.ask(2) == [(1, Pace(0.0))], "equation 3: none queued for one who waits"
    assert desk.ask(3, 4) == [], "it hurries already"


def test_the_pace_of_who_splits_is_what_it_has_queued_for_each_who_waits() -> None:
    desk = Desk(workers=4)
    desk.ask(1, 2, 3)
    desk.tell(Passed(1.0))
    assert desk.split(1, "") == [(2, Solve("1", half("1"), 0.0)), (1, Pace(0.25))], "one queued, two wait"
    assert desk.split(1, "0") == [(3, Solve("01", half("01"), SLOW)), (1, Pace(0.5))], "one queued, one waits"
    assert desk.split(1, "00") == [(1, Pace(SLOW))], "nobody waits"


def test_a_fixed_rate_is_the_same_for_all_at_all_times() -> None:
    desk = Desk(rate=Rate.FIXED, interval=3.0)
    assert desk.ask(1) == [(1, Solve("", WHOLE, 3.0))]
    assert desk.ask(2, 3) == []
    desk.tell(Passed(1.0))
    assert desk.split(1, "") == [(2, Solve("1", half("1"), 3.0))]
    desk.split(1, "0")
    desk.split(1, "00")
    assert desk.close(1, "000") == [(1, Back("001", 3.0))]


# --- workers --------------------------------------------------------------------------------------------------------


def test_one_worker_is_hired_and_all_after_a_second() -> None:
    desk = Desk(workers=4)
    assert desk.coordinator.start() == [Hire(1)]
    assert desk.ask(1) == [(1, Solve("", WHOLE, SLOW))]
    assert desk.tell(Passed(0.9)) == []
    assert desk.tell(Passed(1.0)) == [Hire(4)]
    assert desk.tell(Passed(2.0)) == []
    assert desk.coordinator.start() == [Hire(4)], "for a run that goes on"


def test_all_are_hired_at_the_first_split() -> None:
    desk = Desk(workers=4)
    desk.ask(1)
    assert Hire(4) in desk.split(1, "")
    assert Hire(4) not in desk.split(1, "0")


def test_a_run_of_one_worker_hires_nobody_else() -> None:
    desk = Desk(workers=1)
    desk.ask(1)
    assert desk.tell(Passed(9.0)) == desk.split(1, "") == []
    assert desk.close(1, "0") == [(1, Back("1", SLOW))]


def test_counters_show_who_is_at_work() -> None:
    desk = at_work("0", "1")
    desk.hear(1, Progress(2, 10, 20, 3, 4))
    desk.hear(2, Progress(1, 11, 21, 3, 4))
    assert (desk.count("bound"), desk.count("open_calls")) == (1, 41)
    desk.close(2, "1")
    assert desk.count("open_calls") == 20
    desk.hear(1, Progress(2, 10, 22, 3, 4))
    assert (desk.count("bound"), desk.count("open_calls")) == (2, 22)


# --- one queue for all ----------------------------------------------------------------------------------------------


def test_a_shared_queue_is_first_in_first_out_and_nobody_goes_back() -> None:
    desk = Desk(queues=Queues.SHARED)
    desk.ask(1)
    for name in ("", "0", "00"):
        desk.split(1, name)
    assert solved(desk.close(1, "000")) == [(1, "1")]
    assert solved(desk.ask(2)) == [(2, "01")]
    assert desk.count("went_back") == 0


def test_the_pace_with_a_shared_queue() -> None:
    desk = Desk(queues=Queues.SHARED, workers=2)
    desk.ask(1)
    assert desk.ask(2) == [(1, Pace(0.0))]
