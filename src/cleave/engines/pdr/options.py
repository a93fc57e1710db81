"""Options of the pdr engine, and the paper's eight techniques by name (P3, Table I).

>>> technique("partitioning+k", workers=60).share
<Share.K: 'k'>
>>> sorted(TECHNIQUES)[:2]
['partitioning', 'partitioning+all']

The default adapts: it starts as a portfolio that shares invariants, which is best for easy problems, and partitions
what takes long, with one worker left on the whole problem: a part can be harder than the whole.
"""

from __future__ import annotations

from collections.abc import Container
from enum import Enum

from cleave.engines.options import MOST, MOST_COST, losses_option, option, seed_option
from cleave.engines.pdr.spacer.strategies import STRATEGIES
from cleave.records import dataclass

VERSION = 2
"""Of the task and of the messages. A journal of another version is not resumed."""

STOCK = "stock"
"""Z3 as its own command solves the clauses, see `spacer.stock`."""

UNROLL = "unroll"
"""Search for short derivations, see `unrolling`."""

BITS = "bits"
"""The same on a SAT solver. It ends at once where not all is Booleans and bit vectors, as it is in hardware."""

GUESS = "guess"
"""Sieve what holds of some facts for invariants, then k-induction, see `guessing`."""

ACCELERATED = "accelerated"
"""The best strategy, on clauses whose loops are taken many rounds at a time, see `acceleration`."""

CELLS, CELLS_ACCELERATED, CELL_PAIRS = "cells", "cells-accelerated", "cell-pairs"
"""Arrays abstracted to some of their cells, see `cells`. They end at once where there are no arrays."""

CELL_GUESSES = "cell-guesses"
"""Sieve guesses about the cells of arrays, see `cell_guessing`. The same holds for it."""

ABOUT_CELLS = (CELL_GUESSES, CELLS_ACCELERATED, CELLS, CELL_PAIRS)

NOT_SPACER = (STOCK, UNROLL, BITS, GUESS, *ABOUT_CELLS)
"""These neither tell nor take lemmas, and are for the whole problem only."""

BEST = "global"
_BEST = (BEST, "no-equality-propagation", "default")
_OTHERS = tuple(strategy.name for strategy in STRATEGIES if strategy.name not in _BEST)
NAMES = (_BEST[0], UNROLL, BITS, STOCK, GUESS, ACCELERATED, *ABOUT_CELLS, *_BEST[1:], *_OTHERS)
"""All strategies. Where one is wanted, ``name@N`` is that one for N seconds."""

NOTHING_COUNTS = "no loop counts"
"""Why ``accelerated`` ends at once, where it does."""

_TAKE_TURNS = 2  # workers: with no more, the last one runs several strategies in turn, each for a short time


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
    alone has turns for all. Strategies about cells are early, as they are left out, or end at once, without arrays.
    """
    short = f"{UNROLL}@6"
    if workers == 1:
        return (
            ACCELERATED,
            _BEST[1],
            *ABOUT_CELLS[:3],
            BITS,
            STOCK,
            _BEST[0],
            short,
            CELL_PAIRS,
            *_BEST[2:],
            *_OTHERS,
            UNROLL,
        )
    if workers <= _TAKE_TURNS:
        about_cells = tuple(f"{name}@8" for name in ABOUT_CELLS)
        second = (f"{ACCELERATED}@5", f"{STOCK}@4", *about_cells, f"{BITS}@8", short, f"{_BEST[1]}@20", STOCK)
        return (_BEST[0], *second, *ABOUT_CELLS, *_BEST[1:], *_OTHERS, ACCELERATED, UNROLL)
    first = (*_BEST[:2], ACCELERATED, *ABOUT_CELLS[:3], BITS, short, f"{STOCK}@8", CELL_PAIRS)
    return (*first, *_BEST[2:], *_OTHERS, STOCK, UNROLL)


def without_loops(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same where no loop counts: stock SPACER also has the seconds that were meant for acceleration."""
    return tuple(f"{STOCK}@10" if name == f"{STOCK}@4" else name for name in names)


def for_programs(workers: int) -> tuple[str, ...]:
    """The same for the clauses of programs: their loops mostly have invariants that can be guessed."""
    first, *others = measured(workers)
    brief = f"{GUESS}@8"
    return (brief, first, *others) if workers == 1 else (first, brief, *others)


PAPER = ("def", "ic3", "global")
"""The paper's three, with ``global`` for GPDR: see `spacer.strategies`."""


class Share(Enum):
    """Which lemmas workers exchange (section V): those of F∞, those of the other frames, or both."""

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


_PARTITION_COST = 10_000_000  # on the whole problem: some ten seconds
_ALONE_SECONDS = 0.5  # about as long as it takes to start a worker
_PATIENCE = 1.0
_PATIENCE_OF_FEW = 50
_SOME_WORKERS = 6  # more than these divide sooner
_LEAST_PATIENCE = 1_000_000
_SIEVE_OF_FEW, _SIEVE_OF_MANY = 0.25, 3.0
_MOST_SECONDS = 4000  # millions of units to virtual workers, which Z3 counts with 32 bits


def strategies(text: str) -> tuple[str, ...]:
    """
    >>> strategies("global, stock@8")
    ('global', 'stock@8')
    """
    names = tuple(name.strip() for name in text.split(","))
    _known(names)
    return names


def _known(names: tuple[str, ...]) -> None:
    for strategy in names:
        name, at, seconds = strategy.partition("@")
        if name not in NAMES:
            raise ValueError(f"there is no strategy {name!r}; there are {', '.join(NAMES)}")
        if at and not (seconds.isascii() and seconds.isdigit() and 0 < int(seconds) <= _MOST_SECONDS):
            raise ValueError(f"{strategy!r}: a number of seconds expected after @, at most {_MOST_SECONDS}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PdrOptions:
    """How a problem is solved (P3). Where the default is None, a rule decides, mostly by the number of workers."""

    share: Share = option(
        Share.INFINITY,
        flag="--share",
        help="which lemmas workers exchange: none, those of single frames (k), invariants (inf), or both (all)",
    )
    partitions: int | None = option(
        None,
        flag="--partitions",
        metavar="N",
        low=0,
        high=MOST,
        help="divide the query into about N partitions at the start; 0: never",
        rule="one for each worker, if the search takes long",
    )
    strategies: tuple[str, ...] | None = option(
        None,
        flag="--strategies",
        metavar="LIST",
        read=strategies,
        valid=_known,
        help="the strategies in the order in which workers get them, separated by commas. name@N ends a strategy"
        f" after N seconds of processor time. There are: {', '.join(NAMES)}",
        rule="those that solve most problems come first",
    )
    seed: int = seed_option()
    share_parts: Share | None = option(
        None, help="which lemmas workers exchange after the problem was partitioned", rule="as --share says"
    )
    partition_after: int | None = option(
        None,
        help="cost of the search on the whole problem before it is partitioned; 0: partitioned at the start",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"0 with --partitions; else {_PARTITION_COST}, less with many workers, {_PATIENCE_OF_FEW} times as much"
        " with one or two",
        reason="a few workers have strategies that are worth more than partitions; many workers would repeat each"
        " other's work",
    )
    levels: int = option(
        4,
        help="largest number of rules that are resolved into one query",
        low=1,
        unit="rules",
        reason="each rule multiplies the number of partitions",
    )
    whole: bool = option(
        True, help="one worker keeps the whole problem", reason="a partition can be harder than the whole"
    )
    width: int = option(
        3,
        help="number of strategies for each partition; further workers run them with other seeds",
        low=1,
        reason="the paper runs three",
    )
    exchange_interval: float = option(
        0.5,
        help="time between two exchanges of lemmas; the first ones come sooner",
        unit="seconds",
        low=0,
        reason="a lemma is soon useful to other workers",
    )
    slice_cost: int = option(
        50_000,
        help="cost after which a worker pauses to read its messages",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="about 0.05 s",
    )
    alone_seconds: float | None = option(
        None,
        help="processor time for the first strategies in the coordinator's process, before workers are started",
        unit="seconds",
        low=0,
        rule=f"{_ALONE_SECONDS}; 0 with --partitions and with simulated workers",
        reason="starting a worker takes about as long",
    )
    patience: float | None = option(
        None,
        help="time after which all workers are started",
        unit="seconds",
        low=0,
        rule=f"{_PATIENCE:g}; 0 if the coordinator's process has tried the first strategies",
        reason="starting workers takes longer than solving a small problem",
    )
    check_seconds: float = option(
        60.0,
        help="time limit for checking an answer",
        unit="seconds",
        low=0,
        reason="the answer is checked again at the end of the run",
    )
    most_losses: int = losses_option(4)
    most_dividers: int = option(
        3,
        help="number of workers that may die while they partition the problem; after that it stays whole",
        unit="workers",
        low=1,
        reason="a problem without partitions can still be solved",
    )
    few_workers: int = option(
        3,
        help="up to this number, each worker uses the lemmas of others and sieves a little; with more workers, half"
        " of them use no lemmas of others, and one mostly sieves",
        unit="workers",
        low=1,
        reason="lemmas of others can slow a search down; with many workers, some can do without",
    )
    sieve_after: int = option(
        100_000,
        help="cost of a partition before lemmas are sieved",
        unit="solver cost",
        low=0,
        reason="cheaper partitions need no sieving",
    )
    sieve_share: float | None = option(
        None,
        help="cost limit for sieving, as a multiple of SPACER's cost in the same job",
        unit="times",
        low=0,
        rule=f"{_SIEVE_OF_FEW} with few workers, {_SIEVE_OF_MANY:g} with many",
        reason="many workers learn many lemmas",
    )
    most_sieved: int = option(
        2_000,
        help="number of lemmas that are sieved; later ones are ignored",
        unit="lemmas",
        low=1,
        reason="each lemma makes a round longer",
    )
    stock_slice: int = option(
        8_000_000,
        help="cost of the first slice of stock SPACER, if it works in slices",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="one to three seconds; it starts again after each slice",
    )
    unroll_cost: int = option(
        100_000,
        help="cost limit for a query of the strategy unroll; twice as much when the query is repeated",
        unit="solver cost",
        low=1,
        reason="most queries cost less",
    )
    most_unroll_cost: int = option(
        4_000_000,
        help="largest cost limit for a query of the strategy unroll",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a few seconds, in which nothing else is asked",
    )
    division_check_cost: int = option(
        2_000_000,
        help="cost limit for one check while the problem is partitioned",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        reason="a partition that stays undecided is left to the workers",
    )
    division_cost: int = option(
        10_000_000,
        help="cost limit for all checks while the problem is partitioned",
        unit="solver cost",
        low=1,
        reason="as much as the search cost before",
    )
    most_rules: int = option(
        200,
        help="predicates with more rules are not resolved",
        unit="rules",
        low=1,
        reason="there would be too many partitions",
    )
    turn_cost: int = option(
        1_000_000,
        help="cost of a strategy's first turn, if one worker runs the strategies in turn; each further turn is"
        " twice as long",
        unit="solver cost",
        low=1,
        reason="about a second",
    )
    most_turn_cost: int = option(
        256_000_000, help="largest cost of a turn", unit="solver cost", low=1, reason="every strategy gets another turn"
    )
    stuck_seconds: float = option(
        5.0,
        help="if a strategy does not pause within this time after its turn, the next one starts beside it",
        unit="seconds",
        low=0,
        reason="Z3 can't always be interrupted",
    )

    def wanted(self, workers: int) -> int:
        """How many partitions are wanted; 0 for none."""
        return max(2, workers) if self.partitions is None else self.partitions

    def partition_cost(self, workers: int) -> int:
        """The cost on the whole problem after which it is partitioned; 0: at once."""
        if self.partition_after is not None:
            return self.partition_after
        if self.partitions is not None:
            return 0
        if workers <= _TAKE_TURNS:
            return _PARTITION_COST * _PATIENCE_OF_FEW
        return max(_LEAST_PATIENCE, _PARTITION_COST * _SOME_WORKERS // max(workers, _SOME_WORKERS))

    def order(self, workers: int, unfit: Container[str] = ()) -> tuple[str, ...]:
        """The strategies in the order in which they are given out, without those that are known not to fit."""
        return self.strategies or tuple(name for name in measured(workers) if name not in unfit)

    def seconds_alone(self, *, virtual: bool) -> float:
        """How long to try before anybody is hired. Where workers are virtual, no clock may matter."""
        if self.alone_seconds is not None:
            return self.alone_seconds
        return 0.0 if virtual or self.partitions is not None else _ALONE_SECONDS

    def seconds_of_patience(self, *, virtual: bool) -> float:
        """After which all workers are hired. What is left after a try alone is no small task."""
        if self.patience is not None:
            return self.patience
        return 0.0 if self.seconds_alone(virtual=virtual) else _PATIENCE

    def undisturbed(self, workers: int) -> int:
        """How many of those on the whole problem, with the best strategies, tell lemmas and take none."""
        return workers // 2 if workers > self.few_workers else 0

    def share_of_sieving(self, workers: int) -> float:
        """What sieving may cost, by what SPACER does in the same job."""
        if self.sieve_share is not None:
            return self.sieve_share
        return _SIEVE_OF_MANY if workers > self.few_workers else _SIEVE_OF_FEW

    @property
    def parts_share(self) -> Share:
        return self.share if self.share_parts is None else self.share_parts


USUAL = PdrOptions()

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
        share=share,
        partitions=max(2, workers // 3) if partitioned else 0,
        whole=False,
        strategies=strategies,
        seed=seed,
        patience=0.0,
    )
