"""Options of the threads engine."""

from __future__ import annotations

from cleave.engines.options import MOST, ascending, bounds, losses_option, option, patience_option, seed_option
from cleave.engines.unfolding.options import AUTO, BITWUZLA, Extent, Unwind, general_bound, solver_option, unwind_option
from cleave.records import dataclass

VERSION = 2
"""Of the task and of the messages. A journal of another version is not resumed."""

DEFAULT_UNWIND = 2
DEFAULT_CONTEXTS = 5


def contexts(text: str) -> tuple[int, ...]:
    """``4`` or ``2..6``: one context is tried only if it is asked for.

    >>> contexts("4"), contexts("1"), contexts("1..3")
    ((2, 3, 4), (1,), (1, 2, 3))
    """
    found = bounds(text)
    return tuple(n for n in found if n > 1) or found if ".." not in text else found


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsOptions:
    """Which schedules to search, and how the search is distributed. A context is a stretch of the execution in which
    one thread runs; the first one is the main thread's."""

    contexts: tuple[int, ...] | None = option(
        None,
        flag="--contexts",
        metavar="N|M..N",
        read=contexts,
        low=1,
        high=MOST,
        valid=ascending,
        help="largest number of contexts; smaller numbers are tried first, from M",
        rule=f"2..{DEFAULT_CONTEXTS}, and more if there is a time limit and --unwind is not given",
    )
    unwind: Unwind | None = unwind_option(
        f"{DEFAULT_UNWIND}, and more if there is a time limit and --contexts is not given either"
    )
    rounds: int = option(
        0,
        flag="--rounds",
        metavar="R",
        low=0,
        high=MOST,
        help="instead of contexts: all threads run in turn, in the order of their appearance, R times; 0: contexts",
        instead_of="contexts",
    )
    seed: int = seed_option()
    solver: str = solver_option(f"{AUTO} is minisat if it is installed and no array is written, else {BITWUZLA}")
    partitions: int = option(
        0,
        flag="--partitions",
        metavar="N",
        low=0,
        high=MOST,
        help="split the schedules into N partitions at the start, a power of two, as in the paper; 0: split when a"
        " worker waits",
    )
    first: int = option(0, flag="--from", metavar="P", low=0, high=MOST, help="the first of the --partitions to search")
    last: int | None = option(
        None,
        flag="--to",
        metavar="P",
        low=0,
        high=MOST,
        help="the last of the --partitions to search",
        rule="all that follow",
    )
    slice_cost: int = option(
        150,
        help="cost after which a worker pauses to read its messages",
        unit="conflicts",
        low=1,
        reason="workers that wait should get work soon",
    )
    split_after: int = option(
        300,
        help="a search that costs less is not split",
        unit="conflicts",
        low=0,
        reason="half of a short search is not worth another formula",
    )
    decided_iterations: int = option(
        1_000,
        help="number of iterations up to which a loop that constants decide is unfolded completely; a longer one is"
        " unwound up to the bound",
        unit="iterations",
        low=1,
        reason="each iteration is a copy of the loop's body",
    )
    decided_positions: int = option(
        250,
        help="number of positions up to which the same holds, if a thread can be interrupted in the loop",
        unit="positions",
        low=1,
        reason="the formula grows with the positions of all threads",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    probe_steps: int = option(
        0,
        help="steps of executions that are tried before the formula is made",
        unit="steps",
        low=0,
        reason="the engine executions does this",
    )
    confirm_states: int = option(
        5_000,
        help="number of states up to which a proof is confirmed by trying all interleavings; 0: always by another"
        " solver",
        unit="states",
        low=0,
        reason="with more states, another solver is faster",
    )
    confirm_seconds: float = option(
        20.0,
        help="time limit for confirming a proof by another solver; three times the time of the search, if that is"
        " longer",
        unit="seconds",
        low=0,
        reason="the fastest solver has been used for the search",
    )

    @property
    def tried(self) -> tuple[int, ...]:
        """The numbers of contexts to try in turn, the last one being the bound of the verdict."""
        return tuple(range(2, DEFAULT_CONTEXTS + 1)) if self.contexts is None else self.contexts

    @property
    def general_unwind(self) -> int:
        """Of loops that have no bound of their own."""
        return general_bound(self.unwind, DEFAULT_UNWIND)

    @property
    def extent(self) -> Extent:
        return Extent(iterations=self.decided_iterations, positions=self.decided_positions)

    @property
    def deepens(self) -> bool:
        """Whether larger bounds follow, as far as a time limit allows: nobody has chosen any."""
        return self.contexts is None and self.unwind is None and not self.rounds


USUAL = ThreadsOptions()
