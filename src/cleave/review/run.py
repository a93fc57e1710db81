"""The state of a run, and how often it was resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from cleave.engines.coordination import STOPPED, Event, Lost

RunState = Literal["finished", "running", "stopped"]


def run_state(result: Mapping[str, Any] | None, *, going_on: bool) -> RunState:
    """A run that is ``stopped`` can be resumed; if it was told to stop, it has a result all the same."""
    if going_on:
        return "running"
    return "stopped" if result is None or result.get("verdict") == "unknown" else "finished"


class Breaks:
    """How often a run was resumed. Workers that a break took leave together.

    >>> breaks = Breaks()
    >>> for event in (Lost(1, STOPPED), Lost(2, STOPPED), Lost(3, "crashed"), Lost(4, STOPPED)):
    ...     breaks.saw(event)
    >>> breaks.number
    2
    """

    def __init__(self) -> None:
        self.number = 0
        self._in_one = False

    def saw(self, event: Event) -> None:
        stopped = isinstance(event, Lost) and event.reason == STOPPED
        self.number += stopped and not self._in_one
        self._in_one = stopped
