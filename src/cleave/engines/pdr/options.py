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

from cleave.engines.pdr.spacer.strategies import STRATEGIES

STOCK = "stock"
"""Z3 as its own command solves the clauses, see `spacer.stock`."""

UNROLL = "unroll"
"""Search for short derivations, see `unrolling`."""

ACCELERATED = "accelerated"
"""The best strategy, on clauses whose loops are taken many rounds at a time, see `acceleration`."""

NOT_SPACER = (STOCK, UNROLL)
"""These neither tell nor take lemmas, and are for the whole problem only."""

BEST = "global"
_BEST = (BEST, "no-equality-propagation", "default")
_OTHERS = tuple(strategy.name for strategy in STRATEGIES if strategy.name not in _BEST)
NAMES = (_BEST[0], UNROLL, STOCK, ACCELERATED, *_BEST[1:], *_OTHERS)
"""All strategies. Where one is wanted, ``name@N`` is that one for N seconds."""

_FEW_WORKERS = 2


def limited(strategy: str) -> tuple[str, int]:
    """Its name, and the seconds of its process after which it ends; 0: never. To virtual workers these are millions of
    units of cost.

    >>> limited("stock@8"), limited("global")
    (('stock', 8), ('global', 0))
    """
    name, _, seconds = strategy.partition("@")
    return name, int(seconds or 0)


def measured(workers: int) -> tuple[str, ...]:
    """The strategies in the order in which they are given out.

    Of 67 problems with loops that count, ``accelerated`` solved 62 in 10 s, ``global`` 58 and
    ``no-equality-propagation`` 52, of which it missed one; without such loops it ends at once. Of 26 problems that take
    long, with 20 s for each, ``global`` solved 23 and ``no-equality-propagation`` 21, all together 24, as these two do;
    the paper's three together 21. Of 12 others, each solved 10, and the second one most of them at less cost: so that
    is tried before anybody is hired. Stock SPACER has other rewriting: what that makes easy it solves at once, and the
    second of two workers gives it the rest of its time. What has a short derivation needs little unrolling. One worker
    alone has turns for all.
    """
    short = f"{UNROLL}@6"
    if workers == 1:
        return (ACCELERATED, _BEST[1], STOCK, _BEST[0], short, *_BEST[2:], *_OTHERS, UNROLL)
    if workers <= _FEW_WORKERS:
        second = (f"{ACCELERATED}@5", f"{STOCK}@4", short, f"{_BEST[1]}@20", STOCK)
        return (_BEST[0], *second, *_BEST[1:], *_OTHERS, ACCELERATED, UNROLL)
    return (*_BEST[:2], ACCELERATED, short, f"{STOCK}@8", *_BEST[2:], *_OTHERS, STOCK, UNROLL)


PAPER = ("def", "ic3", "global")
"""The paper's three, with ``global`` for GPDR: see `spacer.strategies`."""


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

ALONE_SECONDS = 0.5
"""How long the default tries before it hires anybody: about as long as it takes to start a worker."""

_PATIENCE_OF_FEW = 50
_SOME_WORKERS = 6  # more than these divide sooner
_LEAST_PATIENCE = 1_000_000


def partition_after(workers: int) -> int:
    """The same for a number of workers: each of a few has a strategy that is worth more time than a part is; of many,
    most would only repeat what others do."""
    if workers <= _FEW_WORKERS:
        return PARTITION_AFTER * _PATIENCE_OF_FEW
    return max(_LEAST_PATIENCE, PARTITION_AFTER * _SOME_WORKERS // max(workers, _SOME_WORKERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class PdrOptions:
    """How a problem is solved (P3).

    ``partitions`` is how many are wanted: 0 for none, None for as many as there are workers. They are made when a
    search of the whole has cost ``partition_after``; None: at once. At most ``levels`` rules are resolved into one
    query. ``whole`` keeps a worker on the whole problem then. ``strategies`` are in the order in which they are given
    out, all of them to the whole problem and the first ``width`` to a partition, and then again with other
    seeds; empty: the measured order. ``share`` is for workers on the same problem, ``share_parts`` once it is
    partitioned (None: the same). Workers exchange lemmas every ``interval`` seconds, at first more often, and look up
    after ``slice_cost``. Before anybody is hired, the first strategies are tried in the coordinator's process, for
    ``alone_seconds`` of its time. All workers are hired after ``patience`` seconds: what ends sooner needs one only.
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
    alone_seconds: float = 0.0
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
