"""Options of the inline engine."""

from __future__ import annotations

from dataclasses import dataclass

from cleave.engines.inline.merging import Merging


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions:
    """``bounds`` are the recursion bounds to try in turn, the last one being the bound of the verdict."""

    merging: Merging = Merging.FIRST
    bounds: tuple[int, ...] = (3,)
    seed: int = 0
