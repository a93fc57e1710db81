"""What state a run is in, and how often it was resumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Literal

from cleave.engines.coordination import STOPPED, Event, Lost

RunState = Literal["finished", "going on", "stopped"]


def run_state(result: Mapping[str, Any] | None, *, going_on: bool) -> RunState:
    """A run that is ``stopped`` can be resumed; if it was told to stop, it has a result all the same."""
    if going_on:
        return "going on"
    return "stopped" if result is None or result.get("verdict") == "unknown" else "finished"


def count_breaks(events: Iterable[Event]) -> int:
    """Workers that a break took leave together."""
    stopped = (isinstance(event, Lost) and event.reason == STOPPED for event in events)
    return sum(was_stopped for was_stopped, _ in groupby(stopped))
