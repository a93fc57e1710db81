"""Merging strategies: which existing instance an open call shares, if any (DAG inlining, section 3.4).

tree        never merge
first       the oldest compatible instance
maxc        the compatible instance with the most descendants
random      a random compatible instance, or with low probability none
randompick  a random compatible instance
opt         follow the best DAG of the whole unfolded program, computed first (see `complete`)
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the names of strategies are arguments of the command line, whichever engine is chosen
    from cleave.engines.inline.unfolding import Instance, OpenCall, Unfolding

RANDOM_REFUSAL = 0.1
"""How often `random` inlines although it could merge; the paper says only "with low probability"."""

Choose: TypeAlias = "Callable[[Unfolding, OpenCall], Instance | None]"
"""Picks the instance to merge an open call with, or None for a new one."""


class Merging(Enum):
    """Which instance of a procedure a call may share."""

    TREE = "tree"
    FIRST = "first"
    MAXC = "maxc"
    RANDOM = "random"
    RANDOM_PICK = "randompick"
    OPT = "opt"


def never(unfolding: Unfolding, call: OpenCall) -> Instance | None:
    return None


def first(unfolding: Unfolding, call: OpenCall) -> Instance | None:
    return next(unfolding.compatible(call), None)


def largest(unfolding: Unfolding, call: OpenCall) -> Instance | None:
    return max(unfolding.compatible(call), key=lambda m: (m.size, -m.number), default=None)


def at_random(seed: int, refusal: float) -> Choose:
    from random import Random  # slow to load, and most searches choose nothing at random

    random = Random(seed)

    def choose(unfolding: Unfolding, call: OpenCall) -> Instance | None:
        found = list(unfolding.compatible(call))
        if not found or random.random() < refusal:
            return None
        return random.choice(found)

    return choose


def strategy(merging: Merging, seed: int) -> Choose:
    """The strategies that look only at the unfolding so far; `opt` needs the whole one: see `complete`."""
    match merging:
        case Merging.TREE:
            return never
        case Merging.FIRST:
            return first
        case Merging.MAXC:
            return largest
        case Merging.RANDOM:
            return at_random(seed, RANDOM_REFUSAL)
        case Merging.RANDOM_PICK:
            return at_random(seed, 0.0)
        case Merging.OPT:
            raise ValueError("opt follows a complete unfolding")
