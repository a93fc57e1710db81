"""What a review tells of a run of the inline engine, on events that were written by hand."""

from __future__ import annotations

import msgspec
import pytest

from cleave.engines.coordination import STOPPED, Event, Joined, Lost, Passed, Received
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.inline.messages import (
    Closed,
    Effort,
    FromWorker,
    GetPartition,
    Outcome,
    Progress,
    Searched,
    SendPartition,
    ToldProof,
    encode,
)
from cleave.engines.inline.partition import Decision, Partition
from cleave.engines.inline.review import InlineReview, review
from cleave.engines.review.drawings import Tree


def says(worker: int, message: FromWorker) -> Event:
    return Received(worker, encode(message))


def split(worker: int, part: str, *inlined: int) -> Event:
    return says(worker, SendPartition(part, b"12345678", Partition(), inlined))


def closed(worker: int, part: str, effort: Effort, *inlined: int) -> Event:
    return says(worker, Outcome(part, Closed(2, (), "checked"), effort, inlined))


def working(worker: int, cost: int) -> Event:
    return says(worker, Progress(bound=1, instances=5, open_calls=2, checks=3, cost=cost))


def reviewed(*events: Event) -> InlineReview:
    return review((float(second), event) for second, event in enumerate(events))


TEXT = """\
split tree: 2 splits; 2 parts closed, 1 open
  whole search: split by worker 1 at 2.0 s
    avoiding the call: 1 split; 1 part closed, 1 open, cost 110, workers 1
    reaching the call: closed by worker 2 at 6.0 s, cost 90, 44% of it setup
who did what (search, setup, checking of proofs, unfinished: cost; busy: seconds):
  worker  place  closed  splits  instances  search  setup  checking  unfinished  busy
  1       here        1       2          4     100      0        10           0   2.0
  2       there       1       0          2      50     40         0           0   1.5
where the cost of 200 went: 75% search, 20% setting up parts that moved, 5% checking proofs
lost: worker 2 after 7.0 s: memory
dissimilarity of 2 workers (0: same calls, 1: no call in common): mean 0.25, from 0.00 to 0.50
"""

TWO_WORKERS = [
    Joined(1, "here"),
    says(1, GetPartition()),
    split(1, "", 10, 20),
    Joined(2, "there"),
    split(1, "0", 30),
    closed(1, "00", Effort(search=100, setup=0, validation=10, checks=4, seconds=2.0), 40),
    closed(2, "1", Effort(search=50, setup=40, instances_set_up=2, checks=2, seconds=1.5), 10, 20),
]


def test_who_split_and_who_closed_what() -> None:
    found = reviewed(*TWO_WORKERS)
    states = {part: node.state for part, node in found.tree.parts.items()}
    assert states == {"": "split", "0": "split", "1": "closed", "00": "closed", "01": "open"}
    assert found.tree.parts["0"].split_by == 1
    assert (settled := found.tree.parts["1"].settled) is not None
    assert (settled.worker, settled.bound) == (2, 2)
    sums = found.tree.below()
    assert (sums[""].splits, sums[""].closed, sums[""].open, sums[""].cost) == (2, 2, 1, 200)
    assert (sums["0"].closed, sums["0"].open, sums["0"].workers) == (1, 1, {1})


def test_what_each_worker_did() -> None:
    one, two = reviewed(*TWO_WORKERS).workers.values()
    assert (one.place, one.closed, one.splits, one.cost, one.inlined) == ("here", 1, 2, 110, {10, 20, 30, 40})
    assert (two.place, two.closed, two.splits, two.cost, two.setup) == ("there", 1, 0, 90, 40)
    assert (one.seconds_busy, two.seconds_busy) == (2.0, 1.5)


def test_dissimilarity_is_over_ordered_pairs() -> None:
    found = reviewed(*TWO_WORKERS).dissimilarity()
    assert found is not None
    assert (found.matrix, found.mean) == ([[0.0, 0.5], [0.0, 0.0]], 0.25)


def test_what_a_lost_worker_still_says_is_void() -> None:
    late = closed(2, "1", Effort(search=1))
    found = reviewed(*TWO_WORKERS[:5], Lost(2, "memory"), late, Lost(2, "again"))
    assert found.tree.parts["1"].state == "open"
    assert [(worker.number, worker.why_left) for worker in found.crew.lost()] == [(2, "memory")]


def test_the_cost_of_what_was_not_finished_is_told_apart() -> None:
    found = reviewed(*TWO_WORKERS, working(1, 500), working(2, 90))
    assert [worker.unfinished for worker in found.workers.values()] == [390, 0]


def test_who_leaves_in_a_break_is_not_lost() -> None:
    found = reviewed(*TWO_WORKERS, Lost(1, STOPPED), Lost(2, STOPPED), Joined(3), Lost(3, STOPPED), Joined(4))
    assert found.crew.lost() == []
    assert [worker.left is None for worker in found.workers.values()] == [False, False, False, True]


def test_the_whole_search_may_be_closed_although_it_was_split() -> None:
    gave_up = says(3, Outcome("", GivenUp("incomplete"), Effort()))
    assert reviewed(Joined(3), *TWO_WORKERS, gave_up).tree.parts[""].state == "split"
    proved = closed(3, "", Effort(search=7))
    assert reviewed(Joined(3), *TWO_WORKERS, gave_up, proved).tree.parts[""].state == "closed"


def test_an_object_has_the_whole_tree_as_a_flat_list() -> None:
    violated = says(1, Outcome("01", Violation((">main",)), Effort(search=3)))
    found = reviewed(*TWO_WORKERS, violated).as_object()
    assert [part["id"] for part in found["tree"]] == ["", "0", "00", "01", "1"]
    assert found["parts"] == {"open": 0, "closed": 2, "violated": 1, "given_up": 0}
    assert found["effort"]["setup_share"] == pytest.approx(40 / 203, abs=0.001)
    assert found["dissimilarity"]["mean"] == 0.25


def test_no_events() -> None:
    found = reviewed().as_object()
    assert (found["splits"], found["parts"]["open"], found["dissimilarity"]) == (0, 1, None)
    assert list(reviewed().text(4)) == []


def test_text_for_people() -> None:
    assert list(reviewed(*TWO_WORKERS, Lost(2, "memory")).text(1)) == TEXT.splitlines()


def test_a_lane_tells_search_from_the_check_that_follows_it() -> None:
    found = review(
        [
            (1.0, Joined(1)),
            (3.0, says(1, Searched(""))),
            (3.5, says(1, Progress(bound=1, instances=5, open_calls=2, checks=3, cost=1, id="1"))),
            (5.0, closed(1, "", Effort(search=30, setup=10, validation=5, seconds=2.0))),
            (6.0, says(1, Searched("1"))),
            (7.0, closed(1, "1", Effort(search=10, validation=5, seconds=2.0))),
        ]
    )
    (lanes,) = found.crew.lanes()
    kinds = [(block.begin, block.end, block.kind) for block in lanes.lanes[0].blocks]
    searched = [(1.0, 1.5, "setup"), (1.5, 3.0, "search"), (3.0, 4.0, "checking")]  # until the next search began
    assert kinds == [*searched, (4.0, 6.0, "search"), (6.0, 7.0, "checking")]
    assert lanes.lanes[0].note == "100% busy"


def test_the_unfolding_of_the_last_split_is_drawn_with_what_it_shares() -> None:
    flat = msgspec.msgpack.encode([0, 2, 1, 1, 0, 2, 0, 3, 2])
    message = SendPartition("", b"12345678", Partition(flat, (Decision(2, True),)), (), "call f (a.bpl:3)")
    found = review([(1.0, Joined(1)), (2.0, says(1, message))])
    (drawn,) = [one for one in found.drawings() if isinstance(one, Tree) and one.title == "Unfolding"]
    told = [(node.label, node.state) for node in drawn.nodes]
    assert told == [
        ("entry", "inlined"),
        ("instance 1", "inlined"),
        ("call f (a.bpl:3)", "must reach"),
        ("call f (a.bpl:3)", "shared"),
    ]


def test_an_unfolding_has_names_where_the_split_tells_them() -> None:
    flat = msgspec.msgpack.encode([0, 0, 1, 0, 1, 2])
    names = ("main", "f (a:3)", "g (a:4)")
    message = SendPartition("", b"12345678", Partition(flat, (Decision(2, True),)), (), "", names)
    drawn = next(one for one in reviewed(Joined(1), says(1, message)).drawings() if one.title == "Unfolding")
    assert isinstance(drawn, Tree)
    told = [(node.label, node.state) for node in drawn.nodes]
    assert told == [("main", "inlined"), ("f (a:3)", "inlined"), ("g (a:4)", "must reach")]


def test_the_unfolding_of_a_search_that_was_not_split_is_that_of_its_proof() -> None:
    proof = ToldProof((("main", False, (("b", 0, 1),)), ("f", False, ())), None)
    drawn = next(
        one for one in reviewed(Joined(1), says(1, Searched("", proof))).drawings() if one.title == "Unfolding"
    )
    assert isinstance(drawn, Tree)
    assert [node.label for node in drawn.nodes] == ["main", "f"]


def test_a_worker_that_nobody_hears_of_waits_and_a_lost_one_says_when() -> None:
    found = review(
        [
            (0.0, Joined(1)),
            (0.0, Joined(2)),
            (4.0, closed(1, "0", Effort(search=10, seconds=2.0))),
            (6.0, Lost(2, "memory")),
            (9.0, Passed(9.0)),
        ]
    )
    (lanes,) = found.crew.lanes()
    one, two = ([(block.begin, block.end, block.kind) for block in lane.blocks] for lane in lanes.lanes)
    assert one == [(0.0, 2.0, "waiting"), (2.0, 4.0, "search"), (4.0, 9.0, "waiting")]
    assert two == [(0.0, 6.0, "waiting"), (6.0, 9.0, "lost")]
    assert [lane.note for lane in lanes.lanes] == ["22% busy", "lost at 6.0 s"]


def test_parts_say_since_when_they_are_what_they_are() -> None:
    drawn = next(one for one in reviewed(*TWO_WORKERS).drawings() if one.title == "Split tree")
    assert isinstance(drawn, Tree)
    whole, first, *_ = drawn.nodes
    assert (whole.begin, whole.end) == (0.0, first.begin)
