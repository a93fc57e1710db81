"""Larger bounds for programs with threads.

    unwind 2, contexts 2..5   ── bounded-safe, contexts took part ──▶   unwind 2, contexts 6..7   ──▶   ...

Only the bounds that took part in the last proof grow; both, where there was no answer that could be confirmed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cleave.engines.threads.options import ThreadsOptions

_MORE_CONTEXTS = 2


def larger(options: ThreadsOptions, took_part: Collection[str] | None) -> ThreadsOptions:
    """``took_part`` None: nothing could be confirmed."""
    grown = ("contexts", "unwind") if took_part is None else took_part
    last = options.tried[-1]
    options = replace(options, seed=options.seed + 1)
    if "contexts" in grown:
        options = replace(options, contexts=tuple(range(last + 1, last + _MORE_CONTEXTS + 1)))
    if "unwind" in grown:
        first = min(2, options.tried[-1])
        unwind = _next(options.general_unwind)
        options = replace(options, unwind=unwind, contexts=tuple(range(first, options.tried[-1] + 1)))
    return options


def _next(unwind: int) -> int:
    """
    >>> [unwind := 2] + [unwind := _next(unwind) for _ in range(6)]
    [2, 3, 4, 6, 9, 13, 19]
    """
    return unwind + max(1, unwind // 2)
