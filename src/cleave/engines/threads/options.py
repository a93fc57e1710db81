"""Options of the threads engine."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_UNWIND = 2
DEFAULT_CONTEXTS = 5
AUTO, BITWUZLA, MINISAT = "auto", "bitwuzla", "minisat"
SOLVERS = (AUTO, BITWUZLA, MINISAT, "glucose", "cadical")  # the last three are those of `smt.sat.solver`


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsOptions:
    """``contexts`` are the numbers of contexts to try in turn, the last one being the bound of the verdict. A context
    is a stretch of the execution in which one thread runs; the first is the main thread's. With ``rounds``, all threads
    run in the order in which they are met, so many times, instead. Loops and recursion are unfolded ``unwind`` times.

    With ``confirm_states``, a verdict without a violation is confirmed by trying all interleavings if there are no more
    states than that; otherwise by another encoding, for at most ``confirm_seconds``.
    """

    deepen: bool = False  # go on with larger bounds than these, as far as a time limit allows
    probe_steps: int = 0  # of executions that are tried before a formula of all of them is made
    unwind: int = DEFAULT_UNWIND
    contexts: tuple[int, ...] = tuple(range(2, DEFAULT_CONTEXTS + 1))
    rounds: int = 0
    seed: int = 0
    solver: str = AUTO  # one of SOLVERS: see `solving`
    confirm_states: int = 5_000
    confirm_seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsDistribution:
    """How a search is distributed. With ``partitions``, a power of two, it is split into so many parts at once, as in
    the paper, and of these only ``first`` to ``last`` are searched; with 0 it is split when workers have nothing to do.
    A worker looks up after ``slice_cost``; what took less than ``split_after`` is not split."""

    workers: int = 1
    partitions: int = 0
    first: int = 0
    last: int | None = None
    slice_cost: int = 150
    split_after: int = 300
