"""A worker of the distributed inline engine, driven by hand: what it says to what it is told."""

from __future__ import annotations

from typing import Any

import pytest

from cleave.engines.findings import GivenUp
from cleave.engines.inline.messages import (
    Back,
    Closed,
    FromWorker,
    GetPartition,
    Outcome,
    Pace,
    SendPartition,
    Solve,
    Wait,
)
from cleave.engines.inline.options import Decisions, InlineOptions
from cleave.engines.inline.partition import Partition
from cleave.ir.reader import read_program
from cleave.passes.prepare import prepare
from support.hydra_client import LAYERED, NEVER, Worker, outcomes
from support.hydra_runs import EAGER, simulate

WHOLE = Partition()

RECURSIVE = """\
var g: Int
proc main() -> () {
  b:
    g := 0
    call f() -> ()
    assert (not (= g 7777))
    return
}
proc f() -> () {
  b:
    goto t, u, z
  t:
    g := (+ g 2)
    call f() -> ()
    goto z
  u:
    g := (+ g 4)
    call h() -> ()
    goto z
  z:
    return
}
proc h() -> () {
  b:
    goto t, z
  t:
    g := (+ g 2)
    call f() -> ()
    goto z
  z:
    return
}
"""


def split_ids(said: list[FromWorker]) -> list[str]:
    return [message.id for message in said if isinstance(message, SendPartition)]


def test_it_asks_and_waits() -> None:
    worker = Worker()
    assert worker.first == [GetPartition()]
    assert worker.idle
    assert worker.tell() == []
    assert worker.tell(Pace(1.0)) == []


@pytest.mark.parametrize("how", list(Decisions))
def test_it_goes_on_with_what_avoids_and_goes_back_to_what_reaches(how: Decisions) -> None:
    worker = Worker(decisions=how)
    searched, said = worker.search(Solve("", WHOLE, 0.0005))
    names = split_ids(said)
    assert names
    assert names == ["0" * depth for depth in range(len(names))]
    assert searched == "0" * len(names)
    meanings = {message.id: message.meaning for message in said if isinstance(message, SendPartition)}
    proofs: dict[str, Outcome] = {}
    for name in reversed(names):
        half, said = worker.search(Back(name + "1", NEVER))
        assert half == name + "1"
        proofs |= outcomes(said)
    proofs |= worker.proofs()
    assert list(proofs) == [searched, *(name + "1" for name in reversed(names))], "the oldest first"
    for name, proof in proofs.items():
        assert isinstance(proof.answer, Closed)
        assert proof.answer.decisions == tuple((meanings[name[:n]], name[n] == "1") for n in range(len(name)))
        assert proof.effort.validation > 0
        assert proof.effort.setup == 0 or name == searched, "all that it had inlined was there"


def test_it_starts_anew_with_a_partition_of_another() -> None:
    _, said = Worker().search(Solve("", WHOLE, 0.0005))
    sent = next(message for message in said if isinstance(message, SendPartition))
    worker = Worker()
    assert worker.search(Solve("1", sent.partition, NEVER))[0] == "1"
    (proof,) = worker.proofs().values()
    assert proof.effort.instances_set_up > 1
    assert proof.effort.setup > 0
    assert isinstance(proof.answer, Closed)
    assert proof.answer.decisions == ((sent.meaning, True),)
    procedure, _, place = sent.call.partition(" ")
    assert procedure in LAYERED.program.procedures, "a person is told which call"
    assert place.startswith("(in ")


def test_what_it_owes_is_not_forgotten_when_it_starts_anew() -> None:
    worker = Worker()
    searched, said = worker.search(Solve("", WHOLE, 0.0005))
    half = next(message for message in said if isinstance(message, SendPartition))
    _, said = worker.search(Solve("1", half.partition, NEVER))
    assert set(outcomes(said)) | set(worker.proofs()) == {searched, "1"}


def test_no_more_than_one_proof_waits_to_be_checked() -> None:
    """They would be lost with the worker, and as long as there is something to search nothing would ever be closed."""
    worker = Worker()
    searched, said = worker.search(Solve("", WHOLE, 0.0005))
    names = split_ids(said)
    assert len(names) > 2
    claimed = [searched]
    closed: list[str] = []
    for name in reversed(names):
        half, said = worker.search(Back(name + "1", NEVER))
        claimed.append(half)
        closed += outcomes(said)
        assert closed == claimed[:-1]
    assert list(worker.proofs()) == claimed[-1:]


def test_it_takes_a_partition_before_all_its_proofs_are_checked() -> None:
    worker = Worker(slice_cost=100)
    _, said = worker.search(Solve("", WHOLE, 0.0005))
    half = next(message for message in said if isinstance(message, SendPartition))
    assert not any(isinstance(message, Outcome) for message in worker.tell(Wait()))
    assert not worker.idle
    assert worker.search(Solve("1", half.partition, NEVER))[0] == "1"


def test_the_whole_search_unsplit_is_closed_at_once() -> None:
    said = list(Worker().until_idle(Solve("", WHOLE, 0.0, split=False)))
    assert split_ids(said) == []
    assert isinstance(said[-1], Outcome)
    assert isinstance(said[-1].answer, Closed)


def test_the_whole_search_unsplit_is_given_up_after_its_cost() -> None:
    said = list(Worker().until_idle(Solve("", WHOLE, 0.0, split=False, most_cost=1)))
    assert isinstance(said[-1], Outcome)
    assert said[-1].answer == GivenUp("cost")


def test_who_searches_differently_leaves_a_proof_within_bounds_to_those_who_may_go_beyond() -> None:
    prepared = prepare(read_program(RECURSIVE), ("main",))
    order = Solve("", WHOLE, 0.0, split=False, differently=True)
    for beyond, kind in ((0, Closed), (10_000_000, GivenUp)):
        said = list(Worker(prepared, beyond=beyond).until_idle(order))
        assert isinstance(said[-1], Outcome)
        assert isinstance(said[-1].answer, kind)


def test_it_does_not_split_before_its_time() -> None:
    assert split_ids(list(Worker().until_idle(Solve("", WHOLE, NEVER)))) == []


def test_it_hears_that_it_should_hurry_while_it_works() -> None:
    worker = Worker()
    said = worker.tell(Solve("", WHOLE, NEVER))
    assert not worker.idle
    assert split_ids([*said, *worker.until_idle(Pace(0.0))])


def test_it_hears_that_it_should_hurry_in_the_same_breath_as_what_to_do() -> None:
    assert split_ids(list(Worker().until_idle(Solve("", WHOLE, NEVER), Pace(0.0))))
    assert not split_ids(list(Worker().until_idle(Pace(0.0), Solve("", WHOLE, NEVER)))), "what comes last counts"


def test_a_search_that_is_not_worth_telling_others_of_is_not_split() -> None:
    assert not split_ids(list(Worker(split_after=10**9).until_idle(Solve("", WHOLE, 0.0))))
    assert not split_ids(list(Worker(moving_cost=10**9).until_idle(Solve("", WHOLE, 0.0))))


@pytest.mark.parametrize("interval", [0.01, 0.05, 0.1, 0.3])
def test_nothing_is_split_beyond_the_last_bound(interval: float) -> None:
    """Parts of the search would not go there: whoever got one would have no bound left to try."""
    prepared = prepare(read_program(RECURSIVE), ("main",))
    options: dict[str, Any] = {**EAGER, "interval": interval}
    run = simulate(prepared, InlineOptions(bounds=(1, 2), beyond_cost=1_000_000, **options), workers=2)
    assert isinstance(run.answer, Closed)
    assert run.covered().holds
