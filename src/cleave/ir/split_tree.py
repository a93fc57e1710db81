"""The record of a search that was split: which partitions were divided, and which were closed.

    Divided("", m), Closed("1", ((m, True),)), Divided("0", n), Closed("00", ((m, False), (n, False))), ...

A partition is named by its path in the split tree: ``""`` is the whole search, and dividing ``p`` on a call instance
replaces it by ``p + "0"``, which must avoid the instance, and ``p + "1"``, which must reach it.
"""

from __future__ import annotations

from typing import TypeAlias

from cleave.records import dataclass

ROOT = ""


@dataclass(frozen=True, slots=True)
class Divided:
    """The leaf ``partition`` gave way to its two children, which avoid and reach the instance ``meaning`` tells."""

    partition: str
    meaning: bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """No violation in ``partition``, by a proof under these ``decisions``: (meaning, reach) from the root down."""

    partition: str
    decisions: tuple[tuple[bytes, bool], ...]


Record: TypeAlias = Divided | Closed
