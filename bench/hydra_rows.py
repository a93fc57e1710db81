"""Runs of `bench.hydra` as rows of a TSV file: a row is written as soon as its run ends, and none is ever removed.

    store = Store(Path("docs/hydra.tsv"))
    store.add(row)
    store.latest()[row.key]            # the last row of a key counts: a run may be made again with higher limits

A row whose writing was cut off is skipped.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

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
        if self.solved:
            return True
        if self.answer == "limit":
            return bool(virtual_limit) and self.virtual_limit >= virtual_limit
        return self.answer != "error" and self.real_limit >= real_limit


COLUMNS = Row.__struct_fields__


class Store:
    """For any number of threads of one process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._rows = read_rows(path) if path.exists() else []

    def add(self, row: Row) -> None:
        """On disk when it returns."""
        with self._lock:
            self._rows.append(row)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                file.write(self._before(file.tell()) + _line(row).encode())
                file.flush()
                os.fsync(file.fileno())

    def latest(self) -> dict[Key, Row]:
        with self._lock:
            return {row.key: row for row in self._rows}

    def _before(self, size: int) -> bytes:
        """The heading of a new file, or the end of a line that was cut off."""
        if not size:
            return ("\t".join(COLUMNS) + "\n").encode()
        return b"" if self.path.read_bytes().endswith(b"\n") else b"\n"


def read_rows(path: Path) -> list[Row]:
    heading, *lines = path.read_text().splitlines()
    columns = heading.split("\t")
    rows: list[Row] = []
    for line in lines:
        cells = line.split("\t")
        if len(cells) == len(columns):
            given = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
            rows.append(msgspec.convert(given, Row, strict=False))
    return rows


def _line(row: Row) -> str:
    return "\t".join(_cell(getattr(row, name)) for name in COLUMNS) + "\n"


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.10g}"
        case _:
            return " ".join(str(value).split())
