"""Runs of `bench.cegar` as rows of a TSV file (see `bench.rows`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import rows

PREDICTABLE, NAIVE = "predictable", "naive"
CLAIMS = ("safe", "unsafe")


class Key(NamedTuple):
    """What a run was. ``seed`` is that of delays, if there are any."""

    kind: str  # simulated | delayed | real
    task: str
    how: str  # predictable | naive
    workers: int
    seed: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds are virtual or real ones as named; a run that hit a limit has the virtual time that it had reached.
    Of virtual time, one worker was ``alone``, and counterexamples were analysed while others waited (``analysing``).
    ``cost`` is that of all workers, with that of refinements; ``digest`` that of all that the run concluded."""

    kind: str = "simulated"
    task: str
    how: str = PREDICTABLE
    workers: int
    seed: int = 0
    expected: str = "unknown"
    answer: str  # safe | unsafe | given up | limit | real limit | memory | error
    virtual_seconds: float | None = None
    alone_seconds: float = 0.0
    analysing_seconds: float = 0.0
    real_seconds: float = 0.0
    virtual_limit: float = 0.0
    real_limit: float = 0.0
    cost: int = 0
    refinement_cost: int = 0
    variables: int = 0
    transitions: int = 0
    iterations: int = 0
    predicates: int = 0
    states: int = 0
    posts: int = 0
    queries: int = 0
    messages: int = 0
    bytes: int = 0
    busy: float | None = None
    digest: str = ""
    rss_mb: int = 0
    evidence: str = ""
    version: str = ""
    note: str = ""

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task, self.how, self.workers, self.seed)

    @property
    def solved(self) -> bool:
        late = self.kind == "real" and bool(self.real_limit) and self.real_seconds > self.real_limit
        return self.answer in CLAIMS and not late

    @property
    def wrong(self) -> bool:
        """Also if it came late."""
        return self.answer in CLAIMS and self.expected in CLAIMS and self.answer != self.expected

    @property
    def seconds(self) -> float:
        """Virtual ones."""
        return self.virtual_seconds or 0.0

    def __str__(self) -> str:
        virtual = "" if self.virtual_seconds is None else f", {self.virtual_seconds:.1f} virtual s"
        wrong = " WRONG" if self.wrong else ""
        how = f"{self.kind} {self.how}, {self.workers} workers, seed {self.seed}"
        return f"{self.task}, {how}: {self.answer}{wrong}{virtual}, {self.real_seconds:.1f} s {self.note}".rstrip()


def store(path: Path) -> rows.Store[Row]:
    return rows.Store(path, Row)
