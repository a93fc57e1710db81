"""Options of the inline engine, and the rules where they leave a choice open."""

from __future__ import annotations

from enum import Enum

from cleave.engines.inline.merging import Merging
from cleave.engines.options import (
    MOST,
    MOST_COST,
    ascending,
    bounds,
    deepening,
    losses_option,
    option,
    patience_option,
    seconds,
    seed_option,
)
from cleave.records import dataclass

VERSION = 2
"""Of the task and of the messages. A journal of another version is not resumed."""

DEFAULT_BOUND = 3
DEFAULT_BEYOND_COST = 1_000_000
"""Without a bound of the user's, this much solver cost (a second or two) may go into bounds beyond the default one."""


class Splits(Enum):
    """On which instance a search is split: chosen from the core (section III-B), or at random (section V-B)."""

    PROOF = "proof"
    PAPER = "paper"
    RANDOM = "random"


class Queues(Enum):
    """Who gets which partition: a double-ended queue per worker (section IV-B), or one queue for all."""

    DEQUES = "deques"
    SHARED = "shared"


class Rate(Enum):
    """How often a worker splits: at a rate that the coordinator adapts (section IV-C), or at equal intervals."""

    ADAPTIVE = "adaptive"
    FIXED = "fixed"


class Decisions(Enum):
    """How a search is restricted to its partition: by assumptions, or on the solver's stack as in the paper."""

    ASSUMED = "assumed"
    PUSHED = "pushed"


_SPLIT_COST = 8_000_000
_MOVING_COST = 60_000
_MOST_FOR_MOVING = 15_000
_SLICE_COST = 4_000_000
_LEAST_SLICE = 500_000
_WHOLE_COST = 24_000_000  # six to ten seconds

UNSPLIT_FROM = 3
DIFFERENT_FROM = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions:
    """What to search (stratified inlining), and how the search is distributed (HYDRA): ``interval`` and ``slowdown``
    are the paper's delta_c and K. Where the default is None, a rule decides, mostly by the number of workers."""

    bounds: tuple[int, ...] | None = option(
        None,
        flag="--recursion-bound",
        metavar="N|M..N",
        read=bounds,
        low=1,
        high=MOST,
        valid=ascending,
        help="how often a procedure may be on the call stack. A loop runs at most N-1 whole iterations and a part"
        " of one. Smaller bounds are tried first, from M (1 if it is left out); N..N tries only N",
        rule=f"{DEFAULT_BOUND}, and larger bounds while they cost little",
    )
    beyond_cost: int | None = option(
        None,
        help="while the search has cost less, it continues with bounds beyond the last one",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{DEFAULT_BEYOND_COST} if no bound is given, else 0",
        reason="one or two seconds, in which many loops end",
    )
    merging: Merging = option(
        Merging.FIRST,
        flag="--merge",
        help="which instance of a procedure a call may share. tree: none, so the call graph is unfolded to a tree."
        " In a DAG: the first that fits (first), the one with the most descendants (maxc), a random one"
        " (random, randompick), or as in the smallest complete DAG (opt)",
    )
    under_always: bool = option(
        False,
        flag="--under-always",
        help="look for a violation in the inlined part in every step, as in the paper, instead of whenever that"
        " part has grown by half",
    )
    seed: int = seed_option()
    splits: Splits = option(
        Splits.PROOF,
        flag="--splits",
        help="on which call a search is split. proof: chosen from the proof, so that both halves have work left;"
        " paper: as in the paper; random: any call",
    )
    queues: Queues = option(
        Queues.DEQUES,
        flag="--queues",
        help="who gets the halves of a split. deques: each worker has a double-ended queue and prefers its own"
        " halves; shared: one queue for all workers",
    )
    rate: Rate = option(
        Rate.ADAPTIVE,
        flag="--split-rate",
        help="how often a search is split. adaptive: the more workers wait, the more often; fixed: at equal intervals",
    )
    decisions: Decisions = option(
        Decisions.ASSUMED,
        flag="--decisions",
        help="how a search is restricted to its partition. assumed: by assumptions, so the solver keeps what it has"
        " learned; pushed: on the solver's stack, as in the paper",
    )
    interval: float = option(
        0.5, flag="--split-interval", metavar="T", read=seconds, unit="seconds", low=0, help="time between splits"
    )
    slowdown: float = option(
        20.0,
        flag="--slowdown",
        metavar="K",
        unit="times",
        low=0,
        help="split this many times less often while no worker waits",
    )
    unsplit: bool | None = option(
        None,
        flag="--unsplit-worker",
        help=f"one worker searches the whole program without splits; with {DIFFERENT_FROM} workers or more, a second"
        " one does so with other solver settings. By default two workers both begin like this, and split the"
        " search if it takes long",
        rule=f"with {UNSPLIT_FROM} workers or more",
    )
    split_after: int | None = option(
        None,
        help="cost of a search before its first split",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{_SPLIT_COST} divided by the number of workers, at least {DEFAULT_BEYOND_COST}; {_WHOLE_COST} with"
        " two workers",
        reason="a short search loses by a split, because the other worker has to rebuild the unfolding",
    )
    slice_cost: int | None = option(
        None,
        help="cost after which a worker interrupts a check to read its messages",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        rule=f"{_SLICE_COST} divided by the number of workers, at least {_LEAST_SLICE}",
        reason="an interrupted check starts again, but keeps what the solver has learned",
    )
    moving_cost: int | None = option(
        None,
        help="estimated cost of moving one instance to another worker. A partition is split only after as much work"
        " as moving half of it costs",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{_MOVING_COST} divided by the number of workers, at most {_MOST_FOR_MOVING}",
        reason="with many workers, the one that takes over would wait otherwise",
    )
    unsplit_from: int = option(
        UNSPLIT_FROM,
        help="number of workers from which one searches the whole program without splits",
        unit="workers",
        low=2,
        reason="a run with splits is then never slower than one without",
    )
    different_from: int = option(
        DIFFERENT_FROM,
        help="number of workers from which a second one searches the whole program, with other solver settings",
        unit="workers",
        low=2,
        reason="which settings are faster differs from program to program",
    )
    paths_from: int = option(
        8,
        help="number of workers from which the latest paths decide where a search is split",
        unit="workers",
        low=2,
        reason="with fewer workers this is slower",
    )
    paths_kept: int = option(
        24,
        help="number of latest paths that are kept for this decision",
        unit="paths",
        low=1,
        reason="older paths say little about the present search",
    )
    core_cost: int = option(
        500_000,
        help="cost limit for finding the calls that a search depends on, before it is split",
        unit="solver cost",
        low=1,
        reason="less than a second",
    )
    probe_cost: int = option(
        100_000,
        help="cost limit for testing whether one side of a split is empty",
        unit="solver cost",
        low=1,
        reason="most empty sides are found at once",
    )
    most_probes: int = option(
        8,
        help="number of instances that are tested for one split",
        unit="instances",
        low=1,
        reason="each test has a cost",
    )
    unsplit_slices: int = option(
        40,
        help="a worker that never splits reads its messages this many times less often",
        unit="times",
        low=1,
        reason="few messages are for it",
    )
    beyond_check_cost: int = option(
        10_000_000,
        help="cost limit for checking a proof for a larger bound than was asked for. Beyond it, only the proof for"
        " the requested bound is checked",
        unit="solver cost",
        low=0,
        reason="the larger bound was not asked for",
    )
    second_check_cost: int = option(
        120_000_000,
        help="cost limit for checking a partition's proof again, with other solver settings, if the first check was"
        " undecided",
        unit="solver cost",
        low=0,
        reason="either settings can be ten times faster",
    )
    part_from: int = option(
        50,
        help="number of instances from which a proof is reduced to the part that it needs, before it is checked",
        unit="instances",
        low=0,
        reason="smaller proofs are checked in less than 0.1 s",
    )
    part_share: float = option(
        1.0,
        help="cost limit for finding the part that a proof needs, as a multiple of the search's cost; 0 skips it",
        unit="times",
        low=0,
        reason="it mostly costs a third of the search, and checking the part costs a third of checking the whole",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    under_growth: float = option(
        1.5,
        help="the inlined part is searched for a violation again when it has grown by this factor",
        unit="times",
        low=1,
        reason="asked in every step, this question takes about a third of the solver's work",
    )
    free_growth: int = option(
        20,
        help="number of instances that may always be added for calls of earlier paths, however small the unfolding is",
        unit="instances",
        low=0,
        reason="a small unfolding costs little",
    )
    long_loop: int = option(
        4,
        help="a path with this many iterations of a loop is expected to continue the loop",
        unit="iterations",
        low=1,
        reason="the next iterations are then inlined in one step",
    )

    @property
    def tried(self) -> tuple[int, ...]:
        """The recursion bounds to try in turn, the last one being the bound of the verdict."""
        return deepening(DEFAULT_BOUND) if self.bounds is None else self.bounds

    @property
    def cost_beyond(self) -> int:
        """As long as the search costs less, larger bounds are tried after the last one."""
        if self.merging is Merging.OPT:  # what it follows was computed up to the last bound
            return 0
        if self.beyond_cost is None:
            return DEFAULT_BEYOND_COST if self.bounds is None else 0
        return self.beyond_cost

    def first_split(self, workers: int) -> int:
        """The cost before which a search is not split."""
        if self.split_after is not None:
            return self.split_after
        return _WHOLE_COST if self.begins_whole(workers) else max(DEFAULT_BEYOND_COST, _SPLIT_COST // workers)

    def begins_whole(self, workers: int) -> bool:
        """Whether there are too few workers to spare one for the whole search. They gain by splitting only what takes
        long: until then one of them searches the whole in another way."""
        return 1 < workers < self.unsplit_from and self.unsplit is None and self.split_after is None

    def cost_of_slice(self, workers: int) -> int:
        """After which a check is interrupted for the first time."""
        return max(_LEAST_SLICE, _SLICE_COST // workers) if self.slice_cost is None else self.slice_cost

    def wholes(self, workers: int) -> list[bool]:
        """One for each worker that searches the whole, unsplit: whether in another way (`solvers`)."""
        if self.begins_whole(workers):
            return [True]
        wanted = workers >= self.unsplit_from if self.unsplit is None else self.unsplit
        if not wanted or workers == 1:
            return []
        return [False, True] if workers >= self.different_from else [False]

    def cost_of_whole(self, workers: int) -> int:
        """After which a worker that searches the whole gives up; 0: never."""
        return _WHOLE_COST if self.begins_whole(workers) else 0

    def follows_paths(self, workers: int) -> bool:
        return workers >= self.paths_from

    def cost_of_moving(self, workers: int) -> int:
        """The work, for each instance, after which a partition may be split."""
        return min(_MOST_FOR_MOVING, _MOVING_COST // workers) if self.moving_cost is None else self.moving_cost


USUAL = InlineOptions()
