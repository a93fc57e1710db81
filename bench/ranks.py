"""Wilcoxon's signed-rank test and the geometric mean.

>>> differences = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
>>> round(signed_rank(differences), 6)
0.04126
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from math import exp, fsum, log


def signed_rank(differences: Iterable[float]) -> float:
    """The two-sided p-value: how likely differences without a preferred sign would be as one-sided as these.

    Exact, by counting for every sum of ranks how many choices of signs give it. Zeros are left out; equal sizes share
    the mean of their ranks, so ranks are counted twice to stay whole.
    """
    signed = sorted((d for d in differences if d), key=abs)
    ranks: list[int] = []
    for _, same in groupby(signed, key=abs):
        size = len(list(same))
        ranks += [2 * len(ranks) + size + 1] * size
    total = sum(ranks)
    ways = [1] + [0] * total
    for rank in ranks:
        for reached in range(total, rank - 1, -1):
            ways[reached] += ways[reached - rank]
    positive = sum(rank for rank, d in zip(ranks, signed, strict=True) if d > 0)
    least = min(positive, total - positive)
    as_extreme: float = 2 * sum(ways[: least + 1]) / (1 << len(ranks))
    return min(1.0, as_extreme)


def geometric_mean(ratios: Iterable[float]) -> float:
    """
    >>> round(geometric_mean([2, 8]), 9)
    4.0
    """
    logs = [log(ratio) for ratio in ratios]
    return exp(fsum(logs) / len(logs))
