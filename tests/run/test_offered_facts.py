"""Invariants that one stage finds are offered to the searches after it: inline assumes them, cegar begins with them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cleave.api import planned
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.task import problem_of
from cleave.engines.inline.options import InlineOptions
from cleave.engines.pdr.options import PdrOptions
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from cleave.run.lane import Lane
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage, given_options
from cleave.run.request import Options
from support.runs import Notes, run_stage

LOOP = """
procedure main() {
  var i: int; var n: int; var g: int;
  g := 0; i := 0;
  assume n >= 0;
  while (i < n) { g := g + i; i := i + 1; }
  assert g >= 0;
}
"""


@pytest.fixture(scope="module")
def found() -> Outcome:
    outcome = run_stage("loop.bpl", LOOP, "pdr", PdrOptions(), role="invariants")
    assert outcome.facts is not None
    return outcome


def iterations(found: Outcome | None) -> int:
    """That cegar needs to prove it, with or without what was found."""
    stage = Stage(number=2, engine="cegar", purpose="", options=given_options(CegarOptions()), uses=1)
    outcomes = {1: found} if found is not None else {}
    Lane(Plan(stages=(stage,)), Input.of("loop.bpl", LOOP.encode()), Notes(), outcomes, threading.Event()).run([stage])
    assert outcomes[2].verdict.word == "safe"
    return int(outcomes[2].counters["iterations"])


def test_cegar_begins_with_the_invariants_as_predicates(found: Outcome) -> None:
    assert found.facts is not None
    problem = problem_of(Input.of("loop.bpl", LOOP.encode()), Integers.BITS, found.facts.data)
    assert problem.known
    own = {number: location.variables for number, location in enumerate(problem.system.locations)}
    assert all(own[location] for location, _ in problem.known)
    assert iterations(found) < iterations(None)


def test_inline_assumes_the_invariants(found: Outcome) -> None:
    stage = Stage(number=2, engine="inline", purpose="", options=given_options(InlineOptions(bounds=(2,))), uses=1)
    outcomes = {1: found}
    Lane(Plan(stages=(stage,)), Input.of("loop.bpl", LOOP.encode()), Notes(), outcomes, threading.Event()).run([stage])
    assert outcomes[2].verdict.word == "safe", "what bounds alone do not prove"
    assert outcomes[2].safe is not None
    assert "it uses" in outcomes[2].safe.validation


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_the_default_plan_offers_them_to_both(tmp_path: Path, workers: int) -> None:
    file = tmp_path / "loop.bpl"
    file.write_text(LOOP)
    _, plan, _ = planned(str(file), Options(workers=workers))
    (finder,) = [stage.number for stage in plan.stages if stage.role == "invariants"]
    users = {stage.engine: stage for stage in plan.stages if stage.uses == finder}
    assert users.keys() == {"inline", "cegar"}
    by_number = {stage.number: stage for stage in plan.stages}
    for user in users.values():
        assert user.lane != by_number[finder].lane or user.number > finder, "a lane goes by numbers"
