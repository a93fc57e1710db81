"""What a user can choose about reading C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class COptions:
    """``bits`` is the data model: 64 (LP64) or 32 (ILP32), both of Linux on x86. None: 64, unless a file declares
    itself that ``size_t`` is ``unsigned int``, as preprocessed files for 32 bit do."""

    bits: Literal[32, 64] | None = None
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE, as after -D
    includes: tuple[str, ...] = ()  # folders, as after -I
    entry: str | None = None  # None: main; without one, the only function that no other one calls
    error_label: str | None = None  # reaching a label of this name is a violation, too
