"""Options of the pdr engine, and the paper's eight techniques by name (P3, Table I).

>>> technique("partitioning+k", workers=60).share
<Share.K: 'k'>
>>> sorted(TECHNIQUES)[:2]
['partitioning', 'partitioning+all']

The default adapts: it starts as a portfolio that shares invariants, which is best for easy problems, and partitions
what takes long, with one worker left on the whole problem: a part can be harder than the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cleave.smt.spacer_strategies import STRATEGIES

STOCK, STOCK_ON = "stock", "stock-on"
"""Z3 as its own command solves the clauses, see `smt.spacer_stock`: for some time, and as long as there is time."""

UNROLL, UNROLL_ON = "unroll", "unroll-on"
"""Search for short derivations, see `unrolling`: for a little time, and as long as there is time."""

NOT_SPACER = (STOCK, STOCK_ON, UNROLL, UNROLL_ON)
"""These neither tell nor take lemmas, and are for the whole problem only."""

_BEST_FIRST = ("global", "no-equality-propagation", "default")
_OTHERS = tuple(strategy.name for strategy in STRATEGIES if strategy.name not in _BEST_FIRST)
MEASURED = (_BEST_FIRST[0], UNROLL, STOCK, *_BEST_FIRST[1:], *_OTHERS, STOCK_ON, UNROLL_ON)
"""The strategies in the order in which they are given out. Of 26 problems that take long, with 20 s for each,
``global`` solved 23 and the next one 21, all together 24, as these two do; the paper's three together 21."""

PAPER = ("def", "ic3", "global")
"""The paper's three, with ``global`` for GPDR: see `smt.spacer_strategies`."""


class Share(Enum):
    """Which lemmas workers give each other (section V): those of F∞, those of the other frames, or both."""

    NONE = "none"
    K = "k"
    INFINITY = "inf"
    ALL = "all"

    @property
    def invariants(self) -> bool:
        return self in (Share.INFINITY, Share.ALL)

    @property
    def frames(self) -> bool:
        return self in (Share.K, Share.ALL)


PARTITION_AFTER = 10_000_000
"""The solver cost on the whole problem, some ten seconds, after which the default partitions it."""

_FEW_WORKERS = 2
_PATIENCE_OF_FEW = 4


def partition_after(workers: int) -> int:
    """The same for a number of workers: each of a few has a strategy that is worth more time than a part is."""
    return PARTITION_AFTER * (_PATIENCE_OF_FEW if workers <= _FEW_WORKERS else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PdrOptions:
    """How a problem is solved (P3).

    ``partitions`` is how many are wanted: 0 for none, None for as many as there are workers. They are made when a
    search of the whole has cost ``partition_after``; None: at once. At most ``levels`` rules are resolved into one
    query. ``whole`` keeps a worker on the whole problem then. ``strategies`` are names in the order in which they are
    given out, all of them to the whole problem and the first ``width`` to a partition, and then again with other
    seeds; empty: the measured order. ``share`` is for workers on the same problem, ``share_parts`` once it is
    partitioned (None: the same). Workers exchange lemmas every ``interval`` seconds, at first more often, and look up
    after ``slice_cost``. All workers are hired after ``patience`` seconds: what ends sooner needs one only.
    ``check_seconds`` is for the check of an answer.
    """

    workers: int = 1
    share: Share = Share.INFINITY
    share_parts: Share | None = None
    partitions: int | None = None
    partition_after: int | None = PARTITION_AFTER
    levels: int = 4
    whole: bool = True
    strategies: tuple[str, ...] = ()
    width: int = 3
    seed: int = 0
    interval: float = 0.5
    slice_cost: int = 50_000
    patience: float = 1.0
    check_seconds: float = 60.0

    @property
    def wanted(self) -> int:
        """How many partitions are wanted; 0 for none."""
        return max(2, self.workers) if self.partitions is None else self.partitions

    @property
    def parts_share(self) -> Share:
        return self.share if self.share_parts is None else self.share_parts


TECHNIQUES: dict[str, tuple[bool, Share]] = {
    f"{base}{suffix}": (base == "partitioning", share)
    for base in ("portfolio", "partitioning")
    for suffix, share in (("", Share.NONE), ("+inf", Share.INFINITY), ("+k", Share.K), ("+all", Share.ALL))
}
"""By name, whether it partitions, and what it shares."""


def technique(name: str, *, workers: int, strategies: tuple[str, ...] = PAPER, seed: int = 0) -> PdrOptions:
    """One of Table I's, as the paper does it: partitions at once, or never, and nobody on the whole beside them."""
    partitioned, share = TECHNIQUES[name]
    return PdrOptions(
        workers=workers,
        share=share,
        partitions=max(2, workers // 3) if partitioned else 0,
        partition_after=None,
        whole=False,
        strategies=strategies,
        seed=seed,
        patience=0.0,
    )
