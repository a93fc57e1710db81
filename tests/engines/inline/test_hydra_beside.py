"""When one worker has finished the search of the whole, another one that searches it, too, checks the proof beside."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from cleave.engines.coordination import Joined, Lost, Passed
from cleave.engines.findings import GivenUp
from cleave.engines.inline.messages import CheckProof, Closed, GetPartition, Searched, Solve, ToldProof, Wait
from cleave.ir.unfolded import UnfoldedInstance, UnfoldedProof
from support.hydra_client import NEVER, Worker, outcomes
from support.hydra_desk import WHOLE, Desk, solved

PROOF = UnfoldedProof([UnfoldedInstance("main", {("b", 0): 1}), UnfoldedInstance("f", {}, exclusive=True)], 3)
TOLD = ToldProof.of(PROOF)


def two_at_work() -> Desk:
    """Worker 1 searches the whole as usual, and worker 2 in another way."""
    desk = Desk(workers=2, unsplit=None)
    assert solved(desk.ask(1)) == [(1, "")]
    desk.tell(Passed(5.0))
    assert solved(desk.ask(2)) == [(2, "")]
    return desk


def searched() -> Searched:
    """What a worker says that has finished the search of the whole."""
    _, said = Worker().search(Solve("", WHOLE, NEVER))
    assert isinstance(said[-1], Searched)
    return said[-1]


def test_a_proof_survives_its_way() -> None:
    assert TOLD.proof() == PROOF


def test_the_proof_is_told_to_the_one_that_searches_in_another_way() -> None:
    desk = two_at_work()
    told = desk.hear(1, Searched("", TOLD))
    assert told == [(1, Wait()), (2, CheckProof(TOLD))]
    assert desk.count("claimed") == desk.count("open_partitions") == 1


@pytest.mark.parametrize("first", [1, 2])
def test_whoever_has_checked_it_ends_the_run(first: int) -> None:
    desk = two_at_work()
    desk.hear(1, Searched("", TOLD))
    (answer,) = desk.close(first, "", 3)
    assert isinstance(answer, Closed)
    assert answer.bound == 3


def test_who_could_not_confirm_it_leaves_that_to_the_other() -> None:
    desk = two_at_work()
    desk.hear(1, Searched("", TOLD))
    assert not [one for one in desk.give_up(2, "") if isinstance(one, GivenUp)]
    (answer,) = desk.close(1, "", 3)
    assert isinstance(answer, Closed)


def test_nobody_begins_a_search_that_is_finished() -> None:
    desk = Desk(workers=2, unsplit=None)
    desk.ask(1)
    desk.hear(1, Searched("", TOLD))
    assert desk.tell(Passed(5.0)) == [], "no one is hired"
    desk.tell(Joined(2))
    assert desk.hear(2, GetPartition()) == []
    assert solved(desk.tell(Lost(1))) == [(2, "")], "but the search is done again if its proof is lost"


def test_a_worker_leaves_its_search_and_checks_the_proof() -> None:
    proof = searched().proof
    assert proof is not None
    worker = Worker()
    assert not outcomes(worker.tell(Solve("", WHOLE, NEVER, split=False)))
    found = outcomes(list(worker.until_idle(CheckProof(proof))))
    assert isinstance(found[""].answer, Closed)
    assert found[""].answer.decisions == ()
    assert found[""].effort.validation > 0


def forged(proof: ToldProof, kind: str) -> ToldProof:
    if kind == "all calls open":
        return changed(proof, instances=tuple((name, exclusive, ()) for name, exclusive, _ in proof.instances))
    unfolded = proof.proof()
    return ToldProof.of(replace(unfolded, instances=unfolded.instances[1:]))


@pytest.mark.parametrize("kind", ["all calls open", "no entry"])
def test_a_forged_proof_is_not_confirmed(kind: str) -> None:
    proof = searched().proof
    assert proof is not None
    worker = Worker()
    worker.tell(Solve("", WHOLE, NEVER, split=False))
    found = outcomes(list(worker.until_idle(CheckProof(forged(proof, kind)))))
    assert isinstance(found[""].answer, GivenUp)


def test_a_part_of_the_search_is_not_left_for_a_proof() -> None:
    """It comes too late, or by mistake: a part that may be split is searched to its end."""
    worker = Worker()
    worker.tell(Solve("", WHOLE, NEVER))
    said = list(worker.until_idle(CheckProof(TOLD)))
    assert isinstance(said[-1], Searched)
