"""The integer types of C."""

from __future__ import annotations

from typing import NamedTuple


class CInteger(NamedTuple):
    """``width`` is in bits."""

    width: int
    signed: bool
