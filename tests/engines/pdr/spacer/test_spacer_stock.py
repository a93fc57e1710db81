"""Stock SPACER on the text of clauses: its models are read, its "unsafe" is no answer, it works in slices."""

from __future__ import annotations

import time

import pytest

from cleave.engines.pdr.spacer.run import Busy, Event, NoAnswer, Paused, SafeAnswer
from cleave.engines.pdr.spacer.stock import StockRun
from cleave.ir.horn import HornSystem
from cleave.ir.horn_text import print_horn
from support.horn_systems import broken_clause, counter
from support.pdr_runs import pairs


def text(given: HornSystem) -> bytes:
    return print_horn(given).encode()


def finish(run: StockRun) -> tuple[Event, int]:
    """The answer, and how often it paused."""
    pauses = 0
    event = run.resume()
    while isinstance(event, Paused | Busy):
        pauses += isinstance(event, Paused)
        event = run.resume()
    run.stop()
    return event, pauses


def test_safe_comes_with_relations_of_all_predicates() -> None:
    given = pairs(7)
    found, _ = finish(StockRun(given, text(given)))
    assert isinstance(found, SafeAnswer)
    assert found.interpretation.keys() == given.predicates.keys()
    assert broken_clause(given, found.interpretation) is None


def test_unsafe_is_no_answer() -> None:
    given = counter(5)
    run = StockRun(given, text(given))
    assert finish(run)[0] == NoAnswer("unsafe, it says, without a derivation")
    assert run.cost() > 0


def test_in_slices_it_gives_the_same_answer() -> None:
    given = pairs(7)
    found, pauses = finish(StockRun(given, text(given), slice_cost=500))
    assert pauses > 0
    assert isinstance(found, SafeAnswer)
    assert broken_clause(given, found.interpretation) is None


@pytest.mark.parametrize("slices", [0, 500])
def test_it_ends_at_its_limit(slices: int) -> None:
    given = counter(100_000)
    run = StockRun(given, text(given), slice_cost=slices, cost_limit=20_000)
    assert finish(run)[0] == NoAnswer("cost")
    assert 20_000 <= run.cost() < 100_000


@pytest.mark.parametrize("slices", [0, 50_000])
def test_it_can_be_stopped_at_any_time(slices: int) -> None:
    given = counter(100_000)  # takes very long: one level for each number
    run = StockRun(given, text(given), poll_seconds=0.05, slice_cost=slices)
    assert isinstance(run.resume(), Busy | Paused)
    began = time.monotonic()
    run.stop()
    assert time.monotonic() - began < 20
    assert run.resume() == NoAnswer("stopped")


def test_text_that_is_none() -> None:
    found, _ = finish(StockRun(counter(5), b"(assert (P 1))"))
    assert isinstance(found, NoAnswer)
    assert "P" in found.reason
