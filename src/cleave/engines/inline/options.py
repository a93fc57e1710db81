"""Options of the inline engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cleave.engines.inline.merging import Merging

DEFAULT_BOUND = 3
DEFAULT_BEYOND_COST = 1_000_000
"""Without a bound of the user's, this much solver cost (a second or two) may go into bounds beyond the default one."""
BEYOND_CHECK_SECONDS = 5.0
"""For the check of a proof for such a bound; if it takes longer, what it proves within the default one is checked."""


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
        start = deeper(start)
    return (*tried, bound)


def deeper(bound: int) -> int:
    """The bound to try after ``bound``."""
    return bound + max(1, bound // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions:
    """``bounds`` are the recursion bounds to try in turn, the last one being the bound of the verdict. As long as the
    solver's cost is below ``beyond_cost``, larger ones are tried after them. ``under_always``: look for a violation in
    what is inlined in every step, as in the paper, and not only when that has grown (`stratified`)."""

    merging: Merging = Merging.FIRST
    bounds: tuple[int, ...] = deepening(DEFAULT_BOUND)
    beyond_cost: int = 0
    under_always: bool = False
    seed: int = 0


class Splits(Enum):
    """Which instance to split on: from the core, balancing what is relevant (section III-B), or any (section V-B)."""

    PROOF = "proof"
    PAPER = "paper"
    RANDOM = "random"


class Queues(Enum):
    """Who gets which partition: a double-ended queue per worker (section IV-B), or one queue for all."""

    DEQUES = "deques"
    SHARED = "shared"


class Rate(Enum):
    """How often a worker splits: as the coordinator tells it (section IV-C), or always at the same interval."""

    ADAPTIVE = "adaptive"
    FIXED = "fixed"


class Decisions(Enum):
    """How a search is confined to a partition: by assumptions, or pushed on the solver's stack as in the paper."""

    ASSUMED = "assumed"
    PUSHED = "pushed"


_SPLIT_COST = 8_000_000
_MOVING_COST = 60_000
_MOST_FOR_MOVING = 15_000
_SLICE_COST = 4_000_000
_LEAST_SLICE = 500_000
_PAIR_COST = 24_000_000  # six to ten seconds

UNSPLIT_FROM = 3
"""With so many workers, one of them is spared for the whole search, ..."""

DIFFERENT_FROM = 4
"""... and with so many, a second one, which goes about it in another way."""

PATHS_FROM = 8
"""With so many workers, the latest paths of a search tell where to split it; fewer are slower with that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How a search is distributed (HYDRA). ``interval`` and ``slowdown`` are the paper's delta_c, in seconds, and K.

    A search whose solver cost is below ``split_after`` is not split: it would take longer to tell others; None: the
    fewer workers there are, the later, because most short searches lose by a split (`first_split`). ``unsplit``
    dedicates a worker to the whole search, so that no split can make a run slower than without; None: if there are
    enough workers. Two workers (`is_pair`) both begin with the whole, in different ways, and split it later.

    Inside a check, a worker looks up after ``slice_cost``; None: the fewer workers there are, the later, because a
    check that was interrupted begins anew, with what it has learned. ``moving_cost`` is about what it costs to take
    over an instance of another worker, with what the solver does about it: a partition is split only after as much work
    as moving the half of it takes. None: the less the more workers there are (`cost_of_moving`), because those who
    would wait otherwise take over for nothing.
    """

    workers: int = 1
    splits: Splits = Splits.PROOF
    queues: Queues = Queues.DEQUES
    rate: Rate = Rate.ADAPTIVE
    decisions: Decisions = Decisions.ASSUMED
    interval: float = 0.5
    slowdown: float = 20.0
    split_after: int | None = None
    slice_cost: int | None = None
    moving_cost: int | None = None
    unsplit: bool | None = None

    @property
    def first_split(self) -> int:
        """The cost before which a search is not split."""
        if self.split_after is not None:
            return self.split_after
        if self.is_pair:
            return _PAIR_COST
        return max(DEFAULT_BEYOND_COST, _SPLIT_COST // self.workers)

    @property
    def is_pair(self) -> bool:
        """Two workers gain by splitting only what takes long; until then two ways to search are worth more."""
        return self.workers == 2 and self.unsplit is None and self.split_after is None

    @property
    def cost_of_slice(self) -> int:
        """After which a check is interrupted for the first time."""
        return max(_LEAST_SLICE, _SLICE_COST // self.workers) if self.slice_cost is None else self.slice_cost

    @property
    def wholes(self) -> list[bool]:
        """One for each worker that searches the whole, unsplit: whether in another way (`solvers`)."""
        if self.is_pair:
            return [True]
        wanted = self.workers >= UNSPLIT_FROM if self.unsplit is None else self.unsplit
        if not wanted or self.workers == 1:
            return []
        return [False, True] if self.workers >= DIFFERENT_FROM else [False]

    @property
    def cost_of_whole(self) -> int:
        """After which a worker that searches the whole gives up; 0: never."""
        return _PAIR_COST if self.is_pair else 0

    @property
    def follows_paths(self) -> bool:
        return self.workers >= PATHS_FROM

    @property
    def cost_of_moving(self) -> int:
        """The work, for each instance, after which a partition may be split."""
        if self.moving_cost is not None:
            return self.moving_cost
        return min(_MOST_FOR_MOVING, _MOVING_COST // self.workers)
