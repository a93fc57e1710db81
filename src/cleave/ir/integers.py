"""The integers of a program whose language says: integers of so many bits."""

from __future__ import annotations

from enum import Enum


class Integers(Enum):
    BITS = "bits"  # bit vectors, as processors have them
    EXACT = "exact"  # integers that go round where bit vectors do
    CHECKED = "checked"  # integers; where one would have to go round, that is a violation
    UNBOUNDED = "unbounded"  # integers that never go round


UNBOUNDED_ASSUMPTION = "integers are unbounded: it was assumed that no arithmetic operation overflows or wraps around"
