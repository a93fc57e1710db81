"""What a review tells of a run, on journals that were written by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Passed, Received
from cleave.engines.inline.messages import (
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    GivenUp,
    Outcome,
    Progress,
    SendPartition,
    Violated,
    encode,
)
from cleave.engines.inline.partition import Partition
from cleave.journal.journal import Journal, RunInfo
from cleave.review.inline import InlineReview, review_inline
from cleave.review.objects import review_object

INFO = RunInfo(
    id="20261116-000000-a",
    files=("a.bpl",),
    engine="inline",
    workers=2,
    runtime="local",
    options={"entry": None},
    started=datetime.now(UTC),
    version="0",
    source="",
)


def says(worker: int, message: FromWorker) -> Event:
    return Received(worker, encode(message))


def split(worker: int, part: str, *inlined: int) -> Event:
    return says(worker, SendPartition(part, b"12345678", Partition(), inlined))


def closed(worker: int, part: str, effort: Effort, *inlined: int) -> Event:
    return says(worker, Outcome(part, Closed(2, (), "checked"), effort, inlined))


def working(worker: int, cost: int) -> Event:
    return says(worker, Progress(bound=1, instances=5, open_calls=2, checks=3, cost=cost))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "20261116-000000-a.journal"


def reviewed(path: Path, events: list[Event], result: dict[str, object] | None = None) -> InlineReview:
    with Journal.create(path, INFO) as journal:
        journal.append(events)
        if result is not None:
            journal.finish(result)
    return review_inline(path)


TWO_WORKERS = [
    Joined(1, "here"),
    says(1, GetPartition()),
    split(1, "", 10, 20),
    Joined(2, "there"),
    split(1, "0", 30),
    closed(1, "00", Effort(search=100, setup=0, validation=10, checks=4, seconds=2.0), 40),
    closed(2, "1", Effort(search=50, setup=40, instances_set_up=2, checks=2, seconds=1.5), 10, 20),
]


def test_who_split_and_who_closed_what(path: Path) -> None:
    review = reviewed(path, TWO_WORKERS)
    states = {part: node.state for part, node in review.tree.parts.items()}
    assert states == {"": "split", "0": "split", "1": "closed", "00": "closed", "01": "open"}
    assert review.tree.parts["0"].split_by == 1
    assert (settled := review.tree.parts["1"].settled) is not None
    assert (settled.worker, settled.bound) == (2, 2)
    sums = review.tree.below()
    assert (sums[""].splits, sums[""].closed, sums[""].open, sums[""].cost) == (2, 2, 1, 200)
    assert (sums["0"].closed, sums["0"].open, sums["0"].workers) == (1, 1, {1})


def test_what_each_worker_did(path: Path) -> None:
    one, two = reviewed(path, TWO_WORKERS).workers.values()
    assert (one.place, one.closed, one.splits, one.cost, one.inlined) == ("here", 1, 2, 110, {10, 20, 30, 40})
    assert (two.place, two.closed, two.splits, two.cost, two.setup) == ("there", 1, 0, 90, 40)
    assert (one.seconds_busy, two.seconds_busy) == (2.0, 1.5)


def test_dissimilarity_is_over_ordered_pairs(path: Path) -> None:
    found = reviewed(path, TWO_WORKERS).dissimilarity()
    assert found is not None
    assert (found.matrix, found.mean) == ([[0.0, 0.5], [0.0, 0.0]], 0.25)


def test_what_a_lost_worker_still_says_is_void(path: Path) -> None:
    late = closed(2, "1", Effort(search=1))
    review = reviewed(path, [*TWO_WORKERS[:5], Lost(2, "memory"), late, Lost(2, "again")])
    assert review.tree.parts["1"].state == "open"
    assert [(worker.number, worker.why_left) for worker in review.lost()] == [(2, "memory")]


def test_the_cost_of_what_was_not_finished_is_told_apart(path: Path) -> None:
    review = reviewed(path, [*TWO_WORKERS, working(1, 500), working(2, 90)])
    assert [worker.unfinished for worker in review.workers.values()] == [390, 0]


def test_states(path: Path, tmp_path: Path) -> None:
    assert reviewed(path, TWO_WORKERS).state == "stopped"
    assert reviewed(tmp_path / "b.journal", TWO_WORKERS, {"verdict": "safe", "seconds": 9.0}).state == "finished"
    assert reviewed(tmp_path / "c.journal", TWO_WORKERS, {"verdict": "unknown"}).state == "stopped"
    with Journal.reopen(path):
        assert review_inline(path).state == "going on"


def test_a_break_is_counted_once_and_is_no_loss(path: Path) -> None:
    again: list[Event] = [Lost(1, STOPPED), Lost(2, STOPPED), Joined(3), Lost(3, STOPPED), Joined(4)]
    review = reviewed(path, [*TWO_WORKERS, *again])
    assert (review.breaks, review.lost()) == (2, [])


def test_breaks_are_no_part_of_the_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = INFO.started.timestamp()
    with Journal.create(path, INFO) as journal:
        for second in (12.0, 13.0, 14.5, 4000.0, 4001.0):
            monkeypatch.setattr("time.time", lambda second=second: start + second)
            journal.append([Passed(second)])
        assert journal.seconds() == pytest.approx(15.5, abs=0.001)


def test_the_whole_search_may_be_closed_although_it_was_split(path: Path) -> None:
    gave_up = says(3, Outcome("", GivenUp("incomplete"), Effort()))
    review = reviewed(path, [Joined(3), *TWO_WORKERS, gave_up])
    assert review.tree.parts[""].state == "split"
    with Journal.reopen(path) as journal:
        journal.append([closed(3, "", Effort(search=7))])
    assert review_inline(path).tree.parts[""].state == "closed"


def test_an_object_has_the_whole_tree_as_a_flat_list(path: Path) -> None:
    violated = says(1, Outcome("01", Violated((">main",)), Effort(search=3)))
    found = review_object(reviewed(path, [*TWO_WORKERS, violated], {"verdict": "unsafe", "seconds": 9.0}))
    assert [part["id"] for part in found["tree"]] == ["", "0", "00", "01", "1"]
    assert found["parts"] == {"open": 0, "closed": 2, "violated": 1, "given_up": 0}
    assert (found["run"], found["state"], found["verdict"]) == (INFO.id, "finished", "unsafe")
    assert found["effort"]["setup_share"] == pytest.approx(40 / 203, abs=0.001)
    assert found["dissimilarity"]["mean"] == 0.25


def test_a_run_without_events(path: Path) -> None:
    found = review_object(reviewed(path, []))
    assert (found["splits"], found["parts"]["open"], found["dissimilarity"]) == (0, 1, None)
