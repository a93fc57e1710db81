"""Which paths are analysed, by whom needed, and what their answers come to."""

from __future__ import annotations

from cleave.engines.cegar.analysis import Analyses
from cleave.engines.cegar.exploration import Counterexamples
from cleave.engines.cegar.messages import Failed, Feasible, Learned, Refined, SentSteps
from cleave.engines.findings import GivenUp, Violation

FIRST, SECOND = (0, 1), (0, 2)
LOW, HIGH = Learned(2, b"x >= 0"), Learned(2, b"x <= 9")


def _begun() -> Analyses:
    analyses = Analyses()
    analyses.begin(Counterexamples((FIRST, SECOND)))
    return analyses


def test_each_path_is_given_out_once_in_order() -> None:
    analyses = _begun()
    assert [analyses.take() for _ in range(3)] == [FIRST, SECOND, None]


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
    assert analyses.conclude(()) == Violation(SentSteps(FIRST, (b"1",)))


def test_it_ends_if_nothing_new_is_found() -> None:
    analyses = _begun()
    analyses.answered(FIRST, Refined((LOW,)))
    analyses.answered(SECOND, Failed("too hard"))
    assert analyses.conclude({LOW}) == GivenUp("refinement", "a counterexample of 2 steps is not excluded: too hard")


def test_the_answers_of_an_iteration_are_not_those_of_the_next() -> None:
    analyses = _begun()
    for path in (FIRST, SECOND):
        analyses.answered(path, Refined((LOW,)))
    analyses.conclude(())
    analyses.begin(Counterexamples((SECOND,)))
    assert not analyses.is_over
    assert analyses.take() == SECOND
