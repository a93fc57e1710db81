"""Processes that a process has started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def children(process: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            yield int(stat.parent.name)
