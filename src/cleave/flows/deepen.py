"""Larger and larger bounds, as long as there is time: for programs with threads, when the user has chosen no bounds.

    unwind 2, contexts 2..5   ── bounded-safe, contexts took part ──▶   unwind 2, contexts 6..7   ──▶   ...

Only the bounds that took part in the last proof grow; both, where there was no answer that could be confirmed. The
result is that of the last bounds that were finished. Before each formula the program is run under some schedules, each
time others: that finds what needs many contexts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from cleave.engines.threads.options import ThreadsOptions
from cleave.verdict import BoundedSafe, Reason, Result, Unknown, Verdict

_MORE_CONTEXTS = 2
_LEAST_SECONDS = 1.0  # what is left, for another try
_CONFIRM_SECONDS = 2.0  # or as long as the search took: what comes next may find more than this confirms
_PROBE_STEPS = 300_000  # a second or two
_LATER_PROBE_STEPS = 150_000


def deepen(verify: Callable[[ThreadsOptions, float], Result], options: ThreadsOptions, timelimit: float) -> Result:
    """``verify`` is given the bounds to try and the seconds that are left; without a limit, only the first bounds."""
    deadline = monotonic() + timelimit
    options = replace(options, probe_steps=_PROBE_STEPS)
    if timelimit:
        options = replace(options, confirm_seconds=_CONFIRM_SECONDS)
    last = result = verify(options, timelimit)
    spent = result.seconds
    while _may_go_on(last.verdict) and deadline - monotonic() > _LEAST_SECONDS:
        options = _larger(options, last.verdict)
        last = verify(options, deadline - monotonic())
        spent += last.seconds
        if not isinstance(last.verdict, Unknown) or isinstance(result.verdict, Unknown):
            result = last
    return replace(result, seconds=spent)


def _may_go_on(verdict: Verdict) -> bool:
    return isinstance(verdict, BoundedSafe) or (isinstance(verdict, Unknown) and verdict.reason is Reason.UNCONFIRMED)


def _larger(options: ThreadsOptions, verdict: Verdict) -> ThreadsOptions:
    last = options.tried[-1]
    grown = verdict.bounds if isinstance(verdict, BoundedSafe) else ("contexts", "unwind")
    options = replace(options, seed=options.seed + 1, probe_steps=_LATER_PROBE_STEPS)
    if "contexts" in grown:
        options = replace(options, contexts=tuple(range(last + 1, last + _MORE_CONTEXTS + 1)))
    if "unwind" in grown:
        options = replace(options, unwind=_next(options.unwound), contexts=tuple(range(2, options.tried[-1] + 1)))
    return options


def _next(unwind: int) -> int:
    """
    >>> [unwind := 2] + [unwind := _next(unwind) for _ in range(6)]
    [2, 3, 4, 6, 9, 13, 19]
    """
    return unwind + max(1, unwind // 2)
