"""The integers of a program whose language says: integers of so many bits."""

from __future__ import annotations

from enum import Enum


class Integers(Enum):
    """What the integers of a C program are."""

    BITS = "bits"  # bit vectors, as processors have them
    EXACT = "exact"  # integers that wrap around where bit vectors do
    CHECKED = "checked"  # integers; a violation where one would wrap around
    UNBOUNDED = "unbounded"  # integers that never wrap around


UNBOUNDED_ASSUMPTION = "integers are unbounded: it was assumed that no arithmetic operation overflows or wraps around"
