"""Reviews of engines whose parts are a flat list, on events that were written by hand."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.cegar import messages as cegar
from cleave.engines.cegar.review import review as review_cegar
from cleave.engines.coordination import Event, Joined, Lost, Received
from cleave.engines.findings import GivenUp
from cleave.engines.pdr import messages as pdr
from cleave.engines.pdr.review import review as review_pdr
from cleave.engines.review.drawings import Tree
from cleave.engines.threads import messages as threads
from cleave.engines.threads.review import review as review_threads

THREADS = """\
parts: 1 split, 1 open, 1 closed
  part                       state   by           at  how  cost
  3 contexts, all schedules  split   worker 1  1.0 s          0
  3 contexts, bits 0         open
  3 contexts, bits 1         closed  worker 2  3.0 s          7
  without an answer: 3 contexts, bits 0: memory
who did what (cost: of the solver; lemmas: sent to others; busy: seconds of finished jobs):
  worker  place  jobs  lemmas  cost  sharing  checking  unfinished  busy
  1       here      1       0     5        0         0           0   0.0
  2       there     1       0     7        0         0           0   0.5
lost: worker 2 after 5.0 s: crashed
"""


def timed(*events: Event) -> Iterable[tuple[float, Event]]:
    return ((float(second), event) for second, event in enumerate(events))


def test_threads() -> None:
    empty = threads.Empty((), ())
    found = review_threads(
        timed(
            Joined(1, "here"),
            Received(1, threads.encode(threads.Divided(3, "", b"bit"))),
            Joined(2, "there"),
            Received(2, threads.encode(threads.Outcome(3, "1", empty, threads.Effort(cost=7, seconds=0.5)))),
            Received(1, threads.encode(threads.Outcome(3, "0", GivenUp("memory"), threads.Effort(cost=5)))),
            Lost(2, "crashed"),
            Received(2, threads.encode(threads.Outcome(3, "0", empty, threads.Effort(cost=100)))),
        )
    )
    assert "\n".join(found.text(4)) + "\n" == THREADS
    assert {name: part.state for name, part in found.parts.items()} == {
        "3 contexts, all schedules": "split",
        "3 contexts, bits 0": "open",
        "3 contexts, bits 1": "closed",
    }
    assert found.as_object()["lost_workers"] == [{"worker": 2, "seconds": 5.0, "reason": "crashed"}]


def test_pdr() -> None:
    found = review_pdr(
        timed(
            Joined(1, "here"),
            Received(1, b"nonsense"),
            Received(1, pdr.encode(pdr.Exchange(1, b"", (pdr.Lemma("p", 1, "true"),), 2, 50))),
            Received(1, pdr.encode(pdr.Outcome(1, b"", None, pdr.Closed(b"", "!"), pdr.Effort(cost=60), "global"))),
        )
    )
    assert (found.parts["whole problem"].state, found.parts["whole problem"].strategy) == ("closed", "global")
    assert (found.unreadable, found.crew.members[1].lemmas, found.crew.members[1].unfinished) == (1, 1, 0)


def test_cegar() -> None:
    refined, failed = cegar.Refined(()), cegar.Failed("too hard")
    found = review_cegar(
        timed(
            Joined(1),
            Received(1, cegar.encode(cegar.Analysed(1, refined, 10))),
            Received(1, cegar.encode(cegar.Analysed(2, failed, 20))),
        )
    )
    assert {name: part.state for name, part in found.parts.items()} == {
        "iteration 1": "closed",
        "iteration 2": "given up",
    }
    assert found.as_object()["workers_seen"][0]["cost"] == 30


def test_nobody_was_there() -> None:
    assert list(review_pdr([]).text(4)) == ["no workers were needed"]


def test_cegar_s_locations_are_below_those_they_were_reached_from() -> None:
    transitions = ((0, 1), (1, 2), (1, 1), (2, 3))
    taken = cegar.Successors(((0, b""), (1, b"\1"), (2, b"\2"), (99, b"")))
    found = review_cegar(
        timed(
            Joined(1, "here"),
            Received(1, cegar.encode(cegar.Ready(transitions))),
            Received(1, cegar.encode(cegar.Expanded(1, (taken,), 5, 1))),
        )
    )
    (tree,) = [one for one in found.drawings() if isinstance(one, Tree)]
    assert [(node.id, node.parent, node.cost) for node in tree.nodes] == [
        ("all", None, 0),
        ("0", "all", 0),
        ("1", "0", 2),
        ("2", "1", 1),
    ]
    assert found.crew.members[1].busy == 1.0
