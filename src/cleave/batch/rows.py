"""The result of a task, and the file that keeps it: one JSON object on a line, on the disk before anything else
happens. A line whose writing was cut off is skipped, and its task is run again.

>>> Row(name="a", verdict="unsafe", expected="safe").status
'wrong'
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from cleave.errors import UsageError

Status = Literal["correct", "wrong", "bounded", "unknown", "error", "unjudged"]
STATUSES: tuple[Status, ...] = ("correct", "wrong", "bounded", "unknown", "error", "unjudged")

_SCORES = {("correct", "safe"): 2, ("correct", "unsafe"): 1, ("wrong", "safe"): -32, ("wrong", "unsafe"): -16}
"""As SV-COMP counts."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """``verdict`` is one of the four, or error: then ``reason`` says what happened. ``exit_code`` is negative for a
    signal."""

    name: str
    key: str = ""
    files: tuple[str, ...] = ()
    asked: str = ""  # the properties, in a word
    expected: str | None = None
    verdict: str = "error"
    reason: str = ""
    engine: str = ""
    bounds: dict[str, int] = msgspec.field(default_factory=dict)
    violated: str = ""
    validation: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    exit_code: int = 0

    @property
    def status(self) -> Status:
        """A bound that holds says nothing about an expectation, which is about all executions."""
        match self.verdict:
            case "unknown":
                return "unknown"
            case "bounded-safe":
                return "bounded"
            case "safe" | "unsafe" if self.expected is None:
                return "unjudged"
            case "safe" | "unsafe":
                return "correct" if self.verdict == self.expected else "wrong"
        return "error"

    @property
    def score(self) -> int:
        return _SCORES.get((self.status, self.verdict), 0)

    @property
    def solved(self) -> bool:
        return self.status in ("correct", "unjudged")


def row_object(row: Row) -> dict[str, Any]:
    """With what follows from it."""
    return {**msgspec.to_builtins(row), "status": row.status, "score": row.score}


class Store:
    """Rows by key, in a file that only one process writes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows = {row.key: row for row in read_rows(file)} if file.exists() else {}

    def add(self, row: Row) -> None:
        """On the disk when this returns."""
        self.rows[row.key] = row
        text = json.dumps(row_object(row)) + "\n"
        try:
            with self.file.open("ab+") as stream:
                stream.write(self._break(stream.tell()) + text.encode())
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise UsageError(f"can't write to {self.file}: {error.strerror}") from None

    def _break(self, size: int) -> bytes:
        """The end of a line that was cut off."""
        if not size:
            return b""
        with self.file.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return b"" if stream.read(1) == b"\n" else b"\n"


def read_rows(file: Path) -> Iterable[Row]:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"can't read {file}: {error.strerror}") from None
    decoder = msgspec.json.Decoder(Row)
    for line in lines:
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue  # cut off by a crash
