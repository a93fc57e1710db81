"""Runs of `bench.hydra` as rows of a TSV file (see `bench.rows`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import rows

SEQUENTIAL = 0
"""The number of workers of a search that is never split."""

CLAIMS = {"closed": "safe", "violated": "unsafe"}


class Key(NamedTuple):
    """What a run was: its kind, its task, and how it was searched. ``options`` are those that are not the defaults."""

    kind: str  # simulated | real
    task: str
    workers: int
    options: str
    bound: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds are virtual or real ones as named; a run that hit a limit has the virtual time that it had reached.
    ``cost`` is that of all workers, and of it ``setup_cost`` and ``validation_cost`` are those of finished partitions.
    ``busy`` is the share of the workers' time in which they worked."""

    kind: str = "simulated"
    task: str
    workers: int
    options: str = ""
    bound: int = 3
    expected: str = "unknown"
    answer: str  # closed | violated | given up | limit | real limit | memory | error
    virtual_seconds: float | None = None
    real_seconds: float = 0.0
    virtual_limit: float = 0.0
    real_limit: float = 0.0
    cost: int = 0
    setup_cost: int = 0
    validation_cost: int = 0
    splits: int = 0
    closed: int = 0
    went_back: int = 0
    set_up: int = 0
    messages: int = 0
    busy: float | None = None
    dissimilarity: float | None = None
    rss_mb: int = 0
    covered: bool | None = None  # whether the closed partitions cover the search; None if nothing was closed
    version: str = ""
    note: str = ""

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task, self.workers, self.options, self.bound)

    @property
    def how(self) -> str:
        workers = "sequential" if self.workers == SEQUENTIAL else f"{self.workers} workers"
        return f"{workers} {self.options}".rstrip()

    def __str__(self) -> str:
        virtual = "" if self.virtual_seconds is None else f", {self.virtual_seconds:.1f} virtual s"
        wrong = " WRONG" if self.wrong else ""
        return f"{self.task}, {self.how}: {self.answer}{wrong}{virtual}, {self.real_seconds:.0f} s {self.note}".rstrip()

    @property
    def solved(self) -> bool:
        return self.answer in CLAIMS

    @property
    def wrong(self) -> bool:
        if self.covered is False:
            return True
        return self.solved and self.expected in CLAIMS.values() and CLAIMS[self.answer] != self.expected

    def decides(self, virtual_limit: float, real_limit: float) -> bool:
        """Whether a run with these limits would tell nothing new."""
        return rows.decides(self, virtual_limit, real_limit)


class Store(rows.Store[Row]):
    def __init__(self, path: Path) -> None:
        super().__init__(path, Row)


def read_rows(path: Path) -> list[Row]:
    return rows.read_rows(path, Row)
