"""C's integers as mathematical ones, which solvers of Horn clauses know more about than about bits.

`in_turn`, for the pdr engine: integers that go round where bits do, for a part of the time; then bits. Nothing is
assumed. `unbounded`, which a user asks for (``--integers math``), first with a proof that nothing overflows:

    CHECKED     property and no overflow ── safe ──▶ safe, and nothing was assumed
       │ not proved
    UNBOUNDED   property alone ── safe ──▶ safe, if no operation overflows

A violation is one only if it replays on the program with its bits, in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from cleave.errors import UnsupportedError
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe

_SHARE = 0.5  # of the time, for the proof that assumes nothing
_SECONDS = 300.0  # for it if there is no limit
_EXACT_SHARE = 0.2  # of the time, before bits
_EXACT_SECONDS = 30.0  # and at most
_NO_OVERFLOW = "with it, that no operation overflows"
_ROUND = "over integers that wrap around as bits do"

Verify = Callable[[Integers, float], Result]
"""With what to compute with, and the seconds for it; 0: no limit."""


def in_turn(verify: Verify, timelimit: float) -> Result:
    """With integers first: where they prove or refute something they are quick."""
    started = monotonic()
    try:
        first = verify(Integers.EXACT, min(timelimit * _EXACT_SHARE or _EXACT_SECONDS, _EXACT_SECONDS))
    except UnsupportedError:  # by integers, or by whatever reads the program, which then says so again
        return verify(Integers.BITS, timelimit)
    if not isinstance(first.verdict, Unknown) or first.verdict.reason is Reason.INTERRUPTED:
        return with_integers(first)
    result = verify(Integers.BITS, _left(timelimit, started))
    return replace(result, seconds=first.seconds + result.seconds)


def with_integers(result: Result) -> Result:
    """Who reads a proof should know what it is about."""
    if not isinstance(result.verdict, Safe):
        return result
    validation = f"{result.verdict.validation}, {_ROUND}"
    return replace(result, verdict=replace(result.verdict, validation=validation))


def unbounded(verify: Verify, timelimit: float) -> Result:
    started = monotonic()
    result = verify(Integers.CHECKED, timelimit * _SHARE or _SECONDS)
    match result.verdict:
        case Safe(validation) | BoundedSafe(validation=validation):
            return replace(result, verdict=replace(result.verdict, validation=f"{validation}; {_NO_OVERFLOW}"))
        case Unknown(Reason.INTERRUPTED) | Unsafe():
            return result
    further = verify(Integers.UNBOUNDED, _left(timelimit, started))
    if isinstance(further.verdict, Unsafe):
        kept = tuple(a for a in further.assumptions if a != UNBOUNDED_ASSUMPTION)
        further = replace(further, assumptions=kept)
    return replace(further, seconds=result.seconds + further.seconds)


def _left(timelimit: float, started: float) -> float:
    return max(timelimit - (monotonic() - started), 1.0) if timelimit else 0.0
