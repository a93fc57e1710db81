"""Which paths are analysed, by whom needed, and what their answers come to."""

from __future__ import annotations

from cleave.engines.cegar.analysis import Analyses
from cleave.engines.cegar.exploration import Counterexamples
from cleave.engines.cegar.messages import Failed, Feasible, GivenUp, Learned, Refined, Violated

FIRST, SECOND, THIRD = (0, 1), (0, 2), (0, 3)
LOW, HIGH = Learned(2, b"x >= 0"), Learned(2, b"x <= 9")


def _begun() -> Analyses:
    analyses = Analyses()
    analyses.begin(Counterexamples((FIRST, SECOND), (THIRD,)))
    return analyses


def test_what_is_needed_comes_first() -> None:
    analyses = _begun()
    assert [analyses.take(ahead=False) for _ in range(3)] == [FIRST, SECOND, None]
    assert analyses.take(ahead=True) == THIRD
    assert analyses.ahead == 1


def test_predicates_come_in_the_order_of_the_paths() -> None:
    analyses = _begun()
    analyses.answered(SECOND, Refined((HIGH, LOW)))
    assert not analyses.is_over
    analyses.answered(FIRST, Refined((LOW,)))
    assert analyses.is_over
    assert analyses.conclude(()) == (LOW, HIGH)
    assert not analyses.under_way


def test_the_least_violation_is_taken() -> None:
    analyses = _begun()
    analyses.answered(SECOND, Feasible((b"2",)))
    analyses.answered(FIRST, Feasible((b"1",)))
    assert analyses.conclude(()) == Violated(FIRST, (b"1",))


def test_it_ends_if_nothing_new_is_found() -> None:
    analyses = _begun()
    analyses.answered(FIRST, Refined((LOW,)))
    analyses.answered(SECOND, Failed("too hard"))
    assert analyses.conclude({LOW}) == GivenUp("refinement", "a counterexample of 2 steps is not excluded: too hard")


def test_an_answer_that_came_ahead_is_used_and_one_that_is_under_way_is_waited_for() -> None:
    analyses = _begun()
    while analyses.take(ahead=True) is not None:
        pass
    for path in (FIRST, SECOND, THIRD):
        analyses.answered(path, Refined((LOW,)))
    analyses.conclude(())
    analyses.begin(Counterexamples((THIRD,), (FIRST, SECOND)))
    assert analyses.is_over
    analyses.conclude(())
    fourth, fifth = (0, 4), (0, 5)
    analyses.begin(Counterexamples((fourth,), (fifth,)))
    assert [analyses.take(ahead=True) for _ in range(2)] == [fourth, fifth]
    analyses.answered(fourth, Refined((HIGH,)))
    analyses.conclude(())
    analyses.begin(Counterexamples((fifth,)))
    assert analyses.take(ahead=True) is None
    assert not analyses.is_over


def test_only_what_is_needed_is_taken_up_again() -> None:
    analyses = _begun()
    while analyses.take(ahead=True) is not None:
        pass
    assert analyses.lost(FIRST)
    assert not analyses.lost(THIRD)
    analyses.begin(Counterexamples((THIRD,)))
    assert analyses.take(ahead=False) == THIRD
