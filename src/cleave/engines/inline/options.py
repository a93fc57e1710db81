"""Options of the inline engine."""

from __future__ import annotations

from dataclasses import dataclass

from cleave.engines.inline.merging import Merging

DEFAULT_BOUND = 3


def deepening(bound: int, start: int = 1) -> tuple[int, ...]:
    """The bounds to try on the way to ``bound``: each of the first few, then half as much again each time.

    >>> deepening(3), deepening(20)
    ((1, 2, 3), (1, 2, 3, 4, 6, 9, 13, 19, 20))

    Short executions are found without unfolding long ones, and what was inlined and learned is kept. The last bound
    alone decides the verdict.
    """
    tried: list[int] = []
    while start < bound:
        tried.append(start)
        start += max(1, start // 2)
    return (*tried, bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions:
    """``bounds`` are the recursion bounds to try in turn, the last one being the bound of the verdict."""

    merging: Merging = Merging.FIRST
    bounds: tuple[int, ...] = deepening(DEFAULT_BOUND)
    seed: int = 0
