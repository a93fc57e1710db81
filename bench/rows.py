"""Runs of a benchmark as rows of a TSV file: a row is written as soon as its run ends, and none is ever removed.

    store = Store(Path("docs/lab/hydra.tsv"), Row)
    store.add(row)
    store.latest()[row.key]            # the last row of a key counts: a run may be made again with higher limits

A row whose writing was cut off is skipped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec


class StoredRow(Protocol):
    """A msgspec struct of plain values."""

    @property
    def key(self) -> Hashable: ...

    @property
    def solved(self) -> bool: ...

    @property
    def wrong(self) -> bool: ...

    @property
    def answer(self) -> str: ...

    @property
    def virtual_seconds(self) -> float | None: ...

    @property
    def virtual_limit(self) -> float: ...

    @property
    def real_limit(self) -> float: ...


AnyRow = TypeVar("AnyRow", bound=StoredRow)


def decides(row: StoredRow, virtual_limit: float, real_limit: float) -> bool:
    """Whether a run with these limits would tell nothing new."""
    if row.solved:
        return True
    if row.answer == "limit":
        return bool(virtual_limit) and row.virtual_limit >= virtual_limit
    return row.answer != "error" and row.real_limit >= real_limit


def in_time(row: StoredRow, virtual_limit: float) -> bool:
    """Whether the run solved its task, within the limit if there is one."""
    return row.solved and (not virtual_limit or (row.virtual_seconds or 0.0) <= virtual_limit)


def missed(row: StoredRow, virtual_limit: float) -> bool:
    """Whether it is known that the run does not solve its task within the limit."""
    if in_time(row, virtual_limit):
        return False
    reached = bool(virtual_limit) and (row.virtual_seconds or 0.0) >= virtual_limit
    return reached or row.answer == "given up"


class Store(Generic[AnyRow]):
    """For any number of threads of one process."""

    def __init__(self, path: Path, kind: type[AnyRow]) -> None:
        self.path = path
        self._kind = kind
        self._lock = threading.Lock()
        self._rows = read_rows(path, kind) if path.exists() else []

    def add(self, row: AnyRow) -> None:
        """On disk when it returns."""
        with self._lock:
            self._rows.append(row)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                file.write(self._before(file.tell()) + self._line(row).encode())
                file.flush()
                os.fsync(file.fileno())

    def latest(self) -> dict[Hashable, AnyRow]:
        with self._lock:
            return {row.key: row for row in self._rows}

    def _before(self, size: int) -> bytes:
        """The heading of a new file, or the end of a line that was cut off."""
        if not size:
            return ("\t".join(columns(self._kind)) + "\n").encode()
        return b"" if self.path.read_bytes().endswith(b"\n") else b"\n"

    def _line(self, row: AnyRow) -> str:
        return "\t".join(_cell(getattr(row, name)) for name in columns(self._kind)) + "\n"


def columns(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(kind))


def read_rows(path: Path, kind: type[AnyRow]) -> list[AnyRow]:
    heading, *lines = path.read_text().splitlines()
    names = heading.split("\t")
    rows: list[AnyRow] = []
    for line in lines:
        cells = line.split("\t")
        if len(cells) == len(names):
            given = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
            rows.append(msgspec.convert(given, kind, strict=False))
    return rows


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
