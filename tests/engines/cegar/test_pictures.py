"""The tree that pages draw of a run, against what the engine explored."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cleave.engines.cegar.diary import MOST_NODES
from cleave.engines.cegar.exploration import FIRST, Post, Reached, State, Successor, includes
from cleave.engines.cegar.messages import Covered, Learned, unpack
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.pictures import COUNTEREXAMPLES, TREE, pictures
from cleave.engines.cegar.predictable import Predictable
from cleave.engines.cegar.search import by_location
from cleave.engines.cegar.snapshot import snapshot
from cleave.engines.cegar.task import problem_of
from cleave.engines.review.drawings import Drawing, Rows, Series, Tree, decode_drawings, encode_drawings
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from support.cegar_runs import CegarRun, simulate

CLAUSES = """\
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (Inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (< x 3)) (Inv (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) (> y LIMIT)) false)))
(check-sat)
"""
SAFE = CLAUSES.replace("(< x 3)", "(< x 9)").replace("(> y LIMIT)", "(< y 0)")
UNSAFE = CLAUSES.replace("LIMIT", "5")


def _drawn(run: CegarRun, text: str) -> list[Drawing]:
    system = problem_of(Input.of("problem.smt2", text.encode()), Integers.BITS).system
    return list(pictures(run.coordinator.diary(), system, by_location(run.coordinator.learned())))


def _trees(drawings: Iterable[Drawing]) -> list[Tree]:
    (series,) = [one for one in drawings if isinstance(one, Series)]
    assert series.title == TREE
    return [tree for _, tree in series.members]


def _post(*edges: tuple[State, int, State]) -> Post:
    return lambda state: [Successor(number, to) for source, number, to in edges if source == state]


def test_what_became_of_each_state() -> None:
    weak, strong = State(2, 0), State(2, 1)
    post = _post((FIRST, 0, weak), (FIRST, 1, strong), (weak, 2, weak), (weak, 3, State(3, 0)))
    exploration = Predictable(post)
    tree = snapshot(exploration.reached(), post, 10)
    assert tree is not None
    assert [(one.state, one.parent, one.transition, one.mark, one.by) for one in tree] == [
        (FIRST, -1, -1, "expanded", -1),
        (weak, 0, 0, "expanded", -1),
        (State(3, 0), 1, 3, "expanded", -1),
        (strong, 0, 1, "covered", 1),
        (weak, 1, 2, "covered", 1),
    ]
    assert snapshot(exploration.reached(), post, 4) is None


def test_beside_an_error_nothing_is_looked_at() -> None:
    post = _post((FIRST, 0, State(2, 0)), (State(2, 0), 1, State(1, 0)), (State(2, 0), 2, State(3, 0)))
    tree = snapshot(Predictable(post).reached(), post, 10)
    assert tree is not None
    assert [one.mark for one in tree] == ["expanded", "expanded", "at the error", "open"]


def test_successors_that_are_not_known_leave_a_state_open() -> None:
    tree = snapshot([Reached(FIRST, -1, -1)], lambda _: None, 10)
    assert tree is not None
    assert [one.mark for one in tree] == ["open"]


@pytest.mark.parametrize("naive", [False, True])
def test_the_last_tree_has_the_states_of_the_proof(naive: bool) -> None:
    run = simulate(SAFE, CegarOptions(naive=naive))
    answer = run.answer
    assert isinstance(answer, Covered)
    diary = run.coordinator.diary()
    tree = diary.trees[diary.last]
    expanded = [one.state for one in tree if one.mark == "expanded"]
    proved = {State(location, unpack(bits)) for location, sets in answer.states.items() for bits in sets}
    assert len(expanded) == len(set(expanded)) == run.counters["states"]
    assert set(expanded) == proved
    assert {one.mark for one in tree} == {"expanded", "covered"}
    for one in tree:
        if one.mark == "covered":
            assert tree[one.by].mark == "expanded"
            assert tree[one.by].state.location == one.state.location
            assert includes(tree[one.by].state.bits, one.state.bits)


@pytest.mark.parametrize("text", [SAFE, UNSAFE])
def test_paths_to_the_error_are_the_counterexamples(text: str) -> None:
    diary = simulate(text).coordinator.diary()
    for number, tree in diary.trees.items():
        paths = set()
        for node in tree:
            path, at = [], node
            while at.parent >= 0:
                path.append(at.transition)
                at = tree[at.parent]
            if node.mark == "at the error":
                paths.add(tuple(reversed(path)))
        assert paths == {one.path for one in diary.counterexamples if one.iteration == number}


@pytest.mark.parametrize("text", [SAFE, UNSAFE])
def test_every_predicate_came_from_one_counterexample(text: str) -> None:
    run = simulate(text)
    gave = [predicate for one in run.coordinator.diary().counterexamples for predicate in one.gave]
    assert tuple(gave) == run.coordinator.learned()
    assert all(isinstance(one, Learned) for one in gave)


def test_any_number_of_workers_draws_the_same_trees() -> None:
    def drawn(workers: int) -> list[Drawing]:
        found = _drawn(simulate(SAFE, CegarOptions(patience_cost=0), workers, seed=workers), SAFE)
        return [one for one in found if one.title in (TREE, COUNTEREXAMPLES)]

    assert drawn(1) == drawn(2) == drawn(5)


def test_a_person_can_read_it() -> None:
    drawings = _drawn(simulate(SAFE), SAFE)
    assert decode_drawings(encode_drawings(tuple(drawings))) == tuple(drawings)
    first, *_, last = _trees(drawings)
    assert [(node.label, node.parent, node.state) for node in first.nodes][:2] == [
        ("start", None, "expanded"),
        ("Inv: true", "0", "expanded"),
    ]
    (covered, *_) = [node for node in last.nodes if node.state == "covered"]
    assert any(line.startswith("covered by node ") for line in covered.details)
    assert any(line.startswith("holds: ") for line in covered.details)
    (table,) = [one for one in drawings if isinstance(one, Rows) and one.title == COUNTEREXAMPLES]
    assert table.rows[0][:4] == ("1", "2", "start → Inv → error", "excluded")


def test_of_a_large_tree_the_locations_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_NODES > 3
    monkeypatch.setattr("cleave.engines.cegar.diary.MOST_NODES", 3)
    run = simulate(SAFE)
    (series,) = [one for one in _drawn(run, SAFE) if isinstance(one, Series)]
    states = sum(node.cost for node in series.members[-1][1].nodes)
    assert states == run.counters["states"]
    assert "its locations are drawn" in series.note


def test_drawings_of_another_version_are_left_out() -> None:
    assert decode_drawings(b"") == decode_drawings(b"\xff") == ()
