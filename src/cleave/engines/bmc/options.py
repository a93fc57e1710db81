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
        help="largest bound that a loop gets without the option --unwind",
        unit="iterations",
        low=1,
        high=MOST,
        reason="a time limit ends the search sooner; without one, the plan sets a smaller number",
    )
    decided_iterations: int = option(
        1_000,
        help="number of iterations up to which a loop that constants decide is unfolded completely; a longer one is"
        " unwound up to the bound",
        unit="iterations",
        low=1,
        reason="each iteration is a copy of the loop's body",
    )
    bound_cost: int = option(
        2_000,
        help="cost limit for the question whether an execution exceeds a bound, beside the cost of the search",
        unit="solver cost",
        low=1,
        reason="without an answer, the bound grows",
    )
    slice_cost: int = option(
        150,
        help="cost after which a worker pauses to read its messages",
        unit="solver cost",
        low=1,
        reason="workers that wait should get work soon",
    )
    split_after: int = option(
        1_000,
        help="a search that costs less is not split",
        unit="solver cost",
        low=0,
        reason="half of a short search is not worth another formula",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    confirm_seconds: float = option(
        20.0,
        help="time limit for checking a proof; three times the time of the search, if that is longer",
        unit="seconds",
        low=0,
        reason="the fastest solver has been used for the search",
    )

    @property
    def extent(self) -> Extent:
        return Extent(iterations=self.decided_iterations)
