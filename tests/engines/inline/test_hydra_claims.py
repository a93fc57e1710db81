"""HYDRA's coordinator and partitions that are searched, but whose proofs are still to be checked: claims."""

from __future__ import annotations

import pytest

from cleave.engines.coordination import STOPPED, Lost
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.messages import Back, Closed, Effort, Outcome, Pace, Wait
from cleave.errors import InternalError
from support.hydra_desk import SLOW, Desk, Told, at_work, solved

DONE = Closed(None, (), "proof checked by another encoding")


def test_who_has_searched_a_partition_goes_back_to_its_own_before_it_checks_the_proof() -> None:
    desk = Desk()
    desk.ask(1)
    desk.split(1, "")
    assert desk.search(1, "0") == [(1, Back("1", SLOW))]
    assert desk.count("open_partitions") == 2


def test_who_has_searched_a_partition_gets_one_of_others() -> None:
    desk = at_work("0", "1")
    desk.split(1, "0")
    assert solved(desk.search(2, "1")) == [(2, "01")]


def test_who_gets_no_partition_is_told_to_wait_and_others_to_hurry() -> None:
    desk = at_work("0", "1")
    assert desk.search(1, "0") == [(1, Wait()), (2, Pace(0.0))]
    assert desk.count("waiting") == 1
    assert solved(desk.split(2, "1")) == [(1, "11")], "it is served before its proof is checked"


def test_the_run_ends_when_the_last_proof_is_checked() -> None:
    desk = at_work("0", "1")
    desk.search(1, "0")
    assert desk.search(2, "1") == [(2, Wait())]
    assert desk.close(1, "0") == [], "it waits already"
    assert desk.count("waiting") == 2
    assert desk.close(2, "1") == [DONE]


def test_a_proof_may_be_checked_after_the_next_partition_was_begun() -> None:
    desk = at_work("0", "1")
    desk.search(1, "0")
    assert solved(desk.split(2, "1")) == [(1, "11")]
    assert desk.close(1, "0") == [], "it works on another one"
    assert solved(desk.close(1, "11")) == []
    assert desk.close(2, "10") == [DONE]


def test_a_proof_that_is_not_confirmed_leaves_a_gap() -> None:
    desk = at_work("0", "1")
    desk.search(1, "0")
    assert desk.give_up(1, "0") == []
    assert desk.close(2, "1") == [GivenUp("unconfirmed")]


def test_a_violation_counts_whatever_is_claimed() -> None:
    desk = at_work("0", "1")
    desk.search(1, "0")
    assert desk.hear(2, Outcome("1", Violation(()), Effort())) == [Violation(())]


def test_a_lost_worker_takes_its_claims_with_it() -> None:
    desk = Desk()
    desk.ask(1)
    for name in ("", "0"):
        desk.split(1, name)
    desk.search(1, "00")
    desk.search(1, "01")
    assert desk.tell(Lost(1)) == []
    assert {name for _, name in solved(desk.ask(2, 3, 4))} == {"00", "01", "1"}


def test_the_claims_of_one_who_waits_are_given_to_others_who_wait() -> None:
    desk = at_work("0", "1")
    desk.search(1, "0")
    desk.search(2, "1")
    assert solved(desk.tell(Lost(1))) == [(2, "0")]
    desk.close(2, "1")
    assert desk.close(2, "0") == [DONE]


@pytest.mark.parametrize("reason", ["memory", "crashed"])
def test_a_claim_that_takes_worker_after_worker_with_it_is_given_up(reason: str) -> None:
    told: list[Told] = []
    desk = Desk()
    for worker in range(1, 20):
        if solved(desk.ask(worker)) == [(worker, "")]:
            assert desk.search(worker, "") == [(worker, Wait())]
            told = desk.tell(Lost(worker, reason))
    assert len(told) < 2
    assert desk.count("lost_workers") == (2 if reason == "memory" else 8)
    assert desk.count("open_partitions") == 0


def test_claims_of_a_run_that_stopped_are_not_to_blame() -> None:
    desk = Desk()
    for worker in range(1, 20):
        assert solved(desk.ask(worker)) == [(worker, "")]
        desk.search(worker, "")
        assert desk.tell(Lost(worker, STOPPED)) == []


def test_nobody_claims_or_closes_what_is_not_its_own() -> None:
    desk = at_work("00", "1", "01")
    desk.search(2, "1")
    with pytest.raises(InternalError, match="does not work on"):
        desk.close(1, "1")
    with pytest.raises(InternalError, match="does not work on"):
        desk.search(3, "00")


def test_a_worker_that_owes_proofs_does_not_search_the_whole() -> None:
    desk = Desk(unsplit=True)
    desk.ask(1)
    desk.split(1, "")
    desk.search(1, "0")
    assert solved(desk.search(1, "1")) == [], "though there is nothing left but the whole"
    assert desk.close(1, "0") == []
    assert desk.close(1, "1") == [DONE]
