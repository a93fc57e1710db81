"""Where the next iteration is expected, and that a wrong guess changes nothing."""

from __future__ import annotations

from cleave.engines.cegar.exploration import FIRST, Counterexamples, State, Successor
from cleave.engines.cegar.guesses import guesses
from cleave.engines.cegar.messages import Learned
from cleave.engines.cegar.predictable import Predictable
from cleave.ir.transition_system import ERROR

A, B, OTHER = State(2, 0), State(3, 0), State(4, 0)
SPACE = {
    FIRST: [Successor(0, A), Successor(3, OTHER)],
    A: [Successor(1, B)],
    B: [Successor(2, State(ERROR, 0))],
    OTHER: [],
}


def test_predicates_hold_along_the_path_that_they_exclude() -> None:
    tree = Predictable(SPACE.get)
    assert tree.end() == Counterexamples(((0, 1, 2),))
    first, second = Learned(2, b"x >= 0"), Learned(3, b"x > 0")
    found = list(guesses(tree, [((0, 1, 2), (first, second))], {first: 0, second: 4}))
    assert found == [State(2, 1), State(3, 16), FIRST, A, OTHER, B]


def test_guesses_are_named_last_and_are_no_part_of_the_tree() -> None:
    known: dict[State, list[Successor]] = {}
    wrong = State(5, 0)
    tree = Predictable(known.get, 1, [wrong, FIRST])
    assert [tree.wanted(), tree.wanted(), tree.guess(), tree.guess()] == [FIRST, None, wrong, None]
    known[wrong] = [Successor(9, State(ERROR, 0))]
    tree.known(wrong)
    for state in SPACE:
        known[state] = SPACE[state]
        tree.known(state)
    assert tree.end() == Counterexamples(((0, 1, 2),))
    assert wrong not in set(tree.states())
