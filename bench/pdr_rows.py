"""Runs of `bench.pdr` as rows of a TSV file (see `bench.rows`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import rows

STOCK = "z3"
"""SPACER of the stock binary, with its default settings, on the file as it is."""

ADAPTIVE = "adaptive"
"""What ``cleave verify`` does."""

CLAIMS = ("safe", "unsafe")


class Key(NamedTuple):
    """What a run was: its kind, its task, and how it was solved."""

    kind: str  # simulated | real
    task: str
    how: str  # z3, adaptive, strategy NAME, or a technique
    workers: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds are virtual or real ones as named; a run that hit a limit has the virtual time that it had reached.
    ``cost`` is that of all workers: of it ``sharing_cost`` for sharing, and ``validation_cost`` for checking answers.
    ``evidence`` says how the invariant or the derivation was checked."""

    kind: str = "simulated"
    task: str
    how: str
    workers: int
    expected: str = "unknown"
    answer: str  # safe | unsafe | given up | limit | real limit | memory | error
    virtual_seconds: float | None = None
    real_seconds: float = 0.0
    virtual_limit: float = 0.0
    real_limit: float = 0.0
    cost: int = 0
    sharing_cost: int = 0
    validation_cost: int = 0
    lemmas_pushed: int = 0
    lemmas_pulled: int = 0
    partitions: int = 0
    closed: int = 0
    level: int = 0
    messages: int = 0
    busy: float | None = None
    rss_mb: int = 0
    evidence: str = ""
    version: str = ""
    note: str = ""

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task, self.how, self.workers)

    @property
    def solved(self) -> bool:
        """A real run solves its task if it ends within the limit; of virtual time, who reads the rows knows more."""
        late = self.kind == "real" and bool(self.real_limit) and self.real_seconds > self.real_limit
        return self.answer in CLAIMS and not late

    @property
    def wrong(self) -> bool:
        """Also if it came late."""
        return self.answer in CLAIMS and self.expected in CLAIMS and self.answer != self.expected

    def __str__(self) -> str:
        virtual = "" if self.virtual_seconds is None else f", {self.virtual_seconds:.1f} virtual s"
        wrong = " WRONG" if self.wrong else ""
        how = f"{self.how}, {self.workers} workers"
        return f"{self.task}, {how}: {self.answer}{wrong}{virtual}, {self.real_seconds:.1f} s {self.note}".rstrip()


def store(path: Path) -> rows.Store[Row]:
    return rows.Store(path, Row)
