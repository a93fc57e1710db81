"""How different the searches of workers were (HYDRA, section V-B).

    eta(i, j) = 1 - |L_i ∩ L_j| / |L_i|        L_i: the calls that worker i has inlined

1 would mean that i and j have nothing in common; every search begins at the same entry, so it is less.

>>> found = dissimilarity({1: {10, 20, 30, 40}, 2: {10, 20}, 3: set()})
>>> found.mean, found.least, found.most, found.matrix
(0.25, 0.0, 0.5, [[0.0, 0.5], [0.0, 0.0]])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from cleave.records import dataclass

MOST_IN_MATRIX = 64


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """Of the workers that inlined anything, over all ordered pairs of two. ``least``, ``most`` and ``matrix`` only for
    up to `MOST_IN_MATRIX` workers: each pair takes the intersection of two sets. ``mean`` takes none."""

    workers: list[int]
    mean: float
    least: float | None = None
    most: float | None = None
    matrix: list[list[float]] | None = None  # row i, column j: of workers[i] with respect to workers[j]


def dissimilarity(inlined: Mapping[int, Set[int]]) -> Dissimilarity | None:
    """None if there are no two workers to compare."""
    workers = sorted(worker for worker, calls in inlined.items() if calls)
    if len(workers) < 2:
        return None
    mean = _mean([inlined[worker] for worker in workers])
    if len(workers) > MOST_IN_MATRIX:
        return Dissimilarity(workers, mean)
    matrix = [[_eta(inlined[i], inlined[j]) for j in workers] for i in workers]
    pairs = [matrix[i][j] for i in range(len(workers)) for j in range(len(workers)) if i != j]
    return Dissimilarity(workers, mean, min(pairs), max(pairs), matrix)


def _eta(own: Set[int], other: Set[int]) -> float:
    return round(1 - len(own & other) / len(own), 4)


def _mean(sets: list[Set[int]]) -> float:
    """The sum over j of |L_i ∩ L_j| is the sum over the calls of L_i of how many others inlined them."""
    holders = Counter(call for calls in sets for call in calls)
    others = len(sets) - 1
    shares = [sum(holders[call] - 1 for call in calls) / (others * len(calls)) for calls in sets]
    return round(1 - sum(shares) / len(sets), 4)
