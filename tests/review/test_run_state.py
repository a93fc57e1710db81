"""What is told of any run: its state, and how often it was resumed."""

from __future__ import annotations

from cleave.engines.coordination import STOPPED, Joined, Lost
from cleave.review.run import Breaks, run_state


def test_states() -> None:
    assert run_state(None, going_on=False) == "stopped"
    assert run_state({"verdict": "safe"}, going_on=False) == "finished"
    assert run_state({"verdict": "unknown"}, going_on=False) == "stopped"
    assert run_state(None, going_on=True) == "running"


def test_a_break_is_counted_once() -> None:
    breaks = Breaks()
    for event in (Joined(1), Joined(2), Lost(1, STOPPED), Lost(2, STOPPED), Joined(3), Lost(3, "crashed")):
        breaks.saw(event)
    assert breaks.number == 1
