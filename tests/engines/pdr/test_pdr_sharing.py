"""The lemma database: who is given which lemmas."""

from __future__ import annotations

import pytest

from cleave.engines.coordination import Lost
from cleave.engines.pdr.messages import INVARIANT, Exchange, Learn, Lemma
from cleave.engines.pdr.options import Share
from support.pdr_desk import Desk, Told


def learned(told: list[Told]) -> list[tuple[int, list[str]]]:
    """Who was told what: texts, with the level where there is one."""
    return [
        (one[0], [lemma.text if lemma.level == INVARIANT else f"{lemma.text} {lemma.level}" for lemma in one[1].lemmas])
        for one in told
        if isinstance(one, tuple) and isinstance(one[1], Learn)
    ]


def on_parts(share: Share) -> Desk:
    """Workers 1 and 3 on one partition, 2 on another."""
    desk = Desk(3, partitions=3, whole=False, share=share)
    desk.ready(1, 2, 3)
    desk.divide(1, (0, 1))
    return desk


def test_each_job_is_given_what_it_does_not_know_and_once() -> None:
    desk = Desk(3, share=Share.INFINITY)
    desk.ready(1, 2)
    assert desk.exchange(1, "x", "y") == []
    assert learned(desk.exchange(2, "y", "z")) == [(1, ["z"]), (2, ["x"])], "the first one sieves, and need not ask"
    assert learned(desk.exchange(2)) == []
    assert learned(desk.exchange(1)) == []
    desk.ready(3)
    assert [lemma.text for lemma in desk.solves(3).lemmas] == ["x", "y", "z"], "a new job begins with all of them"
    assert learned(desk.exchange(3)) == []
    counts = {name: desk.count(name) for name in ("lemmas_pushed", "lemmas_repeated", "lemmas_pulled")}
    assert counts == {"lemmas_pushed": 3, "lemmas_repeated": 1, "lemmas_pulled": 5}


def test_the_same_text_about_another_predicate_is_another_lemma() -> None:
    desk = Desk(2, share=Share.INFINITY)
    desk.ready(1, 2)
    lemmas = (Lemma("p", INVARIANT, "x"), Lemma("q", INVARIANT, "x"))
    desk.hear(1, Exchange(desk.order(1).job, desk.problem, lemmas))
    assert learned(desk.exchange(2)) == [(2, ["x", "x"])]


def test_invariants_are_shared_across_partitions_and_frames_are_not() -> None:
    desk = on_parts(Share.ALL)
    desk.exchange(1, "x")
    desk.exchange(1, "y", level=3)
    assert learned(desk.exchange(2)) == [(2, ["x"])]
    assert learned(desk.exchange(3)) == [(3, ["x", "y 3"])]


def test_a_lemma_is_kept_at_its_highest_level() -> None:
    desk = Desk(3, share=Share.K)
    desk.ready(1, 2, 3)
    desk.exchange(1, "x", "y", level=2)
    assert learned(desk.exchange(2)) == [(2, ["x 2", "y 2"])]
    desk.exchange(1, "x", level=5)
    assert learned(desk.exchange(2, "x", level=4)) == [(2, ["x 5"])]
    assert learned(desk.exchange(3, "x", level=5)) == [(3, ["y 2"])]


def test_frames_go_when_their_partition_is_closed() -> None:
    desk = on_parts(Share.ALL)
    desk.exchange(1, "x")
    desk.exchange(1, "y", level=3)
    desk.close(1)
    assert {desk.solves(worker).partition for worker in (1, 2, 3)} == {desk.solves(2).partition}
    assert learned(desk.exchange(2)) == [(2, ["x"])], "invariants stay"


@pytest.mark.parametrize("share", Share)
def test_what_is_not_to_be_shared_is_not(share: Share) -> None:
    desk = Desk(2, share=share)
    desk.ready(1, 2)
    desk.exchange(1, "x")
    desk.exchange(1, "y", level=1)
    expected = (["x"] if share.invariants else []) + (["y 1"] if share.frames else [])
    assert learned(desk.exchange(2)) == ([(2, expected)] if expected else [])
    assert desk.count("lemmas_refused") == {Share.NONE: 2, Share.K: 1, Share.INFINITY: 0, Share.ALL: 0}[share]


@pytest.mark.parametrize(
    "lemma",
    [
        *(Lemma("p", 0, "x"), Lemma("p", -2, "x"), Lemma("p", 2**40, "x"), Lemma("", INVARIANT, "x")),
        *(Lemma("p", INVARIANT, ""), Lemma("p", 1, "")),
    ],
)
def test_what_is_no_lemma_is_not_shared(lemma: Lemma) -> None:
    desk = Desk(2, share=Share.ALL)
    desk.ready(1, 2)
    desk.hear(1, Exchange(desk.order(1).job, desk.problem, (lemma,)))
    assert desk.exchange(2) == []
    assert desk.count("lemmas_refused") == 1


def test_lemmas_of_another_problem_or_job_are_ignored() -> None:
    desk = Desk(2, share=Share.ALL)
    desk.ready(1, 2)
    lemmas = (Lemma("p", INVARIANT, "x"),)
    assert desk.hear(1, Exchange(desk.order(1).job, b"another", lemmas)) == []
    assert desk.hear(1, Exchange(desk.order(2).job, desk.problem, lemmas)) == []
    assert desk.exchange(2) == []
    assert desk.count("ignored") == 2


def test_one_job_of_a_part_sieves_and_is_given_all_lemmas_at_once() -> None:
    desk = Desk(2, share=Share.INFINITY)
    desk.ready(1, 2)
    assert [desk.solves(worker).sieves for worker in (1, 2)] == [True, False]
    assert learned(desk.exchange(2, "x", level=4)) == [(1, ["x 4"])], "it need not ask"
    assert learned(desk.exchange(1, "y", level=2)) == []
    assert learned(desk.exchange(2)) == [], "others are given invariants only"


def test_another_job_sieves_when_the_one_that_did_is_lost() -> None:
    desk = Desk(2, share=Share.INFINITY)
    desk.ready(1, 2)
    desk.exchange(2, "x", level=4)
    desk.tell(Lost(1, "killed"))
    desk.ready(3)
    assert desk.solves(3).sieves
    assert [lemma.text for lemma in desk.solves(3).lemmas] == ["x"]


def test_of_many_workers_the_first_ones_are_not_disturbed() -> None:
    desk = Desk(6, share=Share.INFINITY, strategies=("def", "ic3", "global"))
    desk.ready(1, 2, 3, 4, 5, 6)
    assert [worker for worker in range(1, 7) if desk.solves(worker).sieves] == [4]
    desk.exchange(1, "x")
    assert learned([*desk.exchange(2), *desk.exchange(5)]) == [(5, ["x"])], "nor do they take lemmas"
    alone = Desk(2, share=Share.K)
    alone.ready(1, 2)
    assert not alone.solves(1).sieves, "it would tell invariants"
