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
_WHOLE_COST = 24_000_000  # six to ten seconds

UNSPLIT_FROM = 3
DIFFERENT_FROM = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineOptions:
    """What to search (stratified inlining), and how the search is distributed (HYDRA): ``interval`` and ``slowdown``
    are the paper's delta_c and K. Rules are methods; most depend on the number of workers."""

    bounds: tuple[int, ...] | None = option(
        None,
        flag="--recursion-bound",
        metavar="N|M..N",
        read=bounds,
        low=1,
        high=MOST,
        valid=ascending,
        help="how often a procedure may occur on the call stack; a loop runs at most N-1 whole iterations and a partial"
        " one. Smaller bounds are tried first, from M (1 if it is left out), and what was learned is kept; N..N tries"
        " only N",
        rule=f"{DEFAULT_BOUND}, and beyond as far as a little solver cost goes",
    )
    beyond_cost: int | None = option(
        None,
        help="as long as the search costs less, larger bounds than the last one are tried",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{DEFAULT_BEYOND_COST} if no bound is given, else 0",
        reason="a second or two, in which many loops end",
    )
    merging: Merging = option(
        Merging.FIRST,
        flag="--merge",
        help="which instance of a procedure a call shares: none, so that the call graph is unfolded to a tree (tree);"
        " in a DAG the first that fits, the one with the most descendants (maxc), a random one (random, randompick), or"
        " as in the smallest complete DAG (opt)",
    )
    under_always: bool = option(
        False,
        flag="--under-always",
        help="look for a violation in what is inlined in every step, as the paper does, instead of when that has grown"
        " by half",
    )
    seed: int = seed_option()
    splits: Splits = option(
        Splits.PROOF,
        flag="--splits",
        help="which call workers split a search on: chosen from the proof so that both halves are left with something"
        " to do, as the paper says, or at random",
    )
    queues: Queues = option(
        Queues.DEQUES,
        flag="--queues",
        help="who gets which half: a double-ended queue for each worker, which it goes back to itself, or one queue for"
        " all",
    )
    rate: Rate = option(
        Rate.ADAPTIVE,
        flag="--split-rate",
        help="how often to split: the more the fewer parts wait for the more workers, or always after the same"
        " interval",
    )
    decisions: Decisions = option(
        Decisions.ASSUMED,
        flag="--decisions",
        help="how a search is confined to its part: by assumptions, which keep what the solver has learned, or on the"
        " solver's stack",
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
        help="split so many times less often while no worker waits",
    )
    unsplit: bool | None = option(
        None,
        flag="--unsplit-worker",
        help=f"one of the workers searches the whole by itself, unsplit; of {DIFFERENT_FROM} or more, a second one does"
        " so in another way. Two workers begin like that, each in one way, and split what takes long, unless this is"
        " given",
        rule=f"with {UNSPLIT_FROM} workers or more",
    )
    split_after: int | None = option(
        None,
        help="what a search costs before it is split for the first time",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{_SPLIT_COST} divided by the workers, {DEFAULT_BEYOND_COST} at least; {_WHOLE_COST} of two workers",
        reason="most short searches lose by a split: it takes longer to tell others",
    )
    slice_cost: int | None = option(
        None,
        help="inside a check, a worker looks up after so much",
        unit="solver cost",
        low=1,
        high=MOST_COST,
        rule=f"{_SLICE_COST} divided by the workers, {_LEAST_SLICE} at least",
        reason="a check that was interrupted begins anew, with what it has learned",
    )
    moving_cost: int | None = option(
        None,
        help="to take over an instance of another worker: a partition is split only after as much work as moving the"
        " half of it takes",
        unit="solver cost",
        low=0,
        high=MOST_COST,
        rule=f"{_MOVING_COST} divided by the workers, {_MOST_FOR_MOVING} at most",
        reason="of many workers, those who would wait otherwise take over for nothing",
    )
    unsplit_from: int = option(
        UNSPLIT_FROM,
        help="of so many, one searches the whole by itself",
        unit="workers",
        low=2,
        reason="no split can then make a run slower than without",
    )
    different_from: int = option(
        DIFFERENT_FROM,
        help="of so many, a second one does so in another way",
        unit="workers",
        low=2,
        reason="which way is quicker differs from program to program",
    )
    paths_from: int = option(
        8,
        help="with so many, the latest paths of a search tell where to split it",
        unit="workers",
        low=2,
        reason="fewer are slower with that",
    )
    paths_kept: int = option(
        24,
        help="of the latest ones, to tell where a search is at work",
        unit="paths",
        low=1,
        reason="where it is now counts, not where it was",
    )
    core_cost: int = option(
        500_000,
        help="to see which calls a search is about before it is split",
        unit="solver cost",
        low=1,
        reason="less than a second",
    )
    probe_cost: int = option(
        100_000,
        help="to see that a split would be trivial",
        unit="solver cost",
        low=1,
        reason="most that are trivial are seen so at once",
    )
    most_probes: int = option(
        8, help="instances that are considered for one split", unit="instances", low=1, reason="each costs a probe"
    )
    unsplit_slices: int = option(
        40,
        help="who has nothing to split looks up so much less often",
        unit="times",
        low=1,
        reason="it has nobody to listen to",
    )
    beyond_check_cost: int = option(
        10_000_000,
        help="for the check of a proof for a larger bound than was asked for; after that, what it proves within the"
        " one that was asked for is checked",
        unit="solver cost",
        low=0,
        reason="nobody asked for more",
    )
    second_check_cost: int = option(
        120_000_000,
        help="for a second check of a part's proof that the first could not decide, with other options of the solver",
        unit="solver cost",
        low=0,
        reason="which options are quicker differs by up to ten times",
    )
    part_from: int = option(
        50,
        help="the proof of an unfolding of so many is reduced to what it needs before it is checked",
        unit="instances",
        low=0,
        reason="smaller ones are checked in less than a tenth of a second",
    )
    part_share: float = option(
        1.0,
        help="for the refutation that tells what a proof needs, of the cost of the search; 0 skips it",
        unit="times",
        low=0,
        reason="it mostly costs a third of the search, and the check of the part a third of that of the whole",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    under_growth: float = option(
        1.5,
        help="a violation is looked for in what is inlined whenever that has grown so much",
        unit="times",
        low=1,
        reason="the question is about a third of the solver's work if it is asked in every step",
    )
    free_growth: int = option(
        20,
        help="may be made for calls of earlier paths, however small the unfolding is",
        unit="instances",
        low=0,
        reason="a small unfolding costs little",
    )
    long_loop: int = option(
        4,
        help="a path that enters so many of a loop is taken to go on",
        unit="iterations",
        low=1,
        reason="the next iterations are then inlined together",
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
