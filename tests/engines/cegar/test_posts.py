"""What is kept of successors from one iteration to the next."""

from __future__ import annotations

from cleave.engines.cegar.exploration import FIRST, State, Successor
from cleave.engines.cegar.posts import Posts

LOOP, OTHER = 2, 3
TRANSITIONS = ((0, LOOP), (LOOP, LOOP), (LOOP, OTHER), (LOOP, 1))


def test_successors_are_known_when_all_pieces_are_there() -> None:
    posts = Posts(TRANSITIONS)
    state = State(LOOP, 0)
    assert posts.lookup(state) is None
    assert posts.begin(state) == [(1, 0), (2, 0), (3, 0)]
    assert posts.begin(state) == []  # under way
    assert not posts.add(state, [(3, 0)], [(3, 0)])
    assert posts.lookup(state) is None
    assert posts.add(state, [(1, 0), (2, 0)], [(2, 0)])
    assert posts.lookup(state) == [Successor(2, State(OTHER, 0)), Successor(3, State(1, 0))]


def test_only_new_predicates_are_asked_for_again() -> None:
    posts = Posts(TRANSITIONS)
    posts.learn(LOOP)
    state = State(LOOP, 1)
    posts.begin(state)
    posts.add(state, [(1, 0), (2, 0), (3, 0)], [(1, 1), (2, 0)])
    posts.learn(OTHER)
    posts.learn(OTHER)
    assert posts.lookup(state) is None
    assert posts.begin(state) == [(2, 0)]
    posts.add(state, [(2, 0)], [(2, 2)])
    assert posts.lookup(state) == [Successor(1, State(LOOP, 1)), Successor(2, State(OTHER, 2))]
    posts.learn(LOOP)
    assert posts.begin(state) == [(1, 1)]


def test_what_was_learned_meanwhile_is_asked_for_afterwards() -> None:
    posts = Posts(TRANSITIONS)
    posts.begin(FIRST)
    posts.learn(LOOP)
    assert posts.add(FIRST, [(0, 0)], [(0, 0)])
    assert posts.lookup(FIRST) is None
    assert posts.begin(FIRST) == [(0, 0)]


def test_a_known_state_is_not_under_way() -> None:
    """If it were, nobody would look at it when predicates are learned."""
    posts = Posts(TRANSITIONS)
    posts.begin(FIRST)
    posts.add(FIRST, [(0, 0)], [(0, 0)])
    assert posts.begin(FIRST) == []
    posts.learn(LOOP)
    assert posts.begin(FIRST) == [(0, 0)]


def test_a_location_without_transitions_has_no_successors() -> None:
    assert Posts(TRANSITIONS).lookup(State(OTHER, 5)) == []
