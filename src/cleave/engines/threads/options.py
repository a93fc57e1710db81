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
        help="how many; fewer are tried first, from M",
        rule=f"2..{DEFAULT_CONTEXTS}, and more if there is a time limit and --unwind is not given either",
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
        help="all threads in turn, in the order in which they are met, R times, instead of contexts; 0: contexts",
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
        help="split the schedules at once into N parts, a power of two, as in the paper; 0: when a worker waits",
    )
    first: int = option(0, flag="--from", metavar="P", low=0, high=MOST, help="search --partitions from this one on")
    last: int | None = option(
        None, flag="--to", metavar="P", low=0, high=MOST, help="search --partitions up to this one", rule="the last one"
    )
    slice_cost: int = option(
        150,
        help="after which a worker looks up",
        unit="conflicts",
        low=1,
        reason="a worker should soon hear that others wait",
    )
    split_after: int = option(
        300,
        help="what takes less is not split",
        unit="conflicts",
        low=0,
        reason="half of a short search is not worth a formula of its own",
    )
    decided_iterations: int = option(
        1_000,
        help="of a loop that constants decide; a longer one is unwound like any other",
        unit="iterations",
        low=1,
        reason="each is a copy of the loop's body",
    )
    decided_positions: int = option(
        250,
        help="where a thread can be interrupted, in the decided iterations of a loop; with more, likewise",
        unit="positions",
        low=1,
        reason="the formula grows with the positions of all threads",
    )
    patience: float = patience_option()
    most_losses: int = losses_option(8)
    probe_steps: int = option(
        0,
        help="of executions that are tried before a formula of all of them is made",
        unit="steps",
        low=0,
        reason="the engine executions does that",
    )
    confirm_states: int = option(
        5_000,
        help="a verdict without a violation is confirmed by trying all interleavings if there are no more states; 0: by"
        " another solver",
        unit="states",
        low=0,
        reason="what has more states takes longer than another solver",
    )
    confirm_seconds: float = option(
        20.0,
        help="for the confirmation by another solver; or three times as long as the search took",
        unit="seconds",
        low=0,
        reason="it is not done by the quickest solver",
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
