"""A run as the messages of the engine's workers show it: sets of executions, for each set of bounds."""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.coordination import Event
from cleave.engines.review.parts import PartsReview, review_parts
from cleave.engines.threads.review import listener


def review(events: Iterable[tuple[float, Event]]) -> PartsReview:
    return review_parts(events, listener(_name))


def _name(level: int, name: str) -> str:
    return f"bounds {level}, {f'branches {name}' if name else 'all executions'}"
