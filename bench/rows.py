"""Runs of any benchmark as rows of a TSV file: a row is written as soon as its run ends, and none is ever removed.

    store = Store(Path("docs/lab/hydra.tsv"))
    store.add(row)
    store.latest()[row.key]            # the last row of a key counts: a run may be made again with higher limits

A row whose writing was cut off is skipped.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

CLAIMS = {"safe": "safe", "bounded-safe": "safe", "unsafe": "unsafe"}
"""What an answer says about the task; other answers say nothing."""

DONE = "done"
"""The answer of a run that is no verification."""


class Key(NamedTuple):
    """What a run was: its kind, its task, and how it was made."""

    kind: str
    task: str
    how: str
    workers: int
    seed: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``kind`` is simulated or delayed, where the clock is virtual; real; processor, where limits are of processor
    time; or another one of the benchmark's. ``how`` is what is not usual, mostly as options. A run that hit a limit has
    the virtual time that it had reached. ``cost`` is that of all workers; ``busy`` the share of their time in which
    they worked; ``told`` what only this benchmark says. An answer is one of `CLAIMS`, done, given up, limit, real
    limit, memory, refused or error."""

    kind: str = "real"
    task: str
    how: str = ""
    workers: int = 1
    seed: int = 0
    expected: str = "unknown"
    answer: str
    virtual_seconds: float | None = None
    real_seconds: float = 0.0
    cpu_seconds: float = 0.0
    virtual_limit: float = 0.0
    real_limit: float = 0.0
    cost: int = 0
    busy: float | None = None
    messages: int = 0
    rss_mb: int = 0
    evidence: str = ""
    version: str = ""
    note: str = ""
    told: dict[str, Any] = {}

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task, self.how, self.workers, self.seed)

    @property
    def solved(self) -> bool:
        """A real run solves its task if it ends within the limit; of virtual time, who reads the rows knows more."""
        late = self.kind == "real" and bool(self.real_limit) and self.real_seconds > self.real_limit
        return (self.answer in CLAIMS or self.answer == DONE) and not late

    @property
    def wrong(self) -> bool:
        """Also if it came late, and if the run itself says what is wrong."""
        claim = CLAIMS.get(self.answer, self.expected)
        return bool(self.told.get("wrong")) or (self.expected in ("safe", "unsafe") and claim != self.expected)

    @property
    def seconds(self) -> float:
        """Virtual ones."""
        return self.virtual_seconds or 0.0

    def number(self, name: str) -> float:
        """Of what it told; 0 if it did not."""
        return float(self.told.get(name) or 0)

    def option(self, name: str) -> str:
        """What ``how`` says by ``name=value``; nothing if it does not."""
        found = re.search(rf"(?:^| ){name}=(\S+)", self.how)
        return found[1] if found is not None else ""

    def __str__(self) -> str:
        many = f"{self.workers} worker{'s' * (self.workers > 1)}" if self.workers else "sequential"
        how = ", ".join(filter(None, (self.kind, self.how, many, f"seed {self.seed}" if self.seed else "")))
        virtual = "" if self.virtual_seconds is None else f", {self.virtual_seconds:.1f} virtual s"
        wrong = f" WRONG {self.told.get('wrong', '')}".rstrip() if self.wrong else ""
        return f"{self.task}, {how}: {self.answer}{wrong}{virtual}, {self.real_seconds:.1f} s {self.note}".rstrip()

    def decides(self, virtual_limit: float, real_limit: float) -> bool:
        """Whether a run with these limits would tell nothing new."""
        if self.solved:
            return True
        if self.answer == "limit":
            return bool(virtual_limit) and self.virtual_limit >= virtual_limit
        return self.answer != "error" and self.real_limit >= real_limit

    def in_time(self, virtual_limit: float) -> bool:
        """Whether the run solved its task, within the limit if there is one."""
        return self.solved and (not virtual_limit or self.seconds <= virtual_limit)

    def missed(self, virtual_limit: float) -> bool:
        """Whether it is known that the run does not solve its task within the limit."""
        reached = bool(virtual_limit) and self.seconds >= virtual_limit
        return not self.in_time(virtual_limit) and (reached or self.answer == "given up")


COLUMNS = tuple(field.name for field in msgspec.structs.fields(Row))


def row_of(told: Mapping[str, Any], **known: Any) -> Row:
    """What is ``known`` of a run, and what it told: in columns where there are some."""
    given = {**told, **known}
    own = {name: given.pop(name) for name in COLUMNS if name in given}
    return msgspec.convert({**own, "told": given}, Row, strict=False)


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
                file.write((self._before(file.tell()) + _line(row)).encode())
                file.flush()
                os.fsync(file.fileno())

    def latest(self) -> dict[Key, Row]:
        with self._lock:
            return {row.key: row for row in self._rows}

    def _before(self, size: int) -> str:
        """The heading of a new file, or the end of a line that was cut off."""
        if not size:
            return "\t".join(COLUMNS) + "\n"
        return "" if self.path.read_bytes().endswith(b"\n") else "\n"


def read_rows(path: Path) -> list[Row]:
    heading, *lines = path.read_text().splitlines()
    if heading != "\t".join(COLUMNS):
        raise SystemExit(f"{path} has other columns than rows have: choose another file by --out")
    return [_row(cells) for line in lines if len(cells := line.split("\t")) == len(COLUMNS)]


def _row(cells: list[str]) -> Row:
    given: dict[str, Any] = {name: cell for name, cell in zip(COLUMNS, cells, strict=True) if cell}
    return msgspec.convert(given | {"told": msgspec.json.decode(given["told"])}, Row, strict=False)


def _line(row: Row) -> str:
    return "\t".join(_cell(getattr(row, name)) for name in COLUMNS) + "\n"


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:.10g}"
        case dict():
            return msgspec.json.encode(value).decode()
        case _:
            return " ".join(str(value).split())
