"""Options of the cegar engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CegarOptions:
    """0 means: no limit. In each iteration up to ``counterexamples`` are analysed, the least ones that differ; 1 is the
    paper's way. ``naive`` takes the first one that any worker finds, for comparison: faster at times, different each
    time. ``chunk`` is how many transitions of a location a worker goes on with together; 0: fewer, the more workers
    there are."""

    workers: int = 1
    iterations: int = 0
    counterexamples: int = 16
    naive: bool = False
    chunk: int = 0
    batch: int = 512  # transitions in one message, at most
