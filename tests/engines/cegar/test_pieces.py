"""Who gets which piece of work."""

from __future__ import annotations

from cleave.engines.cegar.exploration import State
from cleave.engines.cegar.naive import Naive
from cleave.engines.cegar.pieces import PieceQueue
from cleave.engines.cegar.posts import Posts
from cleave.engines.cegar.supply import Supply

HERE, THERE = State(2, 0), State(2, 1)


def _queue() -> PieceQueue:
    queue = PieceQueue(chunk=2)
    for state in (HERE, THERE):
        queue.add(state, [(10, 0), (11, 0), (12, 0), (13, 3)])
    return queue


def test_the_transitions_of_a_location_are_divided_in_the_same_way_for_all_states() -> None:
    queue = _queue()
    assert len(queue) == 8
    pieces = [queue.take(1, 1, 9) for _ in range(4)]
    assert len(queue) == 0
    assert [(state, tuple(asked)) for state, asked in pieces] == [
        (state, asked) for asked in (((10, 0), (11, 0)), ((12, 0), (13, 3))) for state in (HERE, THERE)
    ]


def test_no_more_is_taken_than_asked_for() -> None:
    queue = _queue()
    assert [queue.take(1, 1, 1) for _ in range(3)] == [(HERE, [(10, 0)]), (HERE, [(11, 0)]), (THERE, [(10, 0)])]
    assert len(queue) == 5


def test_a_worker_goes_on_with_the_transitions_that_it_knows() -> None:
    queue = _queue()
    first, second = queue.take(1, 2, 2), queue.take(2, 2, 2)
    assert first[1] != second[1]
    assert queue.take(2, 2, 2)[1] == second[1]
    assert queue.take(1, 2, 2)[1] == first[1]


def test_who_has_nothing_else_to_do_takes_what_others_could_have_had() -> None:
    queue = _queue()
    for _ in range(4):
        queue.take(1, 1, 2)  # all is its own now
    queue.add(HERE, [(10, 0), (12, 0)])
    (_, taken) = queue.take(2, 2, 2)
    queue.add(THERE, [(10, 0), (12, 0)])
    assert queue.take(2, 2, 2)[1] == taken  # for good, as the other one had more than its share


def test_what_a_lost_worker_knew_is_free_again() -> None:
    queue = _queue()
    gone = queue.take(1, 1, 2)
    queue.forget(1)
    assert {tuple(queue.take(2, 1, 2)[1]) for _ in range(3)} == {tuple(gone[1]), ((12, 0), (13, 3))}


class _Listed(Naive):
    """Wants these states."""

    def __init__(self, *states: State) -> None:
        super().__init__(lambda state: None)
        self._states = list(states)

    def wanted(self) -> State | None:
        return self._states.pop(0) if self._states else None


def test_a_worker_begins_with_another_state_rather_than_take_what_others_know_more_about() -> None:
    states = [State(2, bits) for bits in range(3)]
    supply = Supply(Posts([(2, 2)] * 4), _Listed(*states), chunk=2, most=2)

    def taken(worker: int) -> list[tuple[State, list[int]]]:
        return [(state, [number for number, _ in piece.transitions]) for state, piece in supply.take(worker, 2)]

    assert taken(1) == [(states[0], [0, 1])]
    assert taken(2) == [(states[0], [2, 3])]
    assert [taken(1), taken(1)] == [[(states[1], [0, 1])], [(states[2], [0, 1])]]
    assert taken(2) == [(states[1], [2, 3])]
    assert taken(1) == [(states[2], [2, 3])]  # there is nothing else to do
