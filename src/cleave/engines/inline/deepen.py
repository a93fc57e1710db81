"""Larger recursion bounds: half as much again each time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cleave.engines.inline.options import InlineOptions
from cleave.engines.options import deeper


def larger(options: InlineOptions, proved: Mapping[str, int] | None) -> InlineOptions:
    """Only the next bound: what is within ``proved`` need not be searched again."""
    last = (proved or {}).get("recursion") or options.tried[-1]
    return replace(options, bounds=(deeper(last),), beyond_cost=0)
