"""Larger and larger bounds, as long as there is time: for programs with threads, when the user has chosen no bounds.

    unwind 2, contexts 2..5   ── bounded-safe, contexts took part ──▶   unwind 2, contexts 6..7   ──▶   ...

Only the bounds that took part in the last proof grow. The result is that of the last bounds that were finished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from cleave.engines.threads.options import ThreadsOptions
from cleave.verdict import BoundedSafe, Result, Unknown

_MORE_CONTEXTS = 2
_LEAST_SECONDS = 1.0  # what is left, for another try


def deepen(verify: Callable[[ThreadsOptions, float], Result], options: ThreadsOptions, timelimit: float) -> Result:
    """``verify`` is given the bounds to try and the seconds that are left."""
    deadline = monotonic() + timelimit
    result = verify(options, timelimit)
    spent = result.seconds
    while isinstance(result.verdict, BoundedSafe) and deadline - monotonic() > _LEAST_SECONDS:
        options = _larger(options, result.verdict)
        further = verify(options, deadline - monotonic())
        spent += further.seconds
        if isinstance(further.verdict, Unknown):
            break
        result = further
    return replace(result, seconds=spent)


def _larger(options: ThreadsOptions, verdict: BoundedSafe) -> ThreadsOptions:
    last = options.contexts[-1]
    if "contexts" in verdict.bounds:
        options = replace(options, contexts=tuple(range(last + 1, last + _MORE_CONTEXTS + 1)))
    if "unwind" in verdict.bounds:
        options = replace(options, unwind=_next(options.unwind), contexts=tuple(range(2, options.contexts[-1] + 1)))
    return options


def _next(unwind: int) -> int:
    """
    >>> [unwind := 2] + [unwind := _next(unwind) for _ in range(6)]
    [2, 3, 4, 6, 9, 13, 19]
    """
    return unwind + max(1, unwind // 2)
