"""Explorations of random abstract state spaces: what a predictable one concludes depends on nothing but the space."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest

from cleave.engines.cegar.exploration import (
    FIRST,
    Counterexamples,
    Covered,
    End,
    Exploration,
    Post,
    State,
    Successor,
    includes,
)
from cleave.engines.cegar.naive import Naive
from cleave.engines.cegar.predictable import Predictable
from cleave.ir.transition_system import ERROR

Space = dict[State, list[Successor]]
_LOCATIONS, _BITS = 4, 4


def _space(seed: int, errors: float) -> Space:
    """Monotone, as posts are: a state with fewer predicates has the successors of those with more, with fewer."""
    chance = random.Random(seed)
    edges = []
    for transition in range(10):
        source, target = chance.randrange(1, _LOCATIONS), chance.randrange(1, _LOCATIONS)
        gains = [(chance.getrandbits(_BITS) & chance.getrandbits(_BITS), chance.getrandbits(_BITS)) for _ in range(4)]
        blocking = chance.getrandbits(_BITS) | 1 << chance.randrange(_BITS)
        edges.append((transition, source, ERROR if chance.random() < errors else target + 1, gains, blocking))

    def post(state: State) -> list[Successor]:
        if state == FIRST:
            return [Successor(100 + n, State(n + 1, chance_bits)) for n, chance_bits in first]
        found = []
        for transition, source, target, gains, blocking in edges:
            if source + 1 == state.location and not includes(blocking, state.bits):
                bits = 0
                for needed, given in gains:
                    bits |= given if includes(needed, state.bits) else 0
                found.append(Successor(transition, State(target, 0 if target == ERROR else bits)))
        return found

    first = [(n, chance.getrandbits(_BITS)) for n in range(1, _LOCATIONS)]
    states = [FIRST, *(State(place, bits) for place in range(2, _LOCATIONS + 2) for bits in range(1 << _BITS))]
    return {state: post(state) for state in states}


def _explore(space: Space, make: Callable[[Post], Exploration], seed: int) -> tuple[End, int]:
    """Lets successors become known in a random order; what it ends with, and how many were asked for."""
    chance = random.Random(seed)
    known: set[State] = set()
    exploration = make(lambda state: space[state] if state in known else None)
    under_way: list[State] = []
    while exploration.end() is None:
        while len(under_way) < 3 and (state := exploration.wanted()) is not None:
            under_way.append(state)
        assert under_way, "it wants nothing, and has not ended"
        done = under_way.pop(chance.randrange(len(under_way)))
        known.add(done)
        exploration.known(done)
    end = exploration.end()
    assert end is not None
    return end, len(known)


def _least_path(space: Space) -> tuple[int, ...] | None:
    """By trying all paths, shortest first."""
    level: dict[State, tuple[int, ...]] = {FIRST: ()}
    seen: set[State] = set()
    while level:
        after: dict[State, tuple[int, ...]] = {}
        for state, path in level.items():
            for transition, successor in space[state] if not state.is_error else ():
                way = (*path, transition)
                if successor not in after or way < after[successor]:
                    after[successor] = way
        for state, path in after.items():
            if state.is_error:
                return path
        seen |= set(level)
        level = {state: path for state, path in after.items() if state not in seen}
    return None


@pytest.mark.parametrize("seed", range(60))
def test_the_order_of_answers_does_not_show(seed: int) -> None:
    space = _space(seed, 0.15 if seed % 2 else 0.0)
    ends = {_explore(space, Predictable, order)[0] for order in range(8)}
    assert len(ends) == 1


@pytest.mark.parametrize("seed", range(60))
def test_the_end_is_a_cover_or_a_shortest_path(seed: int) -> None:
    space = _space(seed, 0.15)
    least = _least_path(space)
    for make in (Predictable, Naive):
        end, _ = _explore(space, make, seed)
        match end:
            case Covered(states):
                assert least is None
                assert _is_closed(space, states)
            case Counterexamples((path, *_)):
                assert least is not None
                assert _leads_to_error(space, path)
                if make is Predictable:
                    assert len(path) == len(least)


def _is_closed(space: Space, states: tuple[State, ...]) -> bool:
    def covered(state: State) -> bool:
        return any(state.location == one.location and includes(one.bits, state.bits) for one in states)

    return covered(FIRST) and all(covered(after) for state in states for _, after in space[state])


def _leads_to_error(space: Space, path: tuple[int, ...]) -> bool:
    state = FIRST
    for transition in path:
        state = next(after for number, after in space[state] if number == transition)
    return state.is_error


def test_of_shortest_paths_the_least_is_taken() -> None:
    """The one that is known first is not."""
    a, b = State(2, 0), State(3, 0)
    space = {FIRST: [Successor(0, a), Successor(1, b)], a: [Successor(4, State(ERROR, 0))]}
    space[b] = [Successor(2, State(ERROR, 0))]
    ends = {_explore(space, Predictable, order)[0] for order in range(20)}
    assert ends == {Counterexamples(((0, 4),))}
    assert len({_explore(space, Naive, order)[0] for order in range(20)}) == 2


def test_a_deeper_state_does_not_hide_a_nearer_one() -> None:
    """The larger state is three steps away, the smaller one a single one: it decides about the shortest path."""
    near, far = State(4, 1), State(4, 0)
    a, b = State(2, 0), State(3, 0)
    error = State(ERROR, 0)
    space = {FIRST: [Successor(0, a), Successor(1, near)], a: [Successor(2, b)], b: [Successor(3, far)]}
    space |= {near: [Successor(4, error)], far: [Successor(4, error)]}
    assert {_explore(space, Predictable, order)[0] for order in range(20)} == {Counterexamples(((1, 4),))}


def test_nothing_deeper_than_an_error_is_asked_for() -> None:
    chain = [FIRST, *(State(2, bits) for bits in (1, 2, 4, 8, 16, 32))]
    space = {one: [Successor(0, after)] for one, after in pairwise(chain)}
    space[chain[-1]] = []
    space[FIRST] = [*space[FIRST], Successor(1, State(3, 0))]
    space[State(3, 0)] = [Successor(2, State(ERROR, 0))]
    end, asked = _explore(space, Predictable, 3)
    assert end == Counterexamples(((1, 2),))
    assert asked < len(chain)


def test_what_known_states_lead_to_is_asked_for_before_the_level_is_complete() -> None:
    """Also if the first state's successors are known from the beginning, as they are in all but the first iteration."""
    a, b, after_a, later = State(2, 0), State(3, 0), State(4, 0), State(5, 0)
    space = {FIRST: [Successor(0, a), Successor(1, b)], a: [Successor(2, after_a)], after_a: [Successor(3, later)]}
    exploration = Predictable(space.get)  # what b leads to is not known
    assert [exploration.wanted(), exploration.wanted()] == [b, None], "two levels ahead of the tree"
    del space[after_a]
    assert [one.wanted() for one in [Predictable(space.get)] for _ in range(3)] == [b, after_a, None]
    assert [one.wanted() for one in [Predictable(space.get, ahead=False)] for _ in range(2)] == [b, None]


def test_a_state_that_became_known_as_a_guess_is_not_asked_for() -> None:
    a, b, after_a = State(2, 0), State(3, 0), State(4, 0)
    space = {FIRST: [Successor(0, a), Successor(1, b)], a: [Successor(2, after_a)]}
    exploration = Predictable(space.get)
    space[after_a] = []
    exploration.known(after_a)
    assert [exploration.wanted(), exploration.wanted()] == [b, None]


def test_counterexamples_differ_in_their_locations_or_in_how_they_end() -> None:
    """Of those that don't, the least is taken, and others only if there are too few."""
    error = State(ERROR, 0)
    middle = [State(2, bits) for bits in (1, 2, 4)]
    space = {FIRST: [Successor(number, state) for number, state in enumerate(middle)]}
    space |= {state: [Successor(3, error)] for state in middle}
    space[middle[0]] = [Successor(3, error), Successor(4, error)]

    def ends(counterexamples: int) -> set[End]:
        return {_explore(space, partial(Predictable, counterexamples=counterexamples), order)[0] for order in range(5)}

    assert ends(2) == {Counterexamples(((0, 3), (0, 4)))}
    assert ends(12) == {Counterexamples(((0, 3), (0, 4), (1, 3)))}
