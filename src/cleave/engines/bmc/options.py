"""Options of the engine bmc."""

from __future__ import annotations

from cleave.engines.options import MOST, losses_option, option, patience_option, seed_option
from cleave.engines.unfolding.options import AUTO, BITWUZLA, CADICAL, Extent, Unwind, solver_option, unwind_option
from cleave.records import dataclass

VERSION = 1
"""Of the task and of the messages. A journal of another version is not resumed."""

FIRST_UNWIND = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BmcOptions:
    """How far loops are unfolded, and how the search is distributed."""

    unwind: Unwind | None = unwind_option(
        f"{FIRST_UNWIND}, and more for each loop that an execution gets to the end of, as long as there is time"
    )
    seed: int = seed_option()
    solver: str = solver_option(f"{AUTO} is {CADICAL} if it is installed, else {BITWUZLA}")
    most_unwind: int = option(
        MOST,
        help="no bound of a loop grows beyond that by itself",
        unit="iterations",
        low=1,
        high=MOST,
        reason="a time limit ends it sooner; without one, a plan sets less",
    )
    decided_iterations: int = option(
        1_000,
        help="of a loop that constants decide; a longer one is unwound like any other",
        unit="iterations",
        low=1,
        reason="each is a copy of the loop's body",
    )
    bound_cost: int = option(
        2_000,
        help="for the question whether an execution gets beyond a bound, besides as much as the search took",
        unit="solver cost",
        low=1,
        reason="not to know is as good as yes: the bound grows",
    )
    slice_cost: int = option(
        150,
        help="after which a worker looks up",
        unit="solver cost",
        low=1,
        reason="a worker should soon hear that others wait",
    )
    split_after: int = option(
        1_000,
        help="what takes less is not split",
        unit="solver cost",
        low=0,
        reason="half of a short search is not worth a formula of its own",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    confirm_seconds: float = option(
        20.0,
        help="for checking a proof, or three times as long as the search took",
        unit="seconds",
        low=0,
        reason="it is not done by the quickest solver",
    )

    @property
    def extent(self) -> Extent:
        return Extent(iterations=self.decided_iterations)
