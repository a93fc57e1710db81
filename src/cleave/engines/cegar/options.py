"""Options of the cegar engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CegarOptions:
    """0 means: no limit. In each iteration up to ``counterexamples`` are analysed, the least ones; 1 is the paper's
    way. ``naive`` takes the first one that any worker finds, for comparison: faster at times, and different each time.
    ``chunk`` is how many transitions of a state are one piece of work; 0: fewer, the more workers there are."""

    workers: int = 1
    iterations: int = 0
    counterexamples: int = 8
    naive: bool = False
    chunk: int = 0
    batch: int = 64  # pieces of work in one message, at most
